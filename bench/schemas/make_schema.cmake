# Writes the schemas that are long and regular:
#
#   cmake -DSHAPE=parse_tree|sparse|dense|strings -DOUT=FILE -P make_schema.cmake
#
#   parse_tree  a node is one oneof of 270 members, each a message of its own
#   sparse      300 optional fields of mixed kinds
#   dense       60 optional scalars
#   strings     50 optional strings
set(scalars
    int32 int64 uint32 uint64 sint32 sint64 bool double float fixed32 fixed64
    sfixed32 sfixed64)

# Picks the kind of field i, going round the list.
function(pick_kind result i)
    list(LENGTH ARGN n)
    math(EXPR at "${i} % ${n}")
    list(GET ARGN ${at} kind)
    set(${result} ${kind} PARENT_SCOPE)
endfunction()

# Fields 1 to n of one message, their kinds going round the list.
function(make_fields result label n)
    set(text "")
    foreach(i RANGE 1 ${n})
        pick_kind(kind ${i} ${ARGN})
        string(APPEND text "    ${label}${kind} f${i} = ${i};\n")
    endforeach()
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

# One to eight fields, of which the kinds and their order depend on the member.
function(make_member result i)
    set(kinds string Node int32 "repeated Node" bool Kind uint32 int64 Node
        "repeated Node" string)
    set(text "message Member${i} {\n")
    math(EXPR n "1 + ${i} % 8")
    foreach(field RANGE 1 ${n})
        math(EXPR at "${i} + ${field} * (1 + ${i} % 3)")
        pick_kind(kind ${at} ${kinds})
        string(APPEND text "    ${kind} f${field} = ${field};\n")
    endforeach()
    set(${result} "${text}}\n\n" PARENT_SCOPE)
endfunction()

function(make_parse_tree result)
    set(node "message Node {\n    oneof node {\n")
    set(members "")
    foreach(i RANGE 1 270)
        string(APPEND node "        Member${i} m${i} = ${i};\n")
        make_member(member ${i})
        string(APPEND members "${member}")
    endforeach()
    set(${result} "${kinds}${node}    }\n}\n\n${members}" PARENT_SCOPE)
endfunction()

set(syntax proto2)
set(kinds "enum Kind {\n    NONE = 0;\n    SOME = 1;\n    ALL = 2;\n}\n\n")
if(SHAPE STREQUAL "parse_tree")
    set(syntax proto3)
    make_parse_tree(body)
elseif(SHAPE STREQUAL "sparse")
    make_fields(fields "optional " 300 ${scalars} string bytes Kind Part)
    set(part "message Part {\n    optional uint32 f1 = 1;\n")
    string(APPEND part "    optional string f2 = 2;\n}\n\n")
    set(body "${kinds}${part}message Sparse {\n${fields}}\n")
elseif(SHAPE STREQUAL "dense")
    make_fields(fields "optional " 60 ${scalars})
    set(body "message Dense {\n${fields}}\n")
elseif(SHAPE STREQUAL "strings")
    make_fields(fields "optional " 50 string)
    set(body "message Strings {\n${fields}}\n")
else()
    message(FATAL_ERROR "SHAPE=${SHAPE}: no such shape")
endif()

set(head "syntax = \"${syntax}\";\npackage bench.${SHAPE};\n\n")
file(WRITE "${OUT}" "${head}${body}")
