/// \file
/// What every Store must do, whatever lies behind it. Instantiate with a type that has `Store&
/// store()` and `std::string root()`, a folder in which nothing lies yet. Spec: src/io/store.h;
/// format/commit.md, heading 1 (put-if-absent per store).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "io/store.h"
#include "pennon/base/error.h"

namespace pennon::testing_support {

template <typename Place>
class StoreSuite : public testing::Test {
 protected:
  Store& store() { return place_.store(); }
  std::string Root() { return place_.root(); }
  std::string Path(const std::string& name) { return JoinPath(place_.root(), name); }
  std::string Read(const std::string& path) {
    auto bytes = store().ReadWhole(path, uint64_t{1} << 30);
    return bytes.ok() ? (*bytes)->ToString() : "error: " + bytes.status().ToString();
  }
  std::vector<std::string> Names(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : store().ListFolder(folder).ValueOrDie()) {
      names.push_back(entry.name + (entry.is_folder ? "/" : ""));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  void ExpectError(const arrow::Status& status, ErrorKind kind, const std::string& path) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(ErrorKindName(KindOf(status)), ErrorKindName(kind)) << status;
    EXPECT_NE(MessageOf(status).find(path), std::string::npos) << status;
    EXPECT_EQ(MessageOf(status).find('\n'), std::string::npos) << status;
  }

