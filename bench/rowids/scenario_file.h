/// \file
/// Files through which both engines get the same fragments and the same questions: numbers of 8
/// bytes, little-endian; a blob is its size and its bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pennon::bench {

class ScenarioWriter {
 public:
  void Number(uint64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void Blob(std::string_view blob) {
    Number(blob.size());
    bytes_.append(blob);
  }
  void Words(std::span<const uint64_t> words) {
    Blob({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t)});
  }
  void Save(const std::string& path) const { std::ofstream(path, std::ios::binary) << bytes_; }

 private:
  std::string bytes_;
};

class ScenarioReader {
 public:
  explicit ScenarioReader(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  uint64_t Number() {
    uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + at_, sizeof(value));
    at_ += sizeof(value);
    return value;
  }
  std::string Blob() {
    const uint64_t size = Number();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  std::vector<uint64_t> Words() {
    const std::string blob = Blob();
    std::vector<uint64_t> words(blob.size() / sizeof(uint64_t));
    std::memcpy(words.data(), blob.data(), blob.size());
    return words;
  }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

}  // namespace pennon::bench
