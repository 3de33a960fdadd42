/* numbers_print.c - prints the bits and the text of random numbers, for a
 * program in another language to compare: numbers-print double|float COUNT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_number.h"
#include "support_rng.h"

enum { EXIT_USAGE = 2 };

/* Half of them any bits, half of them decimals of few digits. */
static uint64_t double_bits(rng *r) {
    char text[64];
    double v;
    uint64_t bits = rng_next(r);
    if (rng_chance(r, 50))
        return bits;
    snprintf(text, sizeof text, "%llue%d",
             (unsigned long long) (bits >> (11 + rng_below(r, 53))),
             (int) rng_below(r, 44) - 22);
    v = strtod(text, NULL);
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void print_double(rng *r) {
    char text[48];
    double v;
    uint64_t bits = double_bits(r);
    memcpy(&v, &bits, sizeof v);
    if (!isfinite(v))
        return;
    *pbti_json_put_double(text, v) = 0;
    printf("%016llx %s\n", (unsigned long long) bits, text);
}

static void print_float(rng *r) {
    char text[48];
    float v;
    uint32_t bits = (uint32_t) rng_next(r);
    if (rng_chance(r, 50)) {
        v = (float) (bits >> rng_below(r, 31)) / 1000;
        memcpy(&bits, &v, sizeof bits);
    }
    memcpy(&v, &bits, sizeof v);
    if (!isfinite(v))
        return;
    *pbti_json_put_float(text, v) = 0;
    printf("%08lx %s\n", (unsigned long) bits, text);
}

int main(int argc, char **argv) {
    rng r = {20};
    long count;
    void (*print)(rng *);
    if (argc != 3)
        return EXIT_USAGE;
    print = strcmp(argv[1], "float") == 0 ? print_float : print_double;
    for (count = atol(argv[2]); count > 0; count--)
        print(&r);
    return EXIT_SUCCESS;
}
