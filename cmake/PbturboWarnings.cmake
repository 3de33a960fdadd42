# pbturbo_warnings: the warnings that all C code of the project is clean with.
# Link it PRIVATE; it is never installed.
add_library(pbturbo_warnings INTERFACE)
target_compile_options(
    pbturbo_warnings
    INTERFACE
        $<$<COMPILE_LANGUAGE:C>:-Wall
        -Wextra
        -Wpedantic
        -Wconversion
        -Wsign-conversion
        -Wshadow
        -Wcast-qual
        -Wundef
        -Wvla
        -Wstrict-prototypes
        -Wmissing-prototypes
        -Wswitch-enum>
        $<$<COMPILE_LANGUAGE:CXX>:-Wall
        -Wextra
        -Wshadow>
        $<$<BOOL:${PBTURBO_WERROR}>:-Werror>)
