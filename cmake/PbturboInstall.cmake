# Installed: both libraries, the public headers, the CMake package (with the
# module that finds protobuf-c), the pkg-config file, and what a user reads
# first. All of it may be moved to another prefix afterwards. Each part belongs
# to an install component, of which PbturboPackage.cmake makes packages.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pbturbo)
set(pkgconfig_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)

# A set of targets for each library, so that either may be left out.
foreach(kind IN ITEMS shared static)
    install(
        TARGETS pbturbo_${kind}
        EXPORT pbturbo_${kind}_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                COMPONENT runtime
                NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                COMPONENT development
        INCLUDES
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(
        EXPORT pbturbo_${kind}_targets
        NAMESPACE pbturbo::
        DESTINATION ${package_dir}
        FILE pbturbo-${kind}.cmake
        COMPONENT development)
endforeach()
set(public_headers
    include/pbturbo/buffer.h
    include/pbturbo/check.h
    include/pbturbo/json.h
    include/pbturbo/marshal.h
    include/pbturbo/options.h
    include/pbturbo/pbturbo.h
    include/pbturbo/reflect.h
    include/pbturbo/schema.h
    include/pbturbo/status.h
    include/pbturbo/table.h
    include/pbturbo/unmarshal.h
    include/pbturbo/version.h)
install(
    FILES ${public_headers}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pbturbo
    COMPONENT development)

configure_package_config_file(
    cmake/pbturboConfig.cmake.in ${PROJECT_BINARY_DIR}/pbturboConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/pbturboConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(
    FILES ${PROJECT_BINARY_DIR}/pbturboConfig.cmake
          ${PROJECT_BINARY_DIR}/pbturboConfigVersion.cmake
          cmake/FindProtobufC.cmake
    DESTINATION ${package_dir}
    COMPONENT development)

# The prefix is found from where the file lies; the rest is relative to it.
foreach(folder IN ITEMS libdir includedir)
    string(TOUPPER ${folder} upper)
    file(RELATIVE_PATH pkgconfig_${folder} ${CMAKE_INSTALL_PREFIX}
         ${CMAKE_INSTALL_FULL_${upper}})
endforeach()
file(RELATIVE_PATH pkgconfig_to_prefix ${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")
configure_file(cmake/pbturbo.pc.in ${PROJECT_BINARY_DIR}/pbturbo.pc @ONLY)
install(
    FILES ${PROJECT_BINARY_DIR}/pbturbo.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)

include(PbturboManual)

install(
    FILES LICENSE README.md CHANGELOG.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT development)
install(
    FILES docs/api.md docs/compat.md docs/drop-in.md docs/getting-started.md
          docs/porting.md docs/security.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
    COMPONENT development)
install(
    FILES examples/Makefile examples/README.md examples/hello.c
          examples/hello.proto examples/order.proto examples/raii.cc
          examples/schema.c examples/stream.c
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
    COMPONENT development)
install(
    FILES examples/autotools/Makefile.am examples/autotools/configure.ac
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/autotools
    COMPONENT development)
install(
    FILES examples/cmake/CMakeLists.txt
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/cmake
    COMPONENT development)
