/* reflect_json.h - what the files of the reflection road's JSON writer share.
 *
 * Text is only ever appended. The printer keeps the first failure: what comes
 * after it prints nothing, so that a caller may look at the status once, after
 * several pieces.
 */
#ifndef PBTI_REFLECT_JSON_H
#define PBTI_REFLECT_JSON_H

#include "reflect_walk.h"

/* Types whose keys are known to be good. */
enum { PBTI_KNOWN_TYPES = 64 };

typedef struct pbti_printer {
    pbti_walk walk; /* the place, for errors; nothing is written there */
    const pbt_json_options *options;
    pbt_buffer *buffer;
    size_t kept; /* bytes in front of the text */
    uint64_t max_size;
    pbt_status status;
    size_t level;     /* of indentation */
    uint32_t lacking; /* not 0 where required fields may be missing */
    const void *good_types[PBTI_KNOWN_TYPES];
} pbti_printer;

/** Prints behind the first `kept` bytes of a buffer whose text, if it has any,
 *  starts where its block does. What was there before is all there is on error,
 *  though it may have moved. */
pbt_status pbti_reflect_json(const pbt_reflection *reflection, const void *msg,
                             const pbt_json_options *options,
                             pbt_buffer *buffer, size_t kept);

/** Reports an error at the place of the walk, unless there was one before. */
pbt_status pbti_print_fail(pbti_printer *to, pbt_status status,
                           const char *sentence);

/* reflect_json_text.c */

void pbti_print(pbti_printer *to, const char *text, size_t n);
void pbti_print_char(pbti_printer *to, char c);

/** Prints a constant. */
void pbti_print_word(pbti_printer *to, const char *word);

/** Prints brackets, and new lines where the text is indented. */
void pbti_print_open(pbti_printer *to, char bracket);
void pbti_print_close(pbti_printer *to, char bracket, bool is_empty);

/** Starts a member or an element: the comma, unless it is the first. */
void pbti_print_next(pbti_printer *to, bool is_first);

/** Prints the colon behind a key. */
void pbti_print_colon(pbti_printer *to);

void pbti_print_integer(pbti_printer *to, uint64_t magnitude, bool is_negative);
void pbti_print_signed(pbti_printer *to, int64_t value);

/** Prints the shortest text that is read back as the same number. */
void pbti_print_double(pbti_printer *to, double value);
void pbti_print_float(pbti_printer *to, float value);

/** Prints text as part of a string. */
void pbti_print_escaped(pbti_printer *to, const void *text, size_t n,
                        uint8_t utf8);

/** Prints a string, in quotes. */
void pbti_print_string(pbti_printer *to, const void *text, size_t n);
void pbti_print_base64(pbti_printer *to, const void *bytes, size_t n);

/* reflect_json_names.c */

/** Asks for the details of a field. */
pbt_reflect_detail pbti_print_detail(const pbti_printer *to,
                                     const pbti_link *link,
                                     const pbt_reflect_field *field);

/** Refuses a type in which a field has no key, or two fields have the same. */
pbt_status pbti_print_check_keys(pbti_printer *to, pbti_link *link);

/** Prints a field's key with its colon. */
void pbti_print_key(pbti_printer *to, const pbti_link *link,
                    const pbt_reflect_field *field);

/* reflect_json_known.c */

typedef enum pbti_print_kind {
    PBTI_PRINT_ORDINARY,
    PBTI_PRINT_ANY,
    PBTI_PRINT_DURATION,
    PBTI_PRINT_FIELD_MASK,
    PBTI_PRINT_LIST_VALUE,
    PBTI_PRINT_STRUCT,
    PBTI_PRINT_TIMESTAMP,
    PBTI_PRINT_VALUE,
    PBTI_PRINT_WRAPPER
} pbti_print_kind;

/** Tells a well-known type by its name and its fields. */
pbti_print_kind pbti_print_kind_of(pbti_printer *to, pbti_link *link);

pbt_status pbti_print_timestamp(pbti_printer *to, pbti_link *link);
pbt_status pbti_print_duration(pbti_printer *to, pbti_link *link);
pbt_status pbti_print_field_mask(pbti_printer *to, pbti_link *link);

typedef enum pbti_print_any {
    PBTI_PRINT_ANY_EMPTY,
    PBTI_PRINT_ANY_RAW, /* an ordinary message */
    PBTI_PRINT_ANY_MADE
} pbti_print_any;

/** Makes the content of an Any.
 *  @param how  [out]
 *  @param made [out] with ANY_MADE: to be dropped
 */
pbt_status pbti_print_open_any(pbti_printer *to, pbti_link *link,
                               pbti_print_any *how, pbt_reflect_made *made);

/** Prints the member "@type" of an Any. */
void pbti_print_type_url(pbti_printer *to, pbti_link *link);

/** Reads a singular field, the zero of its type if it is unset, and leaves the
 *  walk's place at the message. */
pbt_status pbti_print_read(pbti_printer *to, pbti_link *link, size_t index,
                           pbt_reflect_value *value);

/** Moves the place of the walk from a field back to its message. */
void pbti_print_step_back(pbti_link *link);

/* reflect_json_value.c */

/** Prints a value that is no message. */
pbt_status pbti_print_value(pbti_printer *to, pbti_link *link,
                            pbt_reflect_field *field, size_t index);

/** Prints the default of a field that is no message. */
pbt_status pbti_print_default(pbti_printer *to, const pbti_link *link,
                              const pbt_reflect_field *field);

/** Tells whether names of an enum's values are wanted, and there are none. */
bool pbti_print_lacks_names(const pbti_printer *to,
                            const pbt_reflect_field *field,
                            const pbt_reflect_detail *detail);

/** Refuses an enum whose values have no names, where these are wanted. */
pbt_status pbti_print_check_enum(pbti_printer *to, const pbti_link *link,
                                 const pbt_reflect_field *field);

/** Decides which entries of a map are printed, in which order.
 *  @param order [out] end with pbti_reflect_order_end; `left` of them, those of
 *               `index` if that is not NULL
 */
pbt_status pbti_print_order(pbti_printer *to, pbti_link *link,
                            pbt_reflect_field *field, pbti_order *order);

/** Prints the key of the entry that a link is at, with its colon. */
pbt_status pbti_print_entry_key(pbti_printer *to, pbti_link *entry);

/* reflect_json_write.c */

/** Prints the root message. */
pbt_status pbti_print_root(pbti_printer *to);

#endif