 private:
  Place place_;
};

TYPED_TEST_SUITE_P(StoreSuite);

TYPED_TEST_P(StoreSuite, ReadsBackWhatWasPut) {
  const std::string large(3 << 20, 'x');
  for (const std::string& bytes :
       {std::string("hello"), std::string(), std::string("a\0b", 3), large}) {
    ASSERT_TRUE(this->store().Put(this->Path("object"), bytes).ok());
    EXPECT_TRUE(this->Read(this->Path("object")) == bytes) << bytes.size();
    EXPECT_EQ(this->store().Stat(this->Path("object")).ValueOrDie().size_bytes, bytes.size());
  }
}

TYPED_TEST_P(StoreSuite, PutIfAbsentNeverReplaces) {
  const std::string path = this->Path("versions/1");
  EXPECT_EQ(this->store().PutIfAbsent(path, "first").ValueOrDie(), PutOutcome::kWritten);
  EXPECT_EQ(this->store().PutIfAbsent(path, "second").ValueOrDie(), PutOutcome::kAlreadyExists);
  EXPECT_EQ(this->store().PutIfAbsent(path, "first").ValueOrDie(), PutOutcome::kAlreadyExists);
  EXPECT_EQ(this->Read(path), "first");
  EXPECT_EQ(this->Names(this->Path("versions")), std::vector<std::string>{"1"});
}

TYPED_TEST_P(StoreSuite, ARemovedNameIsFreeAgain) {
  const std::string path = this->Path("object");
  ASSERT_TRUE(this->store().Put(path, "old").ok());
  ASSERT_TRUE(this->store().Remove(path).ok());
  this->ExpectError(this->store().ReadWhole(path, 10).status(), ErrorKind::kNotFound, path);
  this->ExpectError(this->store().Remove(path), ErrorKind::kNotFound, path);
  EXPECT_EQ(this->store().PutIfAbsent(path, "new").ValueOrDie(), PutOutcome::kWritten);
  EXPECT_EQ(this->Read(path), "new");
}

TYPED_TEST_P(StoreSuite, MakesTheFoldersAbove) {
  ASSERT_TRUE(this->store().Put(this->Path("a/b/c/object"), "1").ok());
  ASSERT_TRUE(this->store().PutIfAbsent(this->Path("a/d/e/object"), "2").ok());
  EXPECT_EQ(this->Names(this->Path("a")), (std::vector<std::string>{"b/", "d/"}));
  EXPECT_TRUE(this->store().Stat(this->Path("a/b/c")).ValueOrDie().is_folder);
  EXPECT_EQ(this->store().Stat(this->Path("a/b/c")).ValueOrDie().name, "c");
}

TYPED_TEST_P(StoreSuite, ListsOneFolderOnly) {
  for (const char* name :
       {"list/b", "list/a", "list/deep/c", "list-not/d", "list/.hidden", "list/e#1"}) {
    ASSERT_TRUE(this->store().Put(this->Path(name), "x").ok());
  }
  EXPECT_EQ(this->Names(this->Path("list")),
            (std::vector<std::string>{".hidden", "a", "b", "deep/", "e#1"}));
  EXPECT_EQ(this->Names(this->Path("list/deep")), std::vector<std::string>{"c"});
}

TYPED_TEST_P(StoreSuite, ReadsRanges) {
  ASSERT_TRUE(this->store().Put(this->Path("object"), "0123456789").ok());
  const auto file = this->store().OpenFile(this->Path("object")).ValueOrDie();
  EXPECT_EQ(file->path(), this->Path("object"));
  EXPECT_EQ(file->size_bytes(), 10u);
  for (const ByteRange range :
       {ByteRange{0, 10}, ByteRange{3, 7}, ByteRange{9, 10}, ByteRange{4, 4}, ByteRange{10, 10}}) {
    const std::string expected = std::string("0123456789").substr(range.begin, range.size());
    EXPECT_EQ(file->ReadAt(range).ValueOrDie()->ToString(), expected);
    std::string out(range.size(), '?');
    ASSERT_TRUE(file->ReadInto(range, reinterpret_cast<uint8_t*>(out.data())).ok());
    EXPECT_EQ(out, expected);
  }
}

TYPED_TEST_P(StoreSuite, RefusesRangesBeyondTheEnd) {
  ASSERT_TRUE(this->store().Put(this->Path("object"), "0123456789").ok());
  const auto file = this->store().OpenFile(this->Path("object")).ValueOrDie();
  uint8_t out[64] = {};
  for (const ByteRange range : {ByteRange{0, 11}, ByteRange{10, 11}, ByteRange{20, 30}}) {
    this->ExpectError(file->ReadAt(range).status(), ErrorKind::kCorrupt, this->Path("object"));
    this->ExpectError(file->ReadInto(range, out), ErrorKind::kCorrupt, this->Path("object"));
  }
  // Must not try to allocate what it is asked for.
  this->ExpectError(file->ReadAt({0, ~uint64_t{0}}).status(), ErrorKind::kCorrupt,
                    this->Path("object"));
  this->ExpectError(file->ReadAt({5, 4}).status(), ErrorKind::kCorrupt, this->Path("object"));
}

TYPED_TEST_P(StoreSuite, ReadsNoMoreThanAllowed) {
  ASSERT_TRUE(this->store().Put(this->Path("object"), "0123456789").ok());
  EXPECT_EQ(this->store().ReadWhole(this->Path("object"), 10).ValueOrDie()->size(), 10);
  this->ExpectError(this->store().ReadWhole(this->Path("object"), 9).status(), ErrorKind::kTooLarge,
                    this->Path("object"));
}

TYPED_TEST_P(StoreSuite, SaysWhatIsMissing) {
  ASSERT_TRUE(this->store().Put(this->Path("there"), "x").ok());
  for (const std::string& name :
       {std::string("missing"), std::string("missing/below"), std::string("there/below")}) {
    const std::string path = this->Path(name);
    this->ExpectError(this->store().OpenFile(path).status(), ErrorKind::kNotFound, path);
    this->ExpectError(this->store().ReadWhole(path, 10).status(), ErrorKind::kNotFound, path);
    this->ExpectError(this->store().ListFolder(path).status(), ErrorKind::kNotFound, path);
    this->ExpectError(this->store().Stat(path).status(), ErrorKind::kNotFound, path);
    this->ExpectError(this->store().Remove(path), ErrorKind::kNotFound, path);
  }
}

TYPED_TEST_P(StoreSuite, AFolderIsNoObject) {
  ASSERT_TRUE(this->store().Put(this->Path("folder/object"), "x").ok());
  const std::string path = this->Path("folder");
  this->ExpectError(this->store().OpenFile(path).status(), ErrorKind::kIo, path);
  this->ExpectError(this->store().ReadWhole(path, 10).status(), ErrorKind::kIo, path);
  this->ExpectError(this->store().Put(path, "x"), ErrorKind::kIo, path);
  this->ExpectError(this->store().Remove(path), ErrorKind::kIo, path);
  EXPECT_EQ(this->store().PutIfAbsent(path, "x").ValueOrDie(), PutOutcome::kAlreadyExists);
  EXPECT_EQ(this->Names(this->Root()), std::vector<std::string>{"folder/"});
  EXPECT_EQ(this->Names(path), std::vector<std::string>{"object"});
}

TYPED_TEST_P(StoreSuite, AnOpenFileKeepsItsBytes) {
  const std::string path = this->Path("object");
  ASSERT_TRUE(this->store().Put(path, "old bytes").ok());
  const auto file = this->store().OpenFile(path).ValueOrDie();
  ASSERT_TRUE(this->store().Put(path, "new").ok());
  EXPECT_EQ(file->ReadAt({0, 9}).ValueOrDie()->ToString(), "old bytes");
  ASSERT_TRUE(this->store().Remove(path).ok());
  EXPECT_EQ(file->ReadAt({4, 9}).ValueOrDie()->ToString(), "bytes");
}

TYPED_TEST_P(StoreSuite, OfTwoThatRaceToPutOneWins) {
  constexpr int kRounds = 200;
  std::atomic<int> num_ready{0};
  std::vector<PutOutcome> outcomes[2];
  const auto race = [&](size_t me) {
    for (int round = 0; round < kRounds; ++round) {
      // Both meet here before each round.
      num_ready.fetch_add(1);
      while (num_ready.load() < 2 * (round + 1)) std::this_thread::yield();
      const std::string path = this->Path("race/" + std::to_string(round));
      outcomes[me].push_back(
          this->store().PutIfAbsent(path, std::string(1000, me == 0 ? 'a' : 'b')).ValueOrDie());
    }
  };
  std::thread other(race, 1);
  race(0);
  other.join();
  for (size_t round = 0; round < kRounds; ++round) {
    const bool first_won = outcomes[0][round] == PutOutcome::kWritten;
    EXPECT_NE(first_won, outcomes[1][round] == PutOutcome::kWritten) << round;
    EXPECT_EQ(this->Read(this->Path("race/" + std::to_string(round))),
              std::string(1000, first_won ? 'a' : 'b'));
  }
  EXPECT_EQ(this->Names(this->Path("race")).size(), static_cast<size_t>(kRounds));
}

TYPED_TEST_P(StoreSuite, AReaderNeverSeesAPartOfAPut) {
  const std::string path = this->Path("hint");
  const std::string versions[] = {std::string(10, 'a'), std::string(200000, 'b')};
  ASSERT_TRUE(this->store().Put(path, versions[0]).ok());
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(this->store().Put(path, versions[i % 2]).ok());
    }
    done.store(true);
  });
  while (!done.load()) {
    const std::string seen = this->Read(path);
    EXPECT_TRUE(seen == versions[0] || seen == versions[1]) << seen.substr(0, 100);
  }
  writer.join();
  EXPECT_EQ(this->Names(this->Root()), std::vector<std::string>{"hint"});
}

REGISTER_TYPED_TEST_SUITE_P(StoreSuite, ReadsBackWhatWasPut, PutIfAbsentNeverReplaces,
                            ARemovedNameIsFreeAgain, MakesTheFoldersAbove, ListsOneFolderOnly,
                            ReadsRanges, RefusesRangesBeyondTheEnd, ReadsNoMoreThanAllowed,
                            SaysWhatIsMissing, AFolderIsNoObject, AnOpenFileKeepsItsBytes,
                            OfTwoThatRaceToPutOneWins, AReaderNeverSeesAPartOfAPut);

}  // namespace pennon::testing_support
