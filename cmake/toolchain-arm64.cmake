# 64-bit ARM on another machine; see PbturboCross.cmake.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(PBTURBO_CROSS_ARCH arm64)
set(PBTURBO_CROSS_COMPILER aarch64-linux-gnu)
set(PBTURBO_CROSS_LIBRARIES aarch64-linux-gnu)
set(PBTURBO_CROSS_CPU aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/PbturboCross.cmake)
