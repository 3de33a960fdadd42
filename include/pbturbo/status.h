/* pbturbo/status.h - what a call can answer, and the error report.
 *
 * PBT_STATUS_LIST is the one list of statuses: the enumerators, their names,
 * their numbers, their messages and the table in docs/api.md all come from it.
 */
#ifndef PBTURBO_STATUS_H
#define PBTURBO_STATUS_H

#include <stdint.h>

#if defined(_WIN32)
#define PBT_API
#elif defined(__GNUC__)
#define PBT_API __attribute__((visibility("default")))
#else
#define PBT_API
#endif

#if defined(__GNUC__)
#define PBT_MUST_USE __attribute__((warn_unused_result))
#else
#define PBT_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* X(enumerator, number, sentence). A number never changes its meaning: programs
 * have it compiled in. */
#define PBT_STATUS_LIST(X)                                                     \
    X(PBT_OK, 0, "success")                                                    \
    /* the caller can retry */                                                 \
    X(PBT_ERR_NO_SPACE, 1, "the output does not fit in the space given")       \
    X(PBT_ERR_NO_MEMORY, 2, "memory allocation failed")                        \
    X(PBT_ERR_SINK, 3, "the sink refused the output")                          \
    /* the message */                                                          \
    X(PBT_ERR_REQUIRED, 4, "a required field is missing")                      \
    X(PBT_ERR_UTF8, 5, "a string field is not valid UTF-8")                    \
    X(PBT_ERR_DEPTH, 6, "messages are nested deeper than max_depth")           \
    X(PBT_ERR_TOO_LARGE, 7, "the message is larger than max_size")             \
    X(PBT_ERR_BAD_MESSAGE, 8,                                                  \
      "the message holds a pointer that cannot be used")                       \
    X(PBT_ERR_VALUE, 9, "a value cannot be represented in the output")         \
    /* the bytes given to unmarshal */                                         \
    X(PBT_ERR_MALFORMED, 10, "the input is not a valid message")               \
    /* the type or schema */                                                   \
    X(PBT_ERR_BAD_DESCRIPTOR, 11, "the message descriptor contradicts itself") \
    X(PBT_ERR_UNSUPPORTED, 12,                                                 \
      "the type uses a feature that is not supported")                         \
    X(PBT_ERR_NOT_FOUND, 13, "no type of that name is known")                  \
    /* the call */                                                             \
    X(PBT_ERR_ARGUMENT, 14, "an argument of the call is not valid")            \
    X(PBT_ERR_INTERNAL, 15, "a defect of the library; please report it")

/** Every call that can fail returns one of these. */
typedef enum pbt_status {
#define PBT_STATUS_ENUMERATOR(name, number, sentence) name = number,
    PBT_STATUS_LIST(PBT_STATUS_ENUMERATOR)
#undef PBT_STATUS_ENUMERATOR
} pbt_status;

/** Says where and why a call failed.
 *
 *  Point `pbt_options.error` at one; it is written only by a call that fails,
 *  and then completely. All zero is a valid start value.
 */
typedef struct pbt_error {
    pbt_status status;
    uint32_t field_number; /* of the last field in path; 0 if there is none */
    /* From the outermost message inwards, "orders[3].customer.name" or
     * "attributes["k"].value"; a path that is too long has "..." in its
     * middle. Empty when no field is to blame. NUL-terminated. */
    char path[256];
    char message[256]; /* a sentence with the facts; NUL-terminated */
} pbt_error;

/** Names a status: "PBT_ERR_REQUIRED".
 *  @param status [in] any value; one that is no status gives "PBT_ERR_?"
 *  @return a constant string, never NULL
 *  Threads: any. Cost: constant.
 */
PBT_API const char *pbt_status_name(pbt_status status);

/** Describes a status in a sentence without a full stop.
 *  @param status [in] any value; one that is no status gives "unknown status"
 *  @return a constant string, never NULL
 *  Threads: any. Cost: constant.
 */
PBT_API const char *pbt_status_message(pbt_status status);

#ifdef __cplusplus
}
#endif

#endif
