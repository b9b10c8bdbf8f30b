# embed.cmake: turns a text file into a C source that defines it as a string.
# Called as  cmake -DINPUT=file -DOUTPUT=file.c -DNAME=symbol -P embed.cmake
# Bytes are written as escapes, so that no quoting rule of C or CMake can change the text.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
# Twelve bytes a line.
string(REGEX REPLACE "(....................................................................................)" "\\1\n"
       bytes "${bytes}")
get_filename_component(input_name "${INPUT}" NAME)
file(WRITE "${OUTPUT}"
     "// Made from ${input_name} by embed.cmake; edit that file instead.\n"
     "extern const char ${NAME}[];\n"
     "const char ${NAME}[] = {\n${bytes}\n0};\n")
