/* dropin_names.h - other names for the calls of the drop-in library, so that a
 * test program can hold them and the original's. Included before all else when
 * the library's sources are compiled for the tests. */
#ifndef DROPIN_NAMES_H
#define DROPIN_NAMES_H

#define protobuf_c_message_check dropin_check
#define protobuf_c_message_get_packed_size dropin_size
#define protobuf_c_message_pack dropin_pack
#define protobuf_c_message_pack_to_buffer dropin_pack_to_buffer

#endif
