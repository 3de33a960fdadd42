# Debian packages, one for each install component: scripts/package makes them.
# What CPack does not know of Debian's policy is done by PbturboStage.cmake,
# which runs before the files are packed.
# A component without anything to install has no package.
get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
list(REMOVE_ITEM CPACK_COMPONENTS_ALL Unspecified)

set(CPACK_GENERATOR DEB)
# scripts/package gives the name of who makes them.
set(CPACK_PACKAGE_CONTACT "The pbturbo authors <pbturbo@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
# It would stand before each of the descriptions below.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE pbturbo)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(debian_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

# What the descriptions begin with.
set(about
    "pbturbo marshals protobuf-c messages several times faster than protobuf-c"
    "does, with the same bytes. It also unmarshals into arenas, prints JSON,"
    "names required fields that are missing, and makes types of schemas at run"
    "time.")
list(JOIN about "\n" about)

# pbti_describe_package(COMPONENT PACKAGE SECTION SUMMARY LINE...)
macro(pbti_describe_package component package section summary)
    string(TOUPPER ${component} upper)
    set(lines ${ARGN})
    list(JOIN lines "\n" lines)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${about}\n.\n${lines}")
endmacro()

set(runtime_package libpbturbo${PROJECT_VERSION_MAJOR})
pbti_describe_package(
    runtime ${runtime_package} libs
    "marshals protobuf-c messages fast - shared library"
    "This package contains the shared library that programs run with.")
set(CPACK_PBTURBO_RUNTIME_PACKAGE ${runtime_package})
set(CPACK_PBTURBO_SONAME_VERSION ${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/symbols
    ${PROJECT_BINARY_DIR}/debian/triggers)

pbti_describe_package(
    development libpbturbo-dev libdevel
    "marshals protobuf-c messages fast - development files"
    "This package contains the headers, the static library, the files for"
    "pkg-config and CMake, manual pages, documents and examples.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${runtime_package} (= ${debian_version}), libprotobuf-c-dev (>= 1.3)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS protobuf-c-compiler)

pbti_describe_package(
    tools pbturbo-tools utils
    "marshals protobuf-c messages fast - command for files of messages"
    "This package contains the command pbturbo. It compares the speed of"
    "pbturbo and protobuf-c with your own messages, prints them as JSON, checks"
    "them, and tells what is in a file of them.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS protobuf-compiler)

pbti_describe_package(
    dropin libpbturbo-protobuf-c libs
    "marshals protobuf-c messages fast - in place of libprotobuf-c"
    "This package contains a library that serves in place of libprotobuf-c for"
    "programs that are already built, and the command pbturbo-run, which starts"
    "a program with it. It lies in a directory of its own: no program uses it"
    "unless told to.")

set(CPACK_PBTURBO_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_PBTURBO_CONTROL_DIR ${PROJECT_BINARY_DIR}/debian)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PbturboStage.cmake)
include(CPack)
