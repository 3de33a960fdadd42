/* header_macros.h - the macros of the public headers, in use: what is in a
 * macro is not compiled before somebody expands it. policy_headers.sh
 * compiles this.
 */
#include <pbturbo/pbturbo.h>

extern const pbt_json_options header_macros_json[];
const pbt_json_options header_macros_json[] = {PBT_JSON_CANONICAL,
                                               PBT_JSON_STABLE, PBT_JSON_FAST};

#define HEADER_MACROS_NAME(name, number, sentence) sentence,
extern const char *const header_macros_sentences[];
const char *const header_macros_sentences[] = {
    PBT_STATUS_LIST(HEADER_MACROS_NAME)};

#if PBT_VERSION_NUMBER < 1000 * PBT_VERSION_MINOR
#error "PBT_VERSION_NUMBER does not count"
#endif

extern const uint32_t header_macros_flags[];
const uint32_t header_macros_flags[] = {
    PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC | PBT_VALIDATE_UTF8 |
        PBT_DISCARD_UNKNOWN | PBT_CONFORMANT | PBT_DELIMITED | PBT_REJECT_NUL |
        PBT_BORROW_BYTES,
    PBT_JSON_EMIT_DEFAULTS | PBT_JSON_EMIT_NULL_MESSAGES |
        PBT_JSON_PROTO_NAMES | PBT_JSON_ENUM_NUMBERS | PBT_JSON_SORT_MAP_KEYS |
        PBT_JSON_INT64_AS_NUMBER | PBT_JSON_INT64_UNQUOTED_IF_SAFE |
        PBT_JSON_ESCAPE_HTML | PBT_JSON_ASCII_ONLY | PBT_JSON_NEWLINE |
        PBT_JSON_ALLOW_PARTIAL | PBT_JSON_ANY_RAW | PBT_JSON_CONFORMANT |
        PBT_JSON_UNIQUE_MAP_KEYS,
    PBT_REFLECT_MAX_DEPTH};

extern const size_t header_macros_elements;
const size_t header_macros_elements = PBT_REFLECT_MAX_ELEMENTS;
