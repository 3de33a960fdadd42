# cmake -DIN=FILE -DOUT=HEADER -P fuzz_embed.cmake: makes the bytes of a file
# the array fuzz_embedded_set of a C header.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))"
                     "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "static const unsigned char fuzz_embedded_set[] = {\n${bytes}};\n")
