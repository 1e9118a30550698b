#include "format/transaction.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "support/manifest_builder.h"

namespace pennon {
namespace {

using testing_support::Entry;
using testing_support::Field;
using testing_support::FragmentBytes;
using testing_support::FromHex;
using testing_support::Operation;
using testing_support::RewriteBody;
using testing_support::Rows;
using testing_support::Scalar;
using testing_support::ToHex;
using testing_support::TransactionBytes;

struct OperationCase {
  uint32_t number;
  std::string body;
  const char* operation;
  const char* detail;
};

TEST(Transaction, NamesEveryOperation) {
  const std::string fragment = FragmentBytes(Rows(1, 5));
  const OperationCase cases[] = {
      {100, Field(1, fragment) + Field(1, fragment), "Append", "2 new fragment(s)"},
      {101, Field(1, fragment) + Scalar(2, 3) + Field(3, "k < 3"), "Delete", "where k < 3"},
      {101, Scalar(2, 3), "Delete", ""},
      {102, Field(1, fragment), "Overwrite", "1 new fragment(s)"},
      {103, Field(1, Field(3, "a_idx")) + Field(1, Field(3, "b_idx")) + Field(2, Field(3, "c_idx")),
       "CreateIndex", "a_idx, b_idx"},
      {103, Field(2, Field(3, "c_idx")) + Field(2, Field(3, "d_idx")), "CreateIndex",
       "dropped c_idx, d_idx"},
      {104, RewriteBody({1, 2, 3}, {4, 5}), "Rewrite", "3 fragment(s) into 2"},
      {104, Field(1, fragment) + Field(2, fragment) + RewriteBody({7}, {8}), "Rewrite",
       "2 fragment(s) into 2"},
      {105, Field(1, fragment), "Merge", ""},
      {106, Scalar(1, 9), "Restore", "version 9"},
      {107, Scalar(1, 5), "ReserveFragments", "5 fragment id(s)"},
      {108, Scalar(1, 1) + Scalar(1, 2) + Field(2, fragment) + Field(3, fragment) + Scalar(7, 1),
       "Update", "2 removed, 1 changed, 1 new fragment(s)"},
      {109, "", "Project", ""},
      {110, Field(6, ""), "UpdateConfig", ""},
      {111, Field(1, Scalar(1, 4) + Field(2, "file")), "DataReplacement", "1 file(s)"},
      {112, Field(1, "x"), "UpdateMemWalState", ""},
      {113, Scalar(1, 1) + Scalar(3, 6), "Clone", "of version 6"},
      {114, "", "UpdateBases", ""},
      {115, Field(1, "x"), "DataOverlay", ""},
      {116, "x", "Unknown", ""},
      {199, "x", "Unknown", ""},
  };
  for (const auto& item : cases) {
    const std::string bytes = Scalar(1, 7) + Field(2, "some-uuid") + Field(item.number, item.body);
    const auto transaction = DecodeTransaction(bytes);
    ASSERT_TRUE(transaction.ok()) << item.number << " " << transaction.status();
    EXPECT_EQ(transaction->operation, item.operation) << item.number;
    EXPECT_EQ(transaction->detail, item.detail) << item.number;
    EXPECT_EQ(transaction->read_version, Version{7});
    EXPECT_EQ(transaction->uuid, "some-uuid");
    EXPECT_EQ(transaction->rewrite_groups.empty(), item.number != 104) << item.number;
  }
}

TEST(Transaction, AnEmptyMessageIsUnknown) {
  const auto transaction = DecodeTransaction("").ValueOrDie();
  EXPECT_EQ(transaction.operation, "Unknown");
  EXPECT_EQ(transaction.read_version, Version{0});
}

TEST(Transaction, ReadsProperties) {
  const std::string bytes =
      Entry(4, "__lance_commit_message", "why") + Entry(4, "k", "") + Field(3, "tag");
  EXPECT_EQ(DecodeTransaction(bytes)->properties,
            (std::map<std::string, std::string>{{"__lance_commit_message", "why"}, {"k", ""}}));
}

TEST(Transaction, ReadsRewriteGroupsInOrder) {
  const std::string body =
      RewriteBody({3, 1}, {9}) + RewriteBody({}, {}) + RewriteBody({0}, {4294967295, 0});
  const auto groups =
      DecodeTransaction(TransactionBytes(1, "u", Operation::kRewrite, body))->rewrite_groups;
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].old_fragments, (std::vector<FragmentId>{FragmentId{3}, FragmentId{1}}));
  EXPECT_EQ(groups[0].new_fragments, (std::vector<FragmentId>{FragmentId{9}}));
  EXPECT_TRUE(groups[1].old_fragments.empty() && groups[1].new_fragments.empty());
  EXPECT_EQ(groups[2].old_fragments, (std::vector<FragmentId>{FragmentId{0}}));
  EXPECT_EQ(groups[2].new_fragments,
            (std::vector<FragmentId>{FragmentId{4294967295}, FragmentId{0}}));
}

