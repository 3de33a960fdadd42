# The sources of the library, and how they are compiled: most files once, the
# hot files once for each CPU level.
include(CheckCCompilerFlag)

set(PBTURBO_SOURCES
    src/base/base_arena.c
    src/base/base_buffer.c
    src/base/base_error.c
    src/base/base_options.c
    src/base/base_status.c
    src/base/base_utf8.c
    table/table_build.c
    table/table_check.c
    table/table_dump.c
    table/table_graph.c
    table/table_image.c
    table/table_items.c
    table/table_keys.c
    table/table_known.c
    table/table_map.c
    table/table_names.c
    table/table_names_row.c
    table/table_names_text.c
    table/table_parse.c
    table/table_registry.c
    table/table_row.c
    table/table_tally.c
    table/table_wide.c
    src/json/json_any.c
    src/json/json_call.c
    src/json/json_known.c
    src/json/json_levels.c
    src/json/json_map.c
    src/json/json_path.c
    src/json/json_tables.c
    src/wire/wire_call.c
    src/wire/wire_decode.c
    src/wire/wire_levels.c
    src/wire/wire_map.c
    src/wire/wire_missing.c
    src/wire/wire_path.c
    src/wire/wire_unknown.c
    src/wire/wire_writer.c
    reflect/reflect_check.c
    reflect/reflect_json.c
    reflect/reflect_json_known.c
    reflect/reflect_json_names.c
    reflect/reflect_json_text.c
    reflect/reflect_json_value.c
    reflect/reflect_json_write.c
    reflect/reflect_map.c
    reflect/reflect_marshal.c
    reflect/reflect_protobuf_c.c
    reflect/reflect_walk.c
    reflect/reflect_write.c
    reflect/schema_build.c
    reflect/schema_declare.c
    reflect/schema_default.c
    reflect/schema_enum.c
    reflect/schema_error.c
    reflect/schema_facts.c
    reflect/schema_features.c
    reflect/schema_init.c
    reflect/schema_layout.c
    reflect/schema_resolve.c
    reflect/schema_store.c
    reflect/schema_text.c
    src/facade/facade_check.c
    src/facade/facade_job.c
    src/facade/facade_json.c
    src/facade/facade_marshal.c
    src/facade/facade_schema.c
    src/facade/facade_stream.c
    src/facade/facade_table.c
    src/facade/facade_unmarshal.c)

set(PBTURBO_HOT_SOURCES
    src/json/json_base64.c
    src/json/json_float.c
    src/json/json_marshal.c
    src/json/json_string.c
    src/wire/wire_marshal.c
    src/wire/wire_required.c
    src/wire/wire_size.c
    src/wire/wire_unmarshal.c)

