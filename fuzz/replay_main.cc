// Feeds every file of the folders (or the files) named on the command line to one fuzz target.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

int Replay(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    return 1;
  }
  int num_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    num_files += Replay(entry.path());
  return num_files;
}

}  // namespace

int main(int argc, char** argv) {
  int num_files = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::filesystem::exists(argv[i])) num_files += Replay(argv[i]);
  }
  std::printf("[  PASSED  ] %d tests.\n", num_files);
  return num_files > 0 ? 0 : 1;
}
