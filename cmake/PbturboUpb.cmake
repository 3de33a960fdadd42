# pbturbo_upb_amalgamation: upb in one file, from Debian's protobuf source
# package, where scripts/datasets has put it; no target where it has not. The
# code is not ours: it is compiled as its own build does, without the project's
# warnings, and optimized in every build type.
include_guard(GLOBAL)

set(PBTURBO_DATASETS_DIR
    ${PROJECT_SOURCE_DIR}/build/datasets
    CACHE PATH "Where scripts/datasets puts the reference datasets")
set(pbti_upb ${PBTURBO_DATASETS_DIR}/upb)

if(EXISTS ${pbti_upb}/ruby-upb.c)
    add_library(
        pbturbo_upb_amalgamation STATIC EXCLUDE_FROM_ALL
        ${pbti_upb}/ruby-upb.c
        ${pbti_upb}/third_party/utf8_range/naive.c
        ${pbti_upb}/third_party/utf8_range/range2-neon.c
        ${pbti_upb}/third_party/utf8_range/range2-sse.c)
    target_include_directories(
        pbturbo_upb_amalgamation SYSTEM PUBLIC ${pbti_upb})
    target_compile_options(
        pbturbo_upb_amalgamation PRIVATE -std=gnu99 -O2 -w)
    target_compile_definitions(pbturbo_upb_amalgamation PRIVATE NDEBUG)
    target_link_libraries(pbturbo_upb_amalgamation PUBLIC m)
    set_target_properties(
        pbturbo_upb_amalgamation PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
