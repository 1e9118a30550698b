// Writes one deletion file for the tests that let the reference engine read ours.
// Usage: deletion_file_tool array|bitmap PATH, with the row offsets on stdin.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "format/deletion_file.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::vector<uint32_t> offsets;
  for (uint32_t offset = 0; std::cin >> offset;) offsets.push_back(offset);
  const bool array = std::string(argv[1]) == "array";
  const auto form = array ? pennon::DeletionForm::kArray : pennon::DeletionForm::kBitmap;
  const pennon::DeletionVector deletions(pennon::RoaringSet::FromUnsorted(offsets), form);
  const auto encoded = pennon::EncodeDeletionFile(deletions);
  if (!encoded.ok()) {
    std::fprintf(stderr, "%s\n", encoded.status().ToString().c_str());
    return 1;
  }
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char*>(encoded->bytes->data()), encoded->bytes->size());
  return out.good() ? 0 : 1;
}
