/* support_locale.c - see support_locale.h. */
#include "support_locale.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#ifndef PBT_LOCALE_DIR
static bool set_first(void) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE",
                                        "ru_RU.UTF-8"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]))
            return true;
    return false;
}
#endif

void locale_set_comma(void) {
    char number[16];
#ifdef PBT_LOCALE_DIR
    setenv("LOCPATH", PBT_LOCALE_DIR, 1);
    ck_assert_msg(setlocale(LC_NUMERIC, "comma") != NULL,
                  "no locale \"comma\" in " PBT_LOCALE_DIR);
#else
    if (!set_first()) {
        fputs("skipped: there is no locale with a decimal comma here, and no "
              "localedef to make one\n",
              stderr);
        return;
    }
#endif
    snprintf(number, sizeof number, "%.1f", 1.5);
    ck_assert_str_eq(number, "1,5");
}

void locale_reset(void) {
    setlocale(LC_ALL, "C");
}
