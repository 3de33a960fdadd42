# s390x, which is big-endian, on another machine; see PbturboCross.cmake.
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(PBTURBO_CROSS_ARCH s390x)
set(PBTURBO_CROSS_COMPILER s390x-linux-gnu)
set(PBTURBO_CROSS_LIBRARIES s390x-linux-gnu)
set(PBTURBO_CROSS_CPU s390x)
include(${CMAKE_CURRENT_LIST_DIR}/PbturboCross.cmake)
