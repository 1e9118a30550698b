#include "encoding/general_compression.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string ZstdFrame(const std::string& text) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 1));
  return frame;
}

std::string Prefixed(const std::string& text) {
  std::string out;
  AppendLittleEndian<uint64_t>(out, text.size());
  return out + ZstdFrame(text);
}

std::string Lz4(const std::string& text) {
  std::string out;
  AppendLittleEndian<uint32_t>(out, static_cast<uint32_t>(text.size()));
  std::string block(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  block.resize(static_cast<size_t>(LZ4_compress_default(
      text.data(), block.data(), static_cast<int>(text.size()), static_cast<int>(block.size()))));
  return out + block;
}

arrow::Result<std::string> InflateAll(CompressionScheme scheme, const std::string& bytes) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t size, InflatedSize(scheme, Bytes(bytes)));
  std::string out(size, '\0');
  ARROW_RETURN_NOT_OK(
      Inflate(scheme, Bytes(bytes), {reinterpret_cast<uint8_t*>(out.data()), out.size()}));
  return out;
}

std::string SampleText() {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "row " + std::to_string(i % 37) + ";";
  return text;
}

TEST(GeneralCompressionTest, InflatesBothSchemes) {
  for (const std::string& text : {std::string(), std::string("a"), SampleText()}) {
    EXPECT_EQ(InflateAll(CompressionScheme::kZstd, Prefixed(text)).ValueOrDie(), text);
    EXPECT_EQ(InflateAll(CompressionScheme::kLz4, Lz4(text)).ValueOrDie(), text);
  }
  EXPECT_EQ(InflateAll(CompressionScheme::kZstd, "").ValueOrDie(), "");
}

TEST(GeneralCompressionTest, InflatesBareFrames) {
  const std::string text = SampleText();
  // A frame made by streaming does not know its size and has the unused bit clear.
  ZSTD_CCtx* context = ZSTD_createCCtx();
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  ZSTD_inBuffer in{text.data(), text.size() / 2, 0};
  ASSERT_FALSE(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue)));
  in = {text.data() + text.size() / 2, text.size() - text.size() / 2, 0};
  ASSERT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0u);
  ZSTD_freeCCtx(context);
  frame.resize(out.pos);
  ASSERT_EQ(ZSTD_getFrameContentSize(frame.data(), frame.size()), ZSTD_CONTENTSIZE_UNKNOWN);
  EXPECT_EQ(InflateAll(CompressionScheme::kZstd, frame).ValueOrDie(), text);
}

TEST(GeneralCompressionTest, RefusesDamage) {
  const std::string text = SampleText();
  for (const auto scheme : {CompressionScheme::kLz4, CompressionScheme::kZstd}) {
    std::string whole = scheme == CompressionScheme::kLz4 ? Lz4(text) : Prefixed(text);
    for (const size_t size : {size_t{1}, size_t{5}, whole.size() / 2, whole.size() - 1}) {
      EXPECT_EQ(KindOf(InflateAll(scheme, whole.substr(0, size)).status()), ErrorKind::kCorrupt)
          << size;
    }
    whole[0] = static_cast<char>(whole[0] + 1);
    EXPECT_EQ(KindOf(InflateAll(scheme, whole).status()), ErrorKind::kCorrupt);
  }
}

}  // namespace
}  // namespace pennon