TEST(Transaction, ReadsTheDeprecatedGroupOfARewrite) {
  const std::string body = Field(1, FragmentBytes(Rows(2, 5))) +
                           Field(1, FragmentBytes(Rows(3, 5))) +
                           Field(2, FragmentBytes(Rows(6, 10)));
  const auto groups =
      DecodeTransaction(TransactionBytes(1, "u", Operation::kRewrite, body))->rewrite_groups;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].old_fragments, (std::vector<FragmentId>{FragmentId{2}, FragmentId{3}}));
  EXPECT_EQ(groups[0].new_fragments, (std::vector<FragmentId>{FragmentId{6}}));
}

TEST(Transaction, RefusesWhatCannotBeRead) {
  for (const std::string& bytes :
       {std::string("\xff"), FromHex("0a"), Field(100, FromHex("0a05")), Field(2, "\xff\xfe"),
        TransactionBytes(1, "u", Operation::kRewrite, Field(3, Field(1, FromHex("0a"))))}) {
    const auto result = DecodeTransaction(bytes);
    ASSERT_FALSE(result.ok()) << ToHex(bytes);
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kCorrupt) << result.status();
  }
}

TEST(Transaction, RefusesMoreThanProtobufCanRead) {
  // Pages of zeros that are never touched.
  constexpr size_t kSize = (size_t{1} << 31) + 10;
  void* zeros =
      ::mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(zeros, MAP_FAILED);
  const auto result = DecodeTransaction({static_cast<const char*>(zeros), kSize});
  EXPECT_EQ(KindOf(result.status()), ErrorKind::kTooLarge) << result.status();
  ::munmap(zeros, kSize);
}

TEST(Transaction, SpellsASelfRewrite) {
  // read_version 4, uuid "u", one property, one group of fragments 0 and 300 on both sides.
  const std::string bytes =
      EncodeSelfRewrite(Version{4}, "u", {FragmentId{0}, FragmentId{300}}, {{"k", "v"}});
  EXPECT_EQ(ToHex(bytes),
            "0804"
            "120175"
            "22060a016b120176"
            "c20610"
            "1a0e"
            "0a00"
            "0a0308ac02"
            "1200"
            "120308ac02");
}

TEST(Transaction, ASelfRewriteReadsBack) {
  const std::vector<FragmentId> ids = {FragmentId{0}, FragmentId{7}, FragmentId{4294967295}};
  const auto transaction =
      DecodeTransaction(EncodeSelfRewrite(Version{4}, "uuid", ids, {{"a", "b"}})).ValueOrDie();
  EXPECT_EQ(transaction.operation, "Rewrite");
  EXPECT_EQ(transaction.read_version, Version{4});
  EXPECT_EQ(transaction.uuid, "uuid");
  EXPECT_EQ(transaction.properties, (std::map<std::string, std::string>{{"a", "b"}}));
  ASSERT_EQ(transaction.rewrite_groups.size(), 1u);
  EXPECT_EQ(transaction.rewrite_groups[0].old_fragments, ids);
  EXPECT_EQ(transaction.rewrite_groups[0].new_fragments, ids);
}

TEST(Transaction, ASelfRewriteOfNothingHasNoGroup) {
  const std::string bytes = EncodeSelfRewrite(Version{1}, "u", {}, {});
  EXPECT_EQ(ToHex(bytes),
            "0801"
            "120175"
            "c20600");
  const auto transaction = DecodeTransaction(bytes).ValueOrDie();
  EXPECT_EQ(transaction.operation, "Rewrite");
  EXPECT_TRUE(transaction.rewrite_groups.empty());
}

TEST(Transaction, NamesItsFile) {
  EXPECT_EQ(TransactionFileName(Version{4}, "550e8400-e29b-41d4-a716-446655440000"),
            "4-550e8400-e29b-41d4-a716-446655440000.txn");
}

TEST(Transaction, SurvivesEveryTruncationAndByteFlip) {
  const std::string bytes =
      TransactionBytes(3, "some-uuid", Operation::kRewrite, RewriteBody({1, 300}, {2})) +
      Entry(4, "k", "v");
  const auto visit = [](const std::string& damaged) {
    const auto result = DecodeTransaction(damaged);
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
