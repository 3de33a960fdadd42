#!/bin/sh
# policy_includes.sh ROOT - who may include whom. The command (tool) sees public
# headers only.
#
#   base <- table <- wire, json <- facade <- shim      base <- reflect <- facade
#
# A file's layer is the first word of its name. Public headers are open to all;
# every other header of the project is named by its bare file name.
set -eu
cd "$1"
status=0

# LAYERS FOLDER MAY-INCLUDE...
check_layer() {
    layers=" $1 "
    folder=$2
    allowed=" $3 "
    [ -d "$folder" ] || return 0
    for file in "$folder"/*; do
        name=${file##*/}
        case $name in
        CMakeLists.txt | *.1) continue ;;
        esac
        case $layers in
        *" ${name%%[_.]*} "*) ;;
        *) complain "$file: its name must start with one of:$layers" ;;
        esac
        for included in $(quoted_includes "$file"); do
            case $included in
            pbturbo/*) continue ;;
            */*) complain "$file: \"$included\" is not a bare name" ;;
            esac
            case $allowed in
            *" ${included%%[_.]*} "*) ;;
            *) complain "$file: must not include \"$included\"" ;;
            esac
        done
        if grep -nE '# *include *<(base|table|wire|json|facade|reflect|schema)_' \
            "$file"; then
            complain "$file: includes an internal header with <>"
        fi
    done
}

quoted_includes() {
    sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$1"
}

complain() {
    echo "$1"
    status=1
}

check_layer base src/base "base"
check_layer table table "base table"
check_layer wire src/wire "base table wire"
check_layer json src/json "base table json"
check_layer "reflect schema" reflect "base reflect schema"
check_layer facade src/facade "base table wire json reflect schema facade"
check_layer shim src/shim "base table wire json reflect schema facade shim"
check_layer tool tools "tool"

for file in include/pbturbo/*.h; do
    for included in $(quoted_includes "$file"); do
        complain "$file: public headers include with <>, not \"$included\""
    done
    if grep -nE '# *include *<[a-z]+_[a-z_]*\.h>' "$file"; then
        complain "$file: includes an internal header"
    fi
done
exit $status
