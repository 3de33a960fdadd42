/* base_status.c - names and sentences of the statuses, and the version. */
#include <pbturbo/status.h>
#include <pbturbo/version.h>

const char *pbt_status_name(pbt_status status) {
    switch (status) {
#define NAME_CASE(name, number, sentence)                                      \
    case name:                                                                 \
        return #name;
        PBT_STATUS_LIST(NAME_CASE)
#undef NAME_CASE
    }
    return "PBT_ERR_?";
}

const char *pbt_status_message(pbt_status status) {
    switch (status) {
#define SENTENCE_CASE(name, number, sentence)                                  \
    case name:                                                                 \
        return sentence;
        PBT_STATUS_LIST(SENTENCE_CASE)
#undef SENTENCE_CASE
    }
    return "unknown status";
}

const char *pbt_version(void) {
    return PBT_VERSION_STRING;
}
