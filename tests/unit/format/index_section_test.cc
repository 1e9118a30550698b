#include "format/index_section.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/manifest_builder.h"

namespace pennon {
namespace {

using testing_support::Field;
using testing_support::FromHex;
using testing_support::IndexBytes;
using testing_support::IndexSectionBytes;
using testing_support::IndexSpec;
using testing_support::Scalar;

TEST(IndexSection, ReadsEveryField) {
  IndexSpec spec;
  spec.name = "vec_idx";
  spec.type = "Vector";
  spec.fields = {4, 5};
  spec.dataset_version = 9;
  spec.fragment_bitmap = "bitmap";
  spec.index_version = 1;
  spec.extra = Scalar(8, 1700000000000) + Scalar(9, 2) + Field(10, Field(1, "f") + Scalar(2, 5)) +
               Scalar(900, 1);
  const std::string section = IndexSectionBytes({spec});
  const auto entries = DecodeIndexSection(section).ValueOrDie();
  ASSERT_EQ(entries.size(), 1u);
  const IndexEntry& entry = entries[0];
  EXPECT_EQ(entry.uuid, "75757575-7575-7575-7575-757575757575");
  EXPECT_EQ(entry.name, "vec_idx");
  EXPECT_EQ(entry.type, "Vector");
  EXPECT_EQ(entry.fields, (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(entry.dataset_version, 9u);
  EXPECT_EQ(entry.index_version, 1);
  EXPECT_EQ(entry.fragment_bitmap, "bitmap");
  EXPECT_EQ(entry.base_id, 2u);
  EXPECT_EQ(entry.encoded, IndexBytes(spec));
  EXPECT_GE(entry.encoded.data(), section.data());
  EXPECT_FALSE(entry.is_system());
}

TEST(IndexSection, LeavesOutWhatIsNotRecorded) {
  const std::string section = Field(1, Field(3, "bare"));
  const auto entries = DecodeIndexSection(section).ValueOrDie();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].uuid, "");
  EXPECT_EQ(entries[0].type, "");
  EXPECT_FALSE(entries[0].index_version.has_value());
  EXPECT_FALSE(entries[0].base_id.has_value());
  EXPECT_TRUE(entries[0].fragment_bitmap.empty());
}

TEST(IndexSection, ReadsTypesFromTheirUrls) {
  const std::pair<const char*, const char*> cases[] = {
      {"/lance.table.BTreeIndexDetails", "BTree"},
      {"/lance.table.VectorIndexDetails", "Vector"},
      {"type.googleapis.com/lance.index.pb.InvertedIndexDetails", "Inverted"},
      {"BitmapIndexDetails", "Bitmap"},
      {"/lance.table.Something", "Something"},
      {"", ""},
      {"/", ""},
  };
  for (const auto& [url, type] : cases) {
    const std::string section = Field(1, Field(6, Field(1, url)));
    EXPECT_EQ(DecodeIndexSection(section)->front().type, type) << url;
  }
}

TEST(IndexSection, KnowsSystemIndexes) {
  IndexSpec reuse;
  reuse.name = "__lance_frag_reuse";
  IndexSpec wal;
  wal.name = "__lance_mem_wal";
  IndexSpec other;
  other.name = "_lance";
  const std::string section = IndexSectionBytes({reuse, wal, other});
  const auto entries = DecodeIndexSection(section).ValueOrDie();
  EXPECT_TRUE(entries[0].is_system());
  EXPECT_EQ(entries[0].name, kFragmentReuseIndexName);
  EXPECT_TRUE(entries[1].is_system());
  EXPECT_EQ(entries[1].name, kMemWalIndexName);
  EXPECT_FALSE(entries[2].is_system());
}

TEST(IndexSection, AnEmptyOneHasNoIndexes) {
  EXPECT_TRUE(DecodeIndexSection("")->empty());
  EXPECT_EQ(EncodeIndexSection({}), "");
}

TEST(IndexSection, WritesEntriesByteForByte) {
  IndexSpec a;
  a.extra = Scalar(900, 1);
  IndexSpec b;
  b.name = "b";
  const std::string section = IndexSectionBytes({a, b});
  const auto entries = DecodeIndexSection(section).ValueOrDie();
  EXPECT_EQ(EncodeIndexSection({entries[0].encoded, entries[1].encoded}), section);
  EXPECT_EQ(EncodeIndexSection({entries[1].encoded}), IndexSectionBytes({b}));
}

TEST(IndexSection, RefusesWhatCannotBeRead) {
  EXPECT_EQ(
      MessageOf(DecodeIndexSection(Field(1, Field(3, "a")) + Field(1, FromHex("1a05"))).status()),
      "index section: entry 1 cannot be read");
  EXPECT_EQ(MessageOf(DecodeIndexSection(FromHex("0a")).status()),
            "index section: message has a bad length at byte 1");
  for (const std::string& bytes : {FromHex("0a"), FromHex("0a05"), Field(1, Field(3, "\xff"))}) {
    EXPECT_EQ(KindOf(DecodeIndexSection(bytes).status()), ErrorKind::kCorrupt);
  }
}

TEST(IndexSection, RefusesEntriesThatProtobufCannotRead) {
  constexpr size_t kSize = (size_t{1} << 31) + 10;
  void* pages = ::mmap(nullptr, kSize + 6, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::string header;
  AppendBytesHeader(header, 1, kSize);
  ASSERT_EQ(header.size(), 6u);
  std::memcpy(pages, header.data(), header.size());
  const auto result = DecodeIndexSection({static_cast<const char*>(pages), kSize + 6});
  EXPECT_EQ(KindOf(result.status()), ErrorKind::kTooLarge) << result.status();
  ::munmap(pages, kSize + 6);
}

TEST(IndexSection, SurvivesEveryTruncationAndByteFlip) {
  IndexSpec spec;
  spec.fragment_bitmap = "bitmap";
  spec.index_version = 1;
  const std::string bytes = IndexSectionBytes({spec, spec});
  const auto visit = [](const std::string& damaged) {
    const auto result = DecodeIndexSection(damaged);
    if (!result.ok()) {
      EXPECT_EQ(KindOf(result.status()), ErrorKind::kCorrupt) << result.status();
    }
  };
  for (size_t size = 0; size < bytes.size(); ++size) visit(bytes.substr(0, size));
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(value);
      visit(damaged);
    }
  }
}

}  // namespace
}  // namespace pennon
