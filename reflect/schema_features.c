/* schema_features.c - syntax and editions, as one set of features.
 *
 * Source: protobuf.dev, "Feature Settings for Editions", and the defaults in
 * FeatureSet of descriptor.proto. */
#include <inttypes.h>
#include <stdio.h>

#include "schema_build.h"

/* Numbers as in Edition of descriptor.proto. The features read here have the
 * same defaults in both. */
enum { EDITION_2023 = 1000, EDITION_2024 = 1001 };

static const pbti_features proto2_features = {PRESENCE_EXPLICIT, ENUM_CLOSED,
                                              ENCODING_EXPANDED, UTF8_NONE,
                                              MESSAGE_LENGTH_PREFIXED};
static const pbti_features proto3_features = {PRESENCE_IMPLICIT, ENUM_OPEN,
                                              ENCODING_PACKED, UTF8_VERIFY,
                                              MESSAGE_LENGTH_PREFIXED};
static const pbti_features edition_features = {PRESENCE_EXPLICIT, ENUM_OPEN,
                                               ENCODING_PACKED, UTF8_VERIFY,
                                               MESSAGE_LENGTH_PREFIXED};

/* Applies one feature, if it is set; false if it has no value we know. */
static bool apply(protobuf_c_boolean has, int32_t value, int32_t first,
                  int32_t last, int32_t *feature) {
    if (!has)
        return true;
    *feature = value;
    return value >= first && value <= last;
}

pbt_status pbti_features_apply(const pbti_builder *b, const pbti_file *file,
                               const pbti_features *inherited,
                               const Pbti__FeatureSet *set,
                               pbti_features *result) {
    *result = *inherited;
    if (!set || !file->is_edition)
        return PBT_OK;
    if (apply(set->has_field_presence, set->field_presence, PRESENCE_EXPLICIT,
              PRESENCE_REQUIRED, &result->presence) &&
        apply(set->has_enum_type, set->enum_type, ENUM_OPEN, ENUM_CLOSED,
              &result->enum_type) &&
        apply(set->has_repeated_field_encoding, set->repeated_field_encoding,
              ENCODING_PACKED, ENCODING_EXPANDED, &result->repeated_encoding) &&
        apply(set->has_utf8_validation, set->utf8_validation, UTF8_VERIFY,
              UTF8_NONE, &result->utf8) &&
        apply(set->has_message_encoding, set->message_encoding,
              MESSAGE_LENGTH_PREFIXED, MESSAGE_DELIMITED,
              &result->message_encoding))
        return PBT_OK;
    return pbti_bad_file(b, file, "a feature has an unknown value");
}

pbt_status pbti_features_of_file(const pbti_builder *b, pbti_file *file) {
    const Pbti__FileDescriptorProto *proto = file->proto;
    const char *syntax = proto->syntax ? proto->syntax : "proto2";
    if (strcmp(syntax, "proto2") == 0 || !*syntax) {
        file->features = proto2_features;
        return PBT_OK;
    }
    if (strcmp(syntax, "proto3") == 0) {
        file->features = proto3_features;
        file->is_proto3 = true;
        return PBT_OK;
    }
    if (strcmp(syntax, "editions") != 0)
        return pbti_bad_element(b, PBT_ERR_UNSUPPORTED, file, "syntax", NULL,
                                syntax, "not known");
    if (proto->edition != EDITION_2023 && proto->edition != EDITION_2024) {
        char number[16];
        snprintf(number, sizeof number, "%" PRId32, proto->edition);
        return pbti_bad_element(b, PBT_ERR_UNSUPPORTED, file, "edition", NULL,
                                number, "not known");
    }
    file->is_edition = true;
    return pbti_features_apply(b, file, &edition_features,
                               proto->options ? proto->options->features : NULL,
                               &file->features);
}
