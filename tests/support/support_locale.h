/* support_locale.h - a locale in which numbers have a decimal comma. */
#ifndef SUPPORT_LOCALE_H
#define SUPPORT_LOCALE_H

/** Sets one that the build has made with localedef. Where there was no
 *  localedef it takes one of the system's; where there is none either, it says
 *  so on stderr. The test fails if printf has no comma then. */
void locale_set_comma(void);

/** Back to the locale "C". */
void locale_reset(void);

#endif
