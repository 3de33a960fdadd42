/* table_dump.h - a table as text. */
#ifndef PBTI_TABLE_DUMP_H
#define PBTI_TABLE_DUMP_H

#include "table.h"

/** Returns the text, to be freed with free, or NULL when there is no memory.
 *  It holds no addresses, so that it is the same in every run. */
char *pbti_table_dump(const pbti_table *table);

#endif
