# The schemas of the datasets: written by hand, written by make_schema.cmake, and
# from the reference datasets where these have been fetched. Of each, the set
# that protoc makes for those who read schemas at run time, protobuf-c's code
# where protobuf-c can compile it, and C++ code. Sets:
#
#   bench_generated                      the folder of all that is made here
#   bench_sets, bench_c_sources, bench_cpp_sources    files in it
#   bench_go_packages, bench_go_protos_PACKAGE, bench_go_root_PACKAGE
#                                        what bench_go.cmake makes Go code from
#   bench_have_reference                 are the reference datasets there?
set(bench_generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${bench_generated})
set(bench_sets "")
set(bench_c_sources "")
set(bench_cpp_sources "")
set(bench_go_packages "")

# pbti_bench_schema(ROOT PROTO...): the set of the first file, with all it
# imports, and C++ code of each; the files are named relative to the root.
macro(pbti_bench_schema root)
    set(protos ${ARGN})
    list(GET protos 0 main)
    get_filename_component(name ${main} NAME_WE)
    list(TRANSFORM protos PREPEND ${root}/ OUTPUT_VARIABLE files)
    set(output ${bench_generated}/${name}.set)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${PROTOC_EXECUTABLE} --include_imports
                --descriptor_set_out=${output} -I${root} ${main}
        DEPENDS ${files}
        VERBATIM)
    list(APPEND bench_sets ${output})
    list(APPEND bench_go_packages ${name})
    set(bench_go_protos_${name} ${protos})
    set(bench_go_root_${name} ${root})
    if(bench_have_cpp)
        string(REPLACE ".proto" ".pb.cc" sources "${protos}")
        string(REPLACE ".proto" ".pb.h" headers "${protos}")
        list(TRANSFORM sources PREPEND ${bench_generated}/)
        list(TRANSFORM headers PREPEND ${bench_generated}/)
        add_custom_command(
            OUTPUT ${sources} ${headers}
            COMMAND ${PROTOC_EXECUTABLE} --cpp_out=${bench_generated} -I${root}
                    ${protos}
            DEPENDS ${files}
            VERBATIM)
        list(APPEND bench_cpp_sources ${sources} ${headers})
    endif()
endmacro()

# pbti_bench_compiled(PROTO): a schema that protobuf-c can compile.
macro(pbti_bench_compiled proto)
    get_filename_component(folder ${proto} DIRECTORY)
    get_filename_component(file ${proto} NAME)
    pbti_bench_schema(${folder} ${file})
    set(output ${bench_generated}/${name}.pb-c.c ${bench_generated}/${name}.pb-c.h)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${ProtobufC_PROTOC_C} --c_out=${bench_generated} -I${folder}
                ${proto}
        DEPENDS ${proto}
        VERBATIM)
    list(APPEND bench_c_sources ${output})
endmacro()

# pbti_bench_reference(PROTO...): schemas of the reference datasets that hold
# groups, as copies below generated/proto. One type of google_message3 and one
# of google_message4 is a MessageSet, which neither pbturbo nor Go has; without
# the option it is an ordinary message, of which extension numbers end sooner.
macro(pbti_bench_reference)
    foreach(proto IN ITEMS ${ARGN})
        string(REGEX REPLACE "^datasets/" "${PBTURBO_DATASETS_DIR}/" original
                             ${proto})
        set_property(
            DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${original})
        file(READ ${original} text)
        string(REPLACE "option message_set_wire_format = true;" "" text
                       "${text}")
        string(REPLACE " to 2147483646;" " to 536870911;" text "${text}")
        file(CONFIGURE OUTPUT ${bench_generated}/proto/${proto}
             CONTENT "${text}" @ONLY)
    endforeach()
    pbti_bench_schema(${bench_generated}/proto ${ARGN})
endmacro()

set(schemas ${CMAKE_CURRENT_SOURCE_DIR}/schemas)
foreach(name IN ITEMS blobs deep dnstap metrics osm required tile)
    pbti_bench_compiled(${schemas}/${name}.proto)
endforeach()
# Of these, types are made at run time: some hold google.protobuf's, of which
# protobuf-c has no compiled ones.
foreach(schema IN ITEMS canada cases cases_required citm golang scripts twitter)
    pbti_bench_schema(${schemas} ${schema}.proto)
endforeach()
set(maker ${schemas}/make_schema.cmake)
foreach(shape IN ITEMS dense parse_tree sparse strings)
    add_custom_command(
        OUTPUT ${bench_generated}/${shape}.proto
        COMMAND ${CMAKE_COMMAND} -DSHAPE=${shape}
                -DOUT=${bench_generated}/${shape}.proto -P ${maker}
        DEPENDS ${maker}
        VERBATIM)
    pbti_bench_compiled(${bench_generated}/${shape}.proto)
endforeach()

set(bench_have_reference OFF)
if(EXISTS ${PBTURBO_DATASETS_DIR}/google_message4/benchmark_message4_3.proto)
    set(bench_have_reference ON)
    set(message1 ${PBTURBO_DATASETS_DIR}/google_message1)
    pbti_bench_compiled(${message1}/proto2/benchmark_message1_proto2.proto)
    pbti_bench_compiled(${message1}/proto3/benchmark_message1_proto3.proto)
    pbti_bench_reference(datasets/google_message2/benchmark_message2.proto)
    set(protos datasets/google_message3/benchmark_message3.proto)
    foreach(i RANGE 1 8)
        list(APPEND protos
             datasets/google_message3/benchmark_message3_${i}.proto)
    endforeach()
    pbti_bench_reference(${protos})
    set(protos datasets/google_message4/benchmark_message4.proto)
    foreach(i RANGE 1 3)
        list(APPEND protos
             datasets/google_message4/benchmark_message4_${i}.proto)
    endforeach()
    pbti_bench_reference(${protos})
else()
    message(STATUS "pbturbo-bench: without Google's datasets (scripts/datasets"
                   " fetches them; configure again afterwards)")
endif()
