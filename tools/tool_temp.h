/* tool_temp.h - temporary files, which no way out of the program leaves
 * behind: not an error, nor a signal that can be caught. */
#ifndef PBTURBO_TOOL_TEMP_H
#define PBTURBO_TOOL_TEMP_H

/* Makes a file from a template that ends in XXXXXX, which gets its name. The
 * value is its descriptor, or -1 with errno. The template belongs to the
 * caller and must stay until the file is removed or kept. */
int tool_temp_make(char *template);

/* Removes the file. */
void tool_temp_remove(const char *path);

/* Forgets the file, which has got another name. */
void tool_temp_keep(const char *path);

void tool_temp_remove_all(void);

#endif
