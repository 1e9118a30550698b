// The shared library is made of the layers; CMake wants one source of its own.
