# The drop-in library in two forms, in lib/pbturbo:
#
#   libprotobuf-c.so.1      in place of protobuf-c's library, all of it
#   libpbturbo-preload.so   for LD_PRELOAD, the marshal side only
#
# Both take what they need from the static library's objects, and nothing from
# protobuf-c but its header.

# In both forms.
set(PBTURBO_SHIM_MARSHAL_SOURCES
    src/shim/shim_check.c
    src/shim/shim_marshal.c
    src/shim/shim_modules.c
    src/shim/shim_next.c
    src/shim/shim_plain.c
    src/shim/shim_state.c)

# In the replacement only.
set(PBTURBO_SHIM_SOURCES
    src/shim/shim_buffer.c
    src/shim/shim_lookup.c
    src/shim/shim_message.c
    src/shim/shim_service.c
    src/shim/shim_unpack.c
    src/shim/shim_unpack_merge.c
    src/shim/shim_unpack_parts.c
    src/shim/shim_unpack_plain.c)

# The same, once for each CPU level.
set(PBTURBO_SHIM_HOT_SOURCES
    src/shim/shim_unpack_loop.c)

list(TRANSFORM PBTURBO_SHIM_MARSHAL_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
list(TRANSFORM PBTURBO_SHIM_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
list(TRANSFORM PBTURBO_SHIM_HOT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)

add_library(pbturbo_shim_usage INTERFACE)
target_include_directories(
    pbturbo_shim_usage INTERFACE ${PROJECT_SOURCE_DIR}/src/shim)
target_link_libraries(pbturbo_shim_usage INTERFACE pbturbo_objects_usage)

include(CheckSymbolExists)
set(CMAKE_REQUIRED_DEFINITIONS -D_GNU_SOURCE)
check_symbol_exists(_dl_find_object dlfcn.h PBTURBO_HAVE_FIND_OBJECT)
check_symbol_exists(__libc_single_threaded sys/single_threaded.h
                    PBTURBO_HAVE_SINGLE_THREADED)
unset(CMAKE_REQUIRED_DEFINITIONS)
set(PBTURBO_SHIM_DEFINITIONS
    $<$<BOOL:${PBTURBO_HAVE_FIND_OBJECT}>:PBTI_HAVE_FIND_OBJECT=1>
    $<$<BOOL:${PBTURBO_HAVE_SINGLE_THREADED}>:PBTI_HAVE_SINGLE_THREADED=1>)

# pbti_add_shim(TARGET VERSION-SCRIPT SOURCE...)
function(pbti_add_shim target version_script)
    pbti_add_object_library(${target}_objects pbturbo_shim_usage ${ARGN})
    target_compile_definitions(
        ${target}_objects PRIVATE ${PBTURBO_SHIM_DEFINITIONS})
    add_library(${target} SHARED $<TARGET_OBJECTS:${target}_objects>)
    # The file, not the target, which would bring libprotobuf-c with it.
    target_link_libraries(
        ${target} PRIVATE $<TARGET_FILE:pbturbo_static> Threads::Threads
                          ${CMAKE_DL_LIBS})
    add_dependencies(${target} pbturbo_static)
    # What the library calls of itself is its own, whoever else defines it. It
    # stays when the last program that uses it goes: the tables do not have to
    # be built again, and at the end of a process nothing has to be freed while
    # other threads go on.
    target_link_options(
        ${target} PRIVATE LINKER:--version-script=${version_script}
        LINKER:-Bsymbolic-functions LINKER:-z,nodelete)
    set_target_properties(
        ${target}
        PROPERTIES LINKER_LANGUAGE C
                   LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/pbturbo
                   LINK_DEPENDS
                   "${version_script};$<TARGET_FILE:pbturbo_static>")
endfunction()

pbti_add_shim(
    pbturbo_dropin ${PROJECT_SOURCE_DIR}/cmake/protobuf-c.map
    ${PBTURBO_SHIM_MARSHAL_SOURCES} ${PBTURBO_SHIM_SOURCES})
pbti_add_levels(
    pbturbo_dropin_objects pbturbo_shim_usage ${PBTURBO_SHIM_HOT_SOURCES})
get_target_property(levels pbturbo_dropin_objects PBTI_LEVEL_TARGETS)
foreach(level IN LISTS levels)
    target_sources(pbturbo_dropin PRIVATE $<TARGET_OBJECTS:${level}>)
endforeach()
# The one address that the library gives to programs. Where a program has its
# own for it, as one that is not position-independent, that is the one.
target_link_options(
    pbturbo_dropin
    PRIVATE LINKER:--dynamic-list=${PROJECT_SOURCE_DIR}/cmake/dropin-outer.list)
set_target_properties(
    pbturbo_dropin PROPERTIES OUTPUT_NAME protobuf-c VERSION 1.0.0 SOVERSION 1)

pbti_add_shim(
    pbturbo_preload ${PROJECT_SOURCE_DIR}/cmake/preload.map
    ${PBTURBO_SHIM_MARSHAL_SOURCES})
target_compile_definitions(pbturbo_preload_objects PRIVATE PBTI_PRELOAD=1)
set_target_properties(pbturbo_preload PROPERTIES OUTPUT_NAME pbturbo-preload)

# Beside lib/pbturbo in the build tree as it is where it is installed.
configure_file(${PROJECT_SOURCE_DIR}/scripts/pbturbo-run
               ${PROJECT_BINARY_DIR}/bin/pbturbo-run COPYONLY)

if(PBTURBO_INSTALL)
    install(
        TARGETS pbturbo_dropin pbturbo_preload
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pbturbo
                COMPONENT dropin
                NAMELINK_SKIP)
    install(
        PROGRAMS scripts/pbturbo-run
        DESTINATION ${CMAKE_INSTALL_BINDIR}
        COMPONENT dropin)
endif()
