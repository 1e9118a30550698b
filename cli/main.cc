#include <cstdlib>

#include "program.h"

int main(int argc, char** argv) {
  // All our objects are gone by then. What Arrow and the libraries below it would tidy up takes
  // milliseconds, and the system does it anyway.
  std::_Exit(pennon::cli::Main(argc, argv));
}
