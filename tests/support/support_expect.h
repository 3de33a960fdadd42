/* support_expect.h - assertions that say which random case failed. */
#ifndef SUPPORT_EXPECT_H
#define SUPPORT_EXPECT_H

#include <check.h>

#include <pbturbo/pbturbo.h>

/** Says in later failures where the test is: a seed, a kind, a count. */
void expect_context(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

const char *expect_context_text(void);

/** Fails the test unless got is want. */
void expect_status(const char *what, pbt_status got, pbt_status want);

void expect_number(const char *what, uint64_t got, uint64_t want);

void expect_text(const char *what, const char *got, const char *want);

/** Fails the test with the first difference. */
void expect_bytes(const char *what, const void *got, size_t got_len,
                  const void *want, size_t want_len);

/** Fails the test unless the condition holds. */
void expect_true(const char *what, bool condition);

/** Fails the test unless two failed calls report the same place. */
void expect_same_error(const char *what, const pbt_error *got,
                       const pbt_error *want);

#endif
