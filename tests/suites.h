/* suites.h - the suites of suites.def, each made in a file of its own; or of
 * the list of another test program, PBT_SUITES. */
#ifndef SUITES_H
#define SUITES_H

#include <check.h>

#ifndef PBT_SUITES
#define PBT_SUITES "suites.def"
#endif

#define SUITE(name, roads) Suite *name##_suite(void);
#include PBT_SUITES
#undef SUITE

#endif
