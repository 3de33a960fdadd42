/* snippet_names.h - the names that blocks of C in the documents may use without
 * declaring them; see policy_snippets.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

#include "hello.pb-c.h"

void use(const Greeting *greeting);

/* The block is the body of a function within this one's, so that it may declare
 * the same names itself. */
#define SNIPPET                                                                \
    void snippet(Greeting *greeting, Greeting *greetings, size_t n_greetings,  \
                 const void *data, size_t len, pbt_options options,            \
                 pbt_error error);                                             \
    void snippet(Greeting *greeting, Greeting *greetings, size_t n_greetings,  \
                 const void *data, size_t len, pbt_options options,            \
                 pbt_error error)
