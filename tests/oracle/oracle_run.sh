#!/bin/sh
# oracle_run.sh ORACLE PROTOC OUT FOLDER... - makes a FileDescriptorSet of every
# .proto file below the folders, in the folder OUT, and gives them all to
# oracle-cpp. Folders that are not there are left out.
set -eu
oracle=$1 protoc=$2 out=$3
shift 3

rm -rf "$out"
mkdir -p "$out"
n=0
for folder; do
    [ -d "$folder" ] || continue
    for file in $(cd "$folder" && find . -name '*.proto' | sort); do
        n=$((n + 1))
        name=$(printf '%03d-%s' "$n" "$(basename "$file" .proto)")
        # Files that miss an import cannot be compiled by anybody.
        "$protoc" -I "$folder" --include_imports \
            --descriptor_set_out="$out/$name.desc" "${file#./}" \
            2>"$out/$name.log" || echo "protoc refuses $folder/$file"
    done
done
exec "$oracle" --messages 40 "$out"/*.desc
