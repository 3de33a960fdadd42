# The Go peer: pbturbo-bench-go, from go/go_peer.go and the code that
# protoc-gen-go makes of all schemas. Debian packages Go libraries as source
# below /usr/share/gocode; nothing is taken from elsewhere. Makes the target
# pbturbo_bench_go where Go and the library are there.
set(gocode /usr/share/gocode)
set(go_library ${gocode}/src/google.golang.org/protobuf)
set(bench_go_program ${CMAKE_CURRENT_BINARY_DIR}/pbturbo-bench-go)

find_program(GO_EXECUTABLE go DOC "The Go compiler")
if(NOT PBTURBO_BENCH_GO OR NOT GO_EXECUTABLE
   OR NOT EXISTS ${go_library}/cmd/protoc-gen-go/main.go)
    return()
endif()

set(go_folder ${bench_generated}/go)
set(go_main ${go_folder}/src/pbturbobench/main)
set(go_generator ${go_folder}/protoc-gen-go)
set(go ${CMAKE_COMMAND} -E env --unset=GOFLAGS GO111MODULE=off CGO_ENABLED=0
       GOPROXY=off GOPATH=${go_folder}:${gocode} GOCACHE=${go_folder}/cache
       ${GO_EXECUTABLE})

add_custom_command(
    OUTPUT ${go_generator}
    COMMAND ${go} build -o ${go_generator}
            google.golang.org/protobuf/cmd/protoc-gen-go
    VERBATIM)

# One Go package for each schema; the program imports them all, so that their
# types are registered.
set(go_marks "")
set(imports "")
foreach(package IN LISTS bench_go_packages)
    set(path pbturbobench/${package})
    string(APPEND imports "import _ \"${path}\"\n")
    set(names "")
    foreach(proto IN LISTS bench_go_protos_${package})
        list(APPEND names "--go_opt=M${proto}=${path}")
    endforeach()
    set(root ${bench_go_root_${package}})
    list(TRANSFORM bench_go_protos_${package} PREPEND ${root}/
         OUTPUT_VARIABLE files)
    set(mark ${go_folder}/${package}.mark)
    add_custom_command(
        OUTPUT ${mark}
        COMMAND
            ${PROTOC_EXECUTABLE} --plugin=protoc-gen-go=${go_generator}
            --go_out=${go_folder}/src ${names} -I${root}
            ${bench_go_protos_${package}}
        COMMAND ${CMAKE_COMMAND} -E touch ${mark}
        DEPENDS ${files} ${go_generator}
        VERBATIM)
    list(APPEND go_marks ${mark})
endforeach()
configure_file(go/go_peer.go ${go_main}/go_peer.go COPYONLY)
file(CONFIGURE OUTPUT ${go_main}/go_types.go
     CONTENT "package main\n\n${imports}" @ONLY)

add_custom_command(
    OUTPUT ${bench_go_program}
    COMMAND ${go} build -o ${bench_go_program} pbturbobench/main
    DEPENDS ${go_marks} ${go_main}/go_peer.go ${go_main}/go_types.go
    VERBATIM)
add_custom_target(pbturbo_bench_go DEPENDS ${bench_go_program})
