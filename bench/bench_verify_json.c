/* bench_verify_json.c - no codec is timed before its JSON has been read back.
 *
 * Texts may differ in order, spaces and digits, so they are not compared: a
 * peer reads each, and has to find the message that was printed. Unknown fields
 * do not count, JSON has none.
 */
#include "bench_data.h"
#include "bench_run.h"

#include <stdio.h>

#include <pbturbo/pbturbo.h>

enum { MAX_READERS = 3 };

struct reader {
    const bench_codec *codec;
    void *objects;
};

static size_t open_readers(struct reader *readers,
                           const bench_dataset *dataset) {
    size_t n = 0;
    for (size_t i = 0; bench_readers[i] != NULL && n < MAX_READERS; i++) {
        const char *why;
        readers[n].codec = bench_readers[i];
        readers[n].objects = bench_readers[i]->prepare(dataset, &why);
        n += readers[n].objects != NULL;
    }
    return n;
}

/* False, with the reason, when the text is another message to the reader. */
static bool read_back(const struct reader *reader, const bench_dataset *dataset,
                      size_t i, const bench_bytes *text, char *reason,
                      size_t size) {
    bench_bytes got;
    const char *why = "it failed";
    if (!reader->codec->read(reader->objects, text, &got, &why)) {
        snprintf(reason, size, "not timed: %s cannot read message %zu: %s",
                 reader->codec->name, i, why);
        return false;
    }
    if (bench_is_message(dataset, &got, i, false, PBT_DISCARD_UNKNOWN))
        return true;
    snprintf(reason, size,
             "not timed: message %zu is another when %s reads it%s", i,
             reader->codec->name,
             dataset->has_groups ? "; the dataset has groups" : "");
    return false;
}

/* Readers have limits of their own, in depth and in groups: one that finds the
 * message is enough. */
static bool verify_text(bench_lane *lane, const bench_dataset *dataset,
                        const struct reader *readers, size_t n_readers,
                        size_t i) {
    char *reason = lane->reasons[2];
    size_t size = sizeof lane->reasons[2];
    const char *why = "it failed";
    bench_bytes text;
    if (!lane->codec->print(lane->objects, i, &text, &why)) {
        snprintf(reason, size, "not timed: %s", why);
        return false;
    }
    lane->json.bytes += text.len;
    lane->json.checksum =
        bench_checksum(lane->json.checksum, text.data, text.len);
    lane->expected[BENCH_JSON] =
        bench_fold_bytes(lane->expected[BENCH_JSON], text.data, text.len);
    /* The text is gone when its own codec has been asked to read it, which is
     * the last one to be asked. The reason that stays is the last one's. */
    bool found = n_readers == 0;
    for (size_t r = n_readers; r > 0 && !found; r--)
        found = read_back(&readers[r - 1], dataset, i, &text, reason, size);
    return found;
}

void bench_verify_json(bench_lane *lane, const bench_dataset *dataset) {
    struct reader readers[MAX_READERS];
    size_t n = open_readers(readers, dataset);
    lane->is_unread = n == 0;
    for (size_t i = 0; i < dataset->n; i++) {
        if (verify_text(lane, dataset, readers, n, i))
            continue;
        lane->rejected[BENCH_JSON] = lane->reasons[2];
        break;
    }
    for (size_t r = 0; r < n; r++)
        readers[r].codec->release(readers[r].objects);
}
