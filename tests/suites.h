/* suites.h - the suites of suites.def, each made in a file of its own. */
#ifndef SUITES_H
#define SUITES_H

#include <check.h>

#define SUITE(name, roads) Suite *name##_suite(void);
#include "suites.def"
#undef SUITE

#endif
