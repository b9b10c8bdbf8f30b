# embed_words.cmake: turns a file of 32-bit words, such as SPIR-V, into a C source that defines them as an array.
# Called as  cmake -DINPUT=file -DOUTPUT=file.c -DNAME=symbol -P embed_words.cmake
file(READ "${INPUT}" hex HEX)
string(LENGTH "${hex}" length)
math(EXPR rest "${length} % 8")
if(length EQUAL 0 OR NOT rest EQUAL 0)
    message(FATAL_ERROR "${INPUT} does not consist of words")
endif()
# SPIR-V says by its first word in which order its bytes are; glslang writes them lowest first.
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${hex}")
string(REGEX REPLACE "(0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,)" "\\1\n"
       words "${words}")
get_filename_component(input_name "${INPUT}" NAME)
file(WRITE "${OUTPUT}"
     "// Made from ${input_name} by embed_words.cmake.\n"
     "#include <stddef.h>\n#include <stdint.h>\n"
     "extern const uint32_t ${NAME}_words[];\n"
     "extern const size_t ${NAME}_bytes;\n"
     "const uint32_t ${NAME}_words[] = {\n${words}\n};\n"
     "const size_t ${NAME}_bytes = sizeof ${NAME}_words;\n")
