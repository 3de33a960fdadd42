# The peer rapidjson: its functions are written by the program of bench_walks.c,
# from the same types that the datasets have, and compiled as generated code of
# the other peers is. Makes the target pbturbo_bench_walks and the name
# bench_walks of the file where RapidJSON and a C++ compiler are there.
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/writer.h DOC "RapidJSON's headers")
if(NOT PBTURBO_BENCH_CPP OR NOT CMAKE_CXX_COMPILER OR NOT RAPIDJSON_INCLUDE_DIR)
    message(STATUS "pbturbo-bench: without RapidJSON")
    return()
endif()

add_executable(pbturbo_bench_walks bench_walks.c)
target_compile_features(pbturbo_bench_walks PRIVATE c_std_11)
target_link_libraries(
    pbturbo_bench_walks PRIVATE pbturbo_bench_data pbturbo_warnings)

set(bench_walks ${bench_generated}/bench_walks.cc)
add_custom_command(
    OUTPUT ${bench_walks}
    COMMAND pbturbo_bench_walks > ${bench_walks}
    DEPENDS pbturbo_bench_walks ${bench_sets}
    VERBATIM)
# RapidJSON's own switch for vectors, of which x86-64 always has these.
set(rapidjson_options -O2 -g0)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND rapidjson_options -DRAPIDJSON_SSE2)
endif()
set_source_files_properties(
    ${bench_walks} bench_codec_rapidjson.cc
    PROPERTIES COMPILE_OPTIONS "${rapidjson_options}")
