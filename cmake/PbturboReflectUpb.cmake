# pbturbo_upb: upb messages for the reflection road; no target where upb is not
# there. It is for use in the build tree: upb has no package to depend on.
include(PbturboUpb)

if(TARGET pbturbo_upb_amalgamation)
    add_library(
        pbturbo_upb STATIC EXCLUDE_FROM_ALL
        reflect/reflect_upb.c)
    target_link_libraries(
        pbturbo_upb
        PUBLIC pbturbo::pbturbo pbturbo_upb_amalgamation
        PRIVATE pbturbo_warnings)
    set_target_properties(
        pbturbo_upb
        PROPERTIES C_STANDARD 11
                   C_STANDARD_REQUIRED ON
                   C_EXTENSIONS OFF
                   POSITION_INDEPENDENT_CODE ON)
elseif(PBTURBO_BUILD_TESTS OR PBTURBO_BUILD_BENCH)
    message(STATUS "pbturbo_upb is not built: there is no upb here"
                   " (scripts/datasets fetches it; configure again afterwards)")
endif()
