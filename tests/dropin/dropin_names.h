/* dropin_names.h - other names for the calls of the drop-in library, so that a
 * test program can hold them and the original's. Included before all else when
 * the library's sources are compiled for the tests. */
#ifndef DROPIN_NAMES_H
#define DROPIN_NAMES_H

#define protobuf_c_message_check dropin_check
#define protobuf_c_message_get_packed_size dropin_size
#define protobuf_c_message_pack dropin_pack
#define protobuf_c_message_pack_to_buffer dropin_pack_to_buffer
#define protobuf_c_message_unpack dropin_unpack
#define protobuf_c_message_free_unpacked dropin_free_unpacked
#define protobuf_c_message_init dropin_init
#define protobuf_c_buffer_simple_append dropin_buffer_append
#define protobuf_c_enum_descriptor_get_value dropin_value
#define protobuf_c_enum_descriptor_get_value_by_name dropin_value_by_name
#define protobuf_c_message_descriptor_get_field dropin_field
#define protobuf_c_message_descriptor_get_field_by_name dropin_field_by_name
#define protobuf_c_service_descriptor_get_method_by_name dropin_method_by_name
#define protobuf_c_service_generated_init dropin_service_init
#define protobuf_c_service_destroy dropin_service_destroy
#define protobuf_c_service_invoke_internal dropin_service_invoke
#define protobuf_c_version dropin_version
#define protobuf_c_version_number dropin_version_number
#define protobuf_c_empty_string dropin_empty_string

#endif
