# Runs pbturbo-bench for a moment and reads what it prints:
#
#   cmake -DBENCH=PROGRAM -DSCHEMAS=FOLDER -DREFERENCE=ON|OFF
#         -DPEERS=ON|OFF -DGO=ON|OFF -P bench_smoke.cmake
#
# Every line must have its nine columns and every codec the message that
# protobuf-c has. No figure is judged. REFERENCE: the schemas of the reference
# datasets were there when the program was built. PEERS: C++ protobuf or upb is
# in it, and reads JSON back. GO: so is Go protobuf, which reads any depth.
function(expect_exit code)
    execute_process(
        COMMAND ${BENCH} ${ARGN}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE errors)
    if(NOT result STREQUAL code)
        message(FATAL_ERROR "pbturbo-bench ${ARGN}: exit ${result}, expected "
                            "${code}\n${output}${errors}")
    endif()
    set(output "${output}" PARENT_SCOPE)
    set(errors "${errors}" PARENT_SCOPE)
endfunction()

function(check_lines datasets ops)
    string(STRIP "${output}" output)
    string(REPLACE "\n" ";" lines "${output}")
    list(POP_FRONT lines header)
    string(REPLACE "\t" " " header "${header}")
    if(NOT header STREQUAL
       "dataset op codec messages bytes ns mb_s spread ratio")
        message(FATAL_ERROR "header: ${header}")
    endif()
    set(number "[0-9]+")
    set(real "[0-9]+[.][0-9]+")
    foreach(line IN LISTS lines)
        string(REPLACE "\t" "|" line "${line}")
        if(NOT line MATCHES "^[a-z0-9_.]+[|][a-z]+[|][a-z-]+[|]${number}[|]${number}[|]${real}[|]${real}[|]${real}[|]${real}$")
            message(FATAL_ERROR "not nine columns, or not timed: ${line}")
        endif()
    endforeach()
    foreach(dataset IN LISTS datasets)
        foreach(op IN LISTS ops)
            foreach(codec IN ITEMS pbturbo pbturbo-reflect protobuf-c)
                string(FIND "${output}" "${dataset}\t${op}\t${codec}\t" at)
                if(at EQUAL -1)
                    message(FATAL_ERROR "no ${dataset} ${op} ${codec}")
                endif()
            endforeach()
        endforeach()
    endforeach()
endfunction()

# The road without tables has no unmarshal.
function(check_unmarshal datasets)
    foreach(dataset IN LISTS datasets)
        foreach(codec IN ITEMS pbturbo protobuf-c)
            string(FIND "${output}" "${dataset}\tunmarshal\t${codec}\t" at)
            if(at EQUAL -1)
                message(FATAL_ERROR "no ${dataset} unmarshal ${codec}")
            endif()
        endforeach()
    endforeach()
endfunction()

# JSON is not always timed (see below).
set(wire --op marshal,size,check,unmarshal)
expect_exit(0 --quick --tsv ${wire} --dataset dnstap,sparse,deep,blobs,metrics)
check_lines("dnstap;sparse;deep;blobs;metrics" "marshal;size;check")
check_unmarshal("dnstap;sparse;deep;blobs;metrics")
string(FIND "${output}" "blobs\tmarshal\tpbturbo-iovec\t" at)
if(at EQUAL -1)
    message(FATAL_ERROR "no blobs marshal pbturbo-iovec")
endif()

expect_exit(0 --quick --tsv --dataset tile,parse_tree --op marshal --seed 7)
check_lines("tile;parse_tree" "marshal")

set(grouped google_message2 google_message3_1 google_message3_4
            google_message4)
list(JOIN grouped "," list)
if(REFERENCE)
    expect_exit(0 --quick --tsv ${wire} --dataset ${list})
    check_lines("${grouped}" "marshal;size;check")
    check_unmarshal("${grouped}")
    if(NOT errors MATCHES "[(][1-9][0-9]* groups[)]")
        message(FATAL_ERROR "no groups: ${errors}")
    endif()
else()
    expect_exit(1 --quick --tsv --dataset ${list})
    if(NOT errors MATCHES "google_message4: left out, .*scripts/datasets")
        message(FATAL_ERROR "no word of what is missing: ${errors}")
    endif()
endif()

# JSON: all codecs are timed where their text can be read back, and it is text.
# Of chains of 1,000 levels only one of the readers can.
function(check_json)
    foreach(line IN ITEMS ${ARGN})
        if(NOT output MATCHES "${line}")
            message(FATAL_ERROR "no line \"${line}\": ${output}")
        endif()
    endforeach()
