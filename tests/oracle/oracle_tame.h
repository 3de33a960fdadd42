// oracle_tame.h - what JSON can carry, and what it cannot tell apart.
#ifndef ORACLE_TAME_H
#define ORACLE_TAME_H

#include <vector>

#include <google/protobuf/dynamic_message.h>
#include <pbturbo/schema.h>

#include "support_rng.h"

namespace oracle {

// The types of a set, in both libraries.
struct Types {
    const google::protobuf::DescriptorPool *pool;
    google::protobuf::MessageFactory *factory;
    const pbt_schema *schema;
    // Those that the payload of an Any may be of.
    std::vector<const google::protobuf::Descriptor *> for_any;
};

// Makes a message of random bytes, without what C++ 3.21 cannot read as JSON:
// groups and extensions are taken out, required fields are set, and well-known
// types get valid values. The bytes are the random ones if they had none of it.
// The types of Any are nested up to a depth.
void random_message(google::protobuf::Message *message, std::string *bytes,
                    rng *r, const Types &types, int depth);

// Makes equal what text, written with these flags, does not tell apart. Unknown
// fields go, -0.0 is 0, and one NaN is as another; unset fields that the flags
// gave a value have it; missing required fields are set as by complete(), and
// the payload of an Any becomes canonical.
void flatten(google::protobuf::Message *message, const Types &types,
             uint32_t flags);

// Have two fields one JSON name, in a type or in any below it?
bool has_clash(const google::protobuf::Descriptor *type);

} // namespace oracle

#endif
