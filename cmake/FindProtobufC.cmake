# Finds the protobuf-c library and compiler.
#
#   ProtobufC::ProtobufC      the library with its headers
#   ProtobufC_PROTOC_C        the program protoc-c, where it is installed
#
# pkg-config is asked first; without it the usual places are searched. This
# module is installed with the CMake package of pbturbo, which needs it too.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_ProtobufC QUIET libprotobuf-c)
endif()

find_path(
    ProtobufC_INCLUDE_DIR
    NAMES protobuf-c/protobuf-c.h
    HINTS ${PC_ProtobufC_INCLUDE_DIRS})
find_library(
    ProtobufC_LIBRARY
    NAMES protobuf-c
    HINTS ${PC_ProtobufC_LIBRARY_DIRS})
find_program(
    ProtobufC_PROTOC_C
    NAMES protoc-c
    DOC "The protobuf-c compiler")

if(ProtobufC_INCLUDE_DIR)
    file(
        STRINGS "${ProtobufC_INCLUDE_DIR}/protobuf-c/protobuf-c.h"
        ProtobufC_VERSION_LINE
        REGEX "define[ \t]+PROTOBUF_C_VERSION[ \t]+\"")
    string(REGEX MATCH "[0-9][0-9.]*" ProtobufC_VERSION
                 "${ProtobufC_VERSION_LINE}")
    unset(ProtobufC_VERSION_LINE)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
    ProtobufC
    REQUIRED_VARS ProtobufC_LIBRARY ProtobufC_INCLUDE_DIR
    VERSION_VAR ProtobufC_VERSION)
mark_as_advanced(ProtobufC_INCLUDE_DIR ProtobufC_LIBRARY ProtobufC_PROTOC_C)

if(ProtobufC_FOUND AND NOT TARGET ProtobufC::ProtobufC)
    add_library(ProtobufC::ProtobufC UNKNOWN IMPORTED)
    set_target_properties(
        ProtobufC::ProtobufC
        PROPERTIES IMPORTED_LOCATION "${ProtobufC_LIBRARY}"
                   INTERFACE_INCLUDE_DIRECTORIES "${ProtobufC_INCLUDE_DIR}")
endif()
