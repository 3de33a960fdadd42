# The peers of node: bench_node_program where there is node, and
# bench_node_packages where scripts/node-peers has installed the package.
set(PBTURBO_NODE_DIR
    ${PROJECT_SOURCE_DIR}/build/node
    CACHE PATH "Where scripts/node-peers puts packages of node")
set(bench_node_program "")
set(bench_node_packages "")
find_program(NODE_EXECUTABLE NAMES node nodejs DOC "Runs JavaScript")
if(NOT PBTURBO_BENCH_NODE OR NOT NODE_EXECUTABLE)
    message(STATUS "pbturbo-bench: without node")
    return()
endif()
set(bench_node_program ${NODE_EXECUTABLE})
if(EXISTS ${PBTURBO_NODE_DIR}/node_modules/fast-json-stringify/package.json)
    set(bench_node_packages ${PBTURBO_NODE_DIR})
else()
    message(STATUS "pbturbo-bench: without fast-json-stringify"
                   " (scripts/node-peers installs it; configure again"
                   " afterwards)")
endif()
