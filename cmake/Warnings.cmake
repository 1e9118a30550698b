# Warnings as errors, on our own targets only.
add_library(pennon_warnings INTERFACE)
target_compile_options(pennon_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 reports null dereferences and overflows inside inlined library code that cannot happen.
  target_compile_options(pennon_warnings INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow
                                                   -Wno-array-bounds -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # What gcc leaves out of -Wconversion in C++: both compilers shall ask for the same.
  target_compile_options(pennon_warnings INTERFACE -Wno-sign-conversion)
endif()