list(TRANSFORM PBTURBO_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
list(TRANSFORM PBTURBO_HOT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)

set(PBTURBO_X86_LEVELS OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$"
   AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(PBTURBO_V4_FLAGS -march=x86-64-v4 -mavx512vbmi -mavx512vbmi2)
    check_c_compiler_flag("${PBTURBO_V4_FLAGS}" PBTURBO_HAVE_MARCH_V4)
    set(PBTURBO_X86_LEVELS ${PBTURBO_HAVE_MARCH_V4})
endif()

set(PBTURBO_NEON_LEVEL OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$"
   AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(PBTURBO_NEON_LEVEL ON)
endif()

# The schema loader reads its input with protoc-c's code for the messages of
# schema_descriptor.proto. Both variants of the library share the object.
set(descriptor_dir ${PROJECT_BINARY_DIR}/descriptor)
set(descriptor_proto ${PROJECT_SOURCE_DIR}/reflect/schema_descriptor.proto)
file(MAKE_DIRECTORY ${descriptor_dir})
add_custom_command(
    OUTPUT ${descriptor_dir}/schema_descriptor.pb-c.c
           ${descriptor_dir}/schema_descriptor.pb-c.h
    COMMAND
        ${ProtobufC_PROTOC_C} --proto_path=${PROJECT_SOURCE_DIR}/reflect
        --c_out=${descriptor_dir} ${descriptor_proto}
    DEPENDS ${descriptor_proto}
    VERBATIM)
add_library(
    pbturbo_descriptor OBJECT
    ${descriptor_dir}/schema_descriptor.pb-c.c
    ${descriptor_dir}/schema_descriptor.pb-c.h)
target_link_libraries(pbturbo_descriptor PRIVATE ProtobufC::ProtobufC)
target_compile_options(
    pbturbo_descriptor PRIVATE $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-w>)
set_target_properties(
    pbturbo_descriptor PROPERTIES C_VISIBILITY_PRESET hidden
                                  POSITION_INDEPENDENT_CODE ON)

# Makes NAME_usage (include paths and definitions of a variant of the library)
# and the object libraries NAME, NAME_portable, ...
function(pbti_add_objects name)
    set(usage ${name}_usage)
    add_library(${usage} INTERFACE)
    target_compile_definitions(
        ${usage}
        INTERFACE ${ARGN}
                  $<$<BOOL:${PBTURBO_X86_LEVELS}>:PBTI_HAVE_X86_LEVELS=1>
                  $<$<BOOL:${PBTURBO_NEON_LEVEL}>:PBTI_HAVE_NEON_LEVEL=1>
                  $<$<BOOL:${PBTURBO_SHRINK}>:PBTI_SHRINK=1>)
    foreach(folder IN ITEMS include src/base table src/wire src/json reflect
                            src/facade)
        target_include_directories(
            ${usage} INTERFACE ${PROJECT_SOURCE_DIR}/${folder})
    endforeach()
    target_include_directories(${usage} SYSTEM INTERFACE ${descriptor_dir})
    target_link_libraries(
        ${usage} INTERFACE ProtobufC::ProtobufC Threads::Threads)

    pbti_add_object_library(${name} ${usage} ${PBTURBO_SOURCES})
    add_dependencies(${name} pbturbo_descriptor)
    pbti_add_levels(${name} ${usage} ${PBTURBO_HOT_SOURCES})
endfunction()

# Compiles hot files once for each CPU level: the targets NAME_LEVEL, which
# NAME's property PBTI_LEVEL_TARGETS lists.
function(pbti_add_levels name usage)
    pbti_add_level(${name} ${usage} portable "${ARGN}")
    target_compile_definitions(${name}_portable PRIVATE PBTI_PORTABLE=1)
    if(PBTURBO_X86_LEVELS)
        pbti_add_level(${name} ${usage} x86_64 "${ARGN}")
        pbti_add_level(${name} ${usage} x86_64_v3 "${ARGN}"
                       -march=x86-64-v3 -mtune=generic)
        pbti_add_level(${name} ${usage} x86_64_v4 "${ARGN}"
                       ${PBTURBO_V4_FLAGS} -mtune=generic)
        target_compile_definitions(${name}_x86_64_v4 PRIVATE PBTI_PDEP=1)
        # The loops of JSON have nothing from it, and run as x86_64_v3.
        list(FILTER ARGN INCLUDE REGEX "/src/(wire|shim)/")
        if(ARGN)
            pbti_add_level(${name} ${usage} x86_64_v3_pdep "${ARGN}"
                           -march=x86-64-v3 -mtune=generic)
            target_compile_definitions(
                ${name}_x86_64_v3_pdep PRIVATE PBTI_PDEP=1)
        endif()
    endif()
    if(PBTURBO_NEON_LEVEL)
        pbti_add_level(${name} ${usage} neon "${ARGN}")
    endif()
endfunction()

# The fields of a message are told apart by conditional branches: one indirect
# jump for all of them is hardly ever foreseen (docs/bench.md).
set_property(
    SOURCE src/wire/wire_marshal.c src/wire/wire_unmarshal.c
    APPEND
    PROPERTY COMPILE_OPTIONS
             $<$<C_COMPILER_ID:GNU,Clang>:-fno-jump-tables>)

# One of them, with further flags. Hot files gain from -O3 and from code that
# starts where lines of the cache do (docs/bench.md), and are small.
function(pbti_add_level name usage level sources)
    set(target ${name}_${level})
    pbti_add_object_library(${target} ${usage} ${sources})
    target_compile_definitions(${target} PRIVATE PBTI_LEVEL=${level})
    target_compile_options(
        ${target}
        PRIVATE
            $<$<AND:$<C_COMPILER_ID:GNU,Clang>,$<NOT:$<CONFIG:Debug>>>:-O3>
            $<$<AND:$<C_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-falign-functions=64;-falign-jumps=64>
            ${ARGN})
    set_property(TARGET ${name} APPEND PROPERTY PBTI_LEVEL_TARGETS ${target})
endfunction()

function(pbti_add_object_library target usage)
    add_library(${target} OBJECT ${ARGN})
    target_link_libraries(${target} PRIVATE ${usage} pbturbo_warnings)
    set_target_properties(
        ${target}
        PROPERTIES C_STANDARD 11
                   C_STANDARD_REQUIRED ON
                   C_EXTENSIONS OFF
                   C_VISIBILITY_PRESET hidden
                   POSITION_INDEPENDENT_CODE ON)
endfunction()

# Puts the objects of a variant into a library.
function(pbti_use_objects library name)
    get_target_property(levels ${name} PBTI_LEVEL_TARGETS)
    foreach(objects IN ITEMS ${name} ${levels} pbturbo_descriptor)
        target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endforeach()
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
endfunction()
