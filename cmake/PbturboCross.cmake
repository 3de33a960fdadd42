# What the toolchain files have in common. Each sets CMAKE_SYSTEM_PROCESSOR, the
# architecture as Debian names it, the triplets of Debian's cross compiler and
# of its library folders, and QEMU's name for the CPU.
#
# Libraries come from a root of that architecture, by default the one that
# scripts/test-cross unpacks; programs of the build, protoc-c among them, are
# the host's. Tests run under QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(PBTURBO_CROSS_ROOT
    ${CMAKE_CURRENT_LIST_DIR}/../build/root-${PBTURBO_CROSS_ARCH}
    CACHE PATH "Root folder with the libraries of the other architecture")
get_filename_component(PBTURBO_CROSS_ROOT ${PBTURBO_CROSS_ROOT} ABSOLUTE)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PBTURBO_CROSS_ROOT)

set(CMAKE_C_COMPILER ${PBTURBO_CROSS_COMPILER}-gcc)
# not the host's
set(CMAKE_CXX_COMPILER NOTFOUND)
set(CMAKE_SYSROOT ${PBTURBO_CROSS_ROOT})
set(CMAKE_LIBRARY_ARCHITECTURE ${PBTURBO_CROSS_LIBRARIES})
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-${PBTURBO_CROSS_CPU};-L;${PBTURBO_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# .proto files are the same everywhere
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)

set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${PBTURBO_CROSS_ROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${PBTURBO_CROSS_ROOT}/usr/lib/${PBTURBO_CROSS_LIBRARIES}/pkgconfig)
