/* pbturbo/upb.h - messages of upb for the reflection road.
 *
 * What is declared here is in no library that pbturbo installs: it is the
 * target pbturbo_upb of pbturbo's build, which exists where upb's source does
 * (scripts/datasets fetches it), and links to upb.
 */
#ifndef PBTURBO_UPB_H
#define PBTURBO_UPB_H

#include <pbturbo/reflect.h>

#ifdef __cplusplus
extern "C" {
#endif

struct upb_MessageDef;

/** What the calls of reflect.h take for the message with pbt_reflection_upb;
 *  it need not outlive the call. */
typedef struct pbt_upb_message {
    const void *message; /* a upb_Message */
    const struct upb_MessageDef *type;
} pbt_upb_message;

/** Reads upb messages: msg is a `const pbt_upb_message *`.
 *
 *  The bytes are those of upb_Encode, with two exceptions: extensions stand in
 *  the order of their numbers, and PBT_DETERMINISTIC sorts maps by ascending
 *  keys, where upb's option of that name sorts them by descending ones.
 *  Presence is as upb has it, whatever the options say: -0.0 is a value, map
 *  entries are complete, and a required field that is missing is left out with
 *  PBT_ALLOW_PARTIAL. In JSON the types of Any are looked for in the pool of
 *  the message's own type.
 *  Errors:  PBT_ERR_BAD_MESSAGE also for an extension that is not in the pool
 *           of the message's type; PBT_ERR_BAD_DESCRIPTOR for a message set.
 *  Cost:    sorting takes at least quadratic time in the entries of a map.
 */
extern const pbt_reflection pbt_reflection_upb;

#ifdef __cplusplus
}
#endif

#endif
