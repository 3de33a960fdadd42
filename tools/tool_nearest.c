/* tool_nearest.c - see tool_nearest.h. Counts insertions, deletions, changes
 * and swaps of neighbours; what only was not written to its end is nearest. */
#include "tool_nearest.h"

#include <stdbool.h>
#include <string.h>

/* Longer names are not compared: nobody mistypes them letter by letter. */
enum { MAX_LEN = 100 };

static size_t least(size_t a, size_t b, size_t c) {
    size_t least_of_two = a < b ? a : b;
    return least_of_two < c ? least_of_two : c;
}

/* Three rows of the usual matrix: the current and the two before it. */
static size_t distance_of(const char *a, size_t n, const char *b, size_t m) {
    size_t rows[3][MAX_LEN + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1,
                           above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[n % 3][m];
}

tool_nearest tool_nearest_start(const char *wanted) {
    size_t n = strlen(wanted);
    return (tool_nearest){wanted, NULL, n < 3 ? 2 : n / 3 + 2};
}

void tool_nearest_look(tool_nearest *nearest, const char *name) {
    size_t n = strlen(nearest->wanted);
    size_t m = strlen(name);
    if (n > MAX_LEN || m > MAX_LEN)
        return;
    bool is_begun = n > 0 && strncmp(name, nearest->wanted, n) == 0;
    size_t distance = is_begun ? 0 : distance_of(nearest->wanted, n, name, m);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = name;
    }
}
