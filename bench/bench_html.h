/* bench_html.h - the report as a page: one file that needs no other. */
#ifndef PBTURBO_BENCH_HTML_H
#define PBTURBO_BENCH_HTML_H

#include <stdio.h>

#include "bench_run.h"

/* Opens the file. False, after a message on stderr, when it cannot. Without
 * this the calls below do nothing. */
bool bench_html_start(const char *path);
/* What is not there, in a sentence. */
void bench_html_note(const char *name, const char *why);
void bench_html_op(const bench_dataset *dataset, bench_op op,
                   const bench_lane *lanes, const bench_figure *figures,
                   size_t n);
/* Writes the page. False, after a message on stderr, when it cannot. */
bool bench_html_finish(uint64_t seed, bool quick);

/* Text between tags or double quotes, of HTML or SVG. What is not ASCII becomes
 * a question mark: a file's name may be of any bytes. */
void bench_html_text(FILE *file, const char *text);

#endif
