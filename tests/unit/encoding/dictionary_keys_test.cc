#include "encoding/dictionary_keys.h"

#include <arrow/array/array_dict.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pennon/base/error.h"

namespace pennon {
namespace {

template <typename T>
const uint8_t* AsBytes(const std::vector<T>& values) {
  return reinterpret_cast<const uint8_t*>(values.data());
}

std::shared_ptr<arrow::ArrayData> Strings(const std::vector<std::string>& values) {
  arrow::StringBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie()->data();
}

std::vector<std::string> Texts(const arrow::Array& array) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < array.length(); ++i) {
    out.push_back(array.GetScalar(i).ValueOrDie()->ToString());
  }
  return out;
}

TEST(DictionaryKeysTest, LooksUpStrings) {
  const LeafType type = MakeLeafType(arrow::utf8()).ValueOrDie();
  const auto dictionary = Strings({"", "a", std::string(40, 'x'), "bc"});
  ValueBuilder out(type, {});
  const std::vector<uint8_t> narrow{0, 3, 2, 1, 1};
  const std::vector<uint64_t> wide{3, 0};
  ASSERT_TRUE(AppendLookedUp(AsBytes(narrow), 1, 5, *dictionary, &out).ok());
  ASSERT_TRUE(AppendLookedUp(AsBytes(wide), 8, 2, *dictionary, &out).ok());
  const auto array = arrow::MakeArray(out.Finish(nullptr, 0).ValueOrDie());
  ASSERT_TRUE(array->ValidateFull().ok());
  EXPECT_EQ(Texts(*array),
            (std::vector<std::string>{"", "bc", std::string(40, 'x'), "a", "a", "bc", ""}));
}

TEST(DictionaryKeysTest, LooksUpFixedWidths) {
  for (const int32_t width : {1, 2, 4, 8, 16, 32, 5}) {
    const auto type = arrow::fixed_size_binary(width);
    const LeafType leaf = MakeLeafType(type).ValueOrDie();
    arrow::FixedSizeBinaryBuilder builder(type);
    for (char c = 'a'; c < 'e'; ++c) {
      ASSERT_TRUE(builder.Append(std::string(static_cast<size_t>(width), c)).ok());
    }
    const auto dictionary = builder.Finish().ValueOrDie();
    ValueBuilder out(leaf, {});
    const std::vector<uint16_t> keys{3, 0, 2, 2};
    ASSERT_TRUE(AppendLookedUp(AsBytes(keys), 2, 4, *dictionary->data(), &out).ok());
    std::string expected;
    for (const uint16_t key : keys) {
      expected += std::string(static_cast<size_t>(width), static_cast<char>('a' + key));
    }
    EXPECT_EQ(out.values.Finish().ValueOrDie()->ToString(), expected);
  }
}

TEST(DictionaryKeysTest, RefusesKeysBeyondTheDictionary) {
  const LeafType type = MakeLeafType(arrow::utf8()).ValueOrDie();
  ValueBuilder out(type, {});
  const std::vector<uint32_t> keys{0, 2};
  EXPECT_EQ(KindOf(AppendLookedUp(AsBytes(keys), 4, 2, *Strings({"a", "b"}), &out)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(AppendLookedUp(AsBytes(keys), 3, 2, *Strings({"a", "b"}), &out)),
            ErrorKind::kCorrupt);
}

std::shared_ptr<arrow::Array> DictionaryOf(
    const std::vector<std::pair<std::vector<uint32_t>, std::vector<std::string>>>& parts,
    const std::shared_ptr<arrow::DataType>& keys, arrow::Status* status) {
  const LeafType type = MakeLeafType(arrow::dictionary(keys, arrow::utf8())).ValueOrDie();
  ValueBuilder out(type, {});
  for (const auto& [part, values] : parts) {
    *status = values.empty() ? out.AppendEmpty(part.size())
                             : AppendKeys(AsBytes(part), 4, part.size(), Strings(values), &out);
    if (!status->ok()) return nullptr;
  }
  auto data = out.Finish(nullptr, 0);
  *status = data.status();
  return data.ok() ? arrow::MakeArray(*data) : nullptr;
}

std::vector<std::string> Decoded(const arrow::Array& array) {
  const auto& dictionary = static_cast<const arrow::DictionaryArray&>(array);
  std::vector<std::string> out;
  for (int64_t i = 0; i < array.length(); ++i) {
    out.push_back(
        dictionary.dictionary()->GetScalar(dictionary.GetValueIndex(i)).ValueOrDie()->ToString());
  }
  return out;
}

TEST(DictionaryKeysTest, JoinsTheDictionariesOfPages) {
  arrow::Status status;
  const auto one = DictionaryOf({{{1, 0, 1}, {"a", "b"}}}, arrow::int32(), &status);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Decoded(*one), (std::vector<std::string>{"b", "a", "b"}));
  // The middle page is all null: its slots have any key.
  const auto many = DictionaryOf({{{1, 0}, {"a", "b"}}, {{0, 0}, {}}, {{0, 2}, {"b", "c", "d"}}},
                                 arrow::int32(), &status);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_TRUE(many->ValidateFull().ok());
  EXPECT_EQ(Decoded(*many), (std::vector<std::string>{"b", "a", "a", "a", "b", "d"}));
  const auto none = DictionaryOf({{{0, 0}, {}}}, arrow::int8(), &status);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(none->length(), 2);
}

TEST(DictionaryKeysTest, UnifiesWhereKeysAreNarrow) {
  std::vector<std::string> words;
  for (int i = 0; i < 100; ++i) words.push_back("w" + std::to_string(i));
  arrow::Status status;
  const auto fits = DictionaryOf({{{99, 5}, words}, {{5, 98}, words}}, arrow::int8(), &status);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_TRUE(fits->ValidateFull().ok());
  EXPECT_EQ(Decoded(*fits), (std::vector<std::string>{"w99", "w5", "w5", "w98"}));
  std::vector<std::string> others;
  for (int i = 0; i < 100; ++i) others.push_back("o" + std::to_string(i));
  DictionaryOf({{{99}, words}, {{5}, others}}, arrow::int8(), &status);
  EXPECT_EQ(KindOf(status), ErrorKind::kTooLarge);
  std::vector<std::string> too_many(200, "x");
  DictionaryOf({{{199}, too_many}}, arrow::int8(), &status);
  EXPECT_EQ(KindOf(status), ErrorKind::kTooLarge);
}

}  // namespace
}  // namespace pennon