endfunction()

expect_exit(0 --quick --tsv --op json --dataset dnstap,required,canada,twitter)
set(timed "[0-9]+\t[0-9]+\t[0-9.]+\t[0-9.]+\t[0-9.]+\t1.00\n")
check_json("dnstap\tjson\tpbturbo\t${timed}" "required\tjson\tpbturbo\t${timed}"
           "canada\tjson\tpbturbo\t${timed}" "twitter\tjson\tpbturbo\t${timed}")
if(output MATCHES "not timed|protobuf-c|memcpy|reflect|\tgo\t")
    message(FATAL_ERROR "${CMAKE_MATCH_0}: ${output}")
endif()
expect_exit(0 --quick --tsv --op json --dataset deep --codec pbturbo)
if(PEERS AND NOT GO)
    check_json("deep\tjson\tpbturbo\t8\t-\t-\t-\t-\tnot timed: .* cannot read")
else()
    check_json("deep\tjson\tpbturbo\t${timed}")
endif()
set(other citm,golang_source,string_escaped,struct_twitter,fjs_date_time)
expect_exit(0 --quick --tsv --op json,marshal --codec pbturbo --dataset ${other})
check_json("citm\tjson\tpbturbo\t${timed}"
           "golang_source\tjson\tpbturbo\t${timed}"
           "string_escaped\tjson\tpbturbo\t${timed}"
           "struct_twitter\tjson\tpbturbo\t${timed}"
           "fjs_date_time\tjson\tpbturbo\t${timed}")
if(output MATCHES "marshal|not timed")
    message(FATAL_ERROR "more than JSON: ${output}")
endif()
expect_exit(0 --callgrind pbturbo:1 --dataset twitter --op json)
expect_exit(1 --callgrind pbturbo:1 --dataset citm --op marshal)
expect_exit(1 --callgrind protobuf-c:1 --dataset twitter --op json)

# A user's own messages: one alone, and two behind their lengths.
set(own ${CMAKE_CURRENT_BINARY_DIR}/bench_smoke.bin)
string(ASCII 8 5 message)
string(ASCII 2 8 1 6 8 1 18 2 8 3 delimited)
file(WRITE ${own} "${message}")
file(WRITE ${own}.delimited "${delimited}")
set(types --schema ${SCHEMAS}/deep.set --type bench.deep.Level)
expect_exit(0 --quick --tsv ${wire} ${types} ${own})
check_lines("bench_smoke.bin" "marshal;size;check")
expect_exit(0 --quick --tsv ${wire} ${types} --delimited ${own}.delimited)
check_lines("bench_smoke.bin.delimited" "marshal;size;check")
if(NOT output MATCHES "\tmarshal\tpbturbo\t2\t8\t")
    message(FATAL_ERROR "not two messages of 8 bytes: ${output}")
endif()
expect_exit(1 --quick --tsv ${types} --delimited ${own})
expect_exit(1 --quick --tsv --schema ${SCHEMAS}/deep.set --type no.Type ${own})
expect_exit(1 --quick --tsv --schema ${own} --type bench.deep.Level ${own})
expect_exit(1 --quick --tsv ${types} ${own}.missing)
file(REMOVE ${own} ${own}.delimited)

expect_exit(0 --callgrind pbturbo:2 --dataset dnstap --op marshal)
if(NOT output MATCHES "checksum ([0-9a-f]+)\n")
    message(FATAL_ERROR "no checksum: ${output}")
endif()
set(own_checksum ${CMAKE_MATCH_1})
expect_exit(0 --callgrind protobuf-c:1 --dataset dnstap --op marshal)
if(NOT output MATCHES "checksum ${own_checksum}\n")
    message(FATAL_ERROR "checksums differ: ${output}")
endif()
expect_exit(0 --callgrind pbturbo-partial:1 --dataset deep --op marshal)
if(NOT output MATCHES " 8 messages, [0-9]+ values, [0-9]+ bytes, checksum")
    message(FATAL_ERROR "no values: ${output}")
endif()

expect_exit(0 --help)
foreach(bad IN ITEMS --nonsense --dataset "--dataset=tile" "--seed;x" "--op;text"
                     "--codec;," "--callgrind;pbturbo:1" stray
                     --delimited "--type;x" "--schema;x"
                     "--schema;x;--dataset;tile;y" "--largest;9"
                     "--scale;--dataset;tile" "--scale;--report;x" "--scale;x")
    expect_exit(2 ${bad})
endforeach()
