/* tool_nearest.h - what somebody may have meant. */
#ifndef PBTURBO_TOOL_NEAREST_H
#define PBTURBO_TOOL_NEAREST_H

#include <stddef.h>

typedef struct tool_nearest {
    const char *wanted;
    const char *best; /* NULL while nothing is near enough */
    size_t distance;
} tool_nearest;

/* Begins the search for the name nearest to a wanted one. */
tool_nearest tool_nearest_start(const char *wanted);

/* Looks at one name, which must stay as long as the answer is needed. */
void tool_nearest_look(tool_nearest *nearest, const char *name);

#endif
