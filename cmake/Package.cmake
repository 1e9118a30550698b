# What an installation holds: the program. The shared library and its CMake package follow with the first
# public verbs.
install(TARGETS pennon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
