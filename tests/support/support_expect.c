/* support_expect.c - see support_expect.h. */
#include "support_expect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char context[256];

void expect_context(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context, sizeof context, format, arguments);
    va_end(arguments);
}

const char *expect_context_text(void) {
    return context;
}

void expect_status(const char *what, pbt_status got, pbt_status want) {
    if (got != want)
        ck_abort_msg("%s: %s, not %s (%s)", what, pbt_status_name(got),
                     pbt_status_name(want), context);
}

void expect_number(const char *what, uint64_t got, uint64_t want) {
    if (got != want)
        ck_abort_msg("%s: %" PRIu64 ", not %" PRIu64 " (%s)", what, got, want,
                     context);
}

void expect_text(const char *what, const char *got, const char *want) {
    if (strcmp(got, want) != 0)
        ck_abort_msg("%s: \"%s\", not \"%s\" (%s)", what, got, want, context);
}

void expect_true(const char *what, bool condition) {
    if (!condition)
        ck_abort_msg("%s (%s)", what, context);
}

/* Sixteen bytes around the first difference. */
static void print_hex(char out[64], const uint8_t *bytes, size_t len,
                      size_t at) {
    size_t start = at < 4 ? 0 : at - 4, i, n = 0;
    out[0] = '\0';
    for (i = start; i < len && i < start + 16; i++)
        n += (size_t) snprintf(out + n, 64 - n, "%02x ", bytes[i]);
}

void expect_bytes(const char *what, const void *got, size_t got_len,
                  const void *want, size_t want_len) {
    const uint8_t *g = got, *w = want;
    size_t at = 0;
    char got_hex[64], want_hex[64];
    if (got_len == want_len && (got_len == 0 || !memcmp(g, w, got_len)))
        return;
    while (at < got_len && at < want_len && g[at] == w[at])
        at++;
    print_hex(got_hex, g, got_len, at);
    print_hex(want_hex, w, want_len, at);
    ck_abort_msg("%s: byte %zu differs: %s, not %s; %zu bytes, not %zu (%s)",
                 what, at, got_hex, want_hex, got_len, want_len, context);
}

void expect_same_error(const char *what, const pbt_error *got,
                       const pbt_error *want) {
    expect_status(what, got->status, want->status);
    expect_text(what, got->path, want->path);
    expect_number(what, got->field_number, want->field_number);
}
