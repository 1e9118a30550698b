#include "table/refs.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "support/memory_store.h"
#include "support/observers.h"

namespace pennon {
namespace {

using testing_support::MemoryStore;

void PutTag(MemoryStore& store, const std::string& name, const std::string& json) {
  ASSERT_TRUE(store.Put("/t/_refs/tags/" + name + ".json", json).ok());
}
void PutBranch(MemoryStore& store, const std::string& name, const std::string& json) {
  ASSERT_TRUE(store.Put("/t/_refs/branches/" + name + ".json", json).ok());
}

TEST(Refs, AreNoneWhereThereAreNoFolders) {
  MemoryStore store;
  EXPECT_TRUE(ListTags(store, "/t")->empty());
  EXPECT_TRUE(ListBranches(store, "/t")->empty());
}

TEST(Refs, ReadsTagsAsTheReferenceEngineWritesThem) {
  MemoryStore store;
  PutTag(store, "v1.0",
         "{\n  \"branch\": null,\n  \"version\": 3,\n  \"createdAt\": \"2026-11-30T06:09:59.7Z\",\n"
         "  \"updatedAt\": \"2026-11-30T06:09:59.7Z\",\n  \"manifestSize\": 1234,\n  \"metadata\": "
         "{}\n}");
  PutTag(store, "best", "{\"branch\":\"team/try\",\"version\":12,\"manifestSize\":1}");
  PutTag(store, "notes", "{\"version\":1}");
  ASSERT_TRUE(store.Put("/t/_refs/tags/readme.txt", "no tag").ok());
  const auto tags = ListTags(store, "/t").ValueOrDie();
  ASSERT_EQ(tags.size(), 3u);
  EXPECT_EQ(tags[0].name, "best");
  EXPECT_EQ(tags[0].version, Version{12});
  EXPECT_EQ(tags[0].branch, "team/try");
  EXPECT_EQ(tags[1].name, "notes");
  EXPECT_EQ(tags[2].name, "v1.0");
  EXPECT_EQ(tags[2].version, Version{3});
  EXPECT_FALSE(tags[2].branch.has_value());

  EXPECT_EQ(ReadTag(store, "/t", "best")->version, Version{12});
  EXPECT_EQ(ReadTag(store, "/t", "v1.0")->name, "v1.0");
}

TEST(Refs, ReadsBranches) {
  MemoryStore store;
  PutBranch(store, "try",
            "{\"parentBranch\":null,\"identifier\":{\"version_mapping\":[[4,\"abc\"]]},"
            "\"parentVersion\":4,\"createAt\":1,\"manifestSize\":2,\"metadata\":{}}");
  PutBranch(store, "team%2Fa%2Fb", "{\"parentBranch\":\"try\",\"parentVersion\":7}");
  const auto branches = ListBranches(store, "/t").ValueOrDie();
  ASSERT_EQ(branches.size(), 2u);
  EXPECT_EQ(branches[0].name, "team/a/b");
  EXPECT_EQ(branches[0].parent_branch, "try");
  EXPECT_EQ(branches[0].parent_version, Version{7});
  EXPECT_EQ(branches[1].name, "try");
  EXPECT_FALSE(branches[1].parent_branch.has_value());
}

TEST(Refs, NamesTheTagsThereAre) {
  MemoryStore store;
  EXPECT_EQ(MessageOf(ReadTag(store, "/t", "x").status()),
            "tag \"x\" is not there; the table has no tags: /t");
  for (int i = 0; i < 3; ++i) PutTag(store, "t" + std::to_string(i), "{\"version\":1}");
  const auto status = ReadTag(store, "/t", "x").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kNotFound);
  EXPECT_EQ(MessageOf(status), "tag \"x\" is not there; tags are t0, t1, t2: /t");
  for (int i = 0; i < 14; ++i) PutTag(store, "t" + std::to_string(i), "{\"version\":1}");
  EXPECT_EQ(
      MessageOf(ReadTag(store, "/t", "x").status()),
      "tag \"x\" is not there; tags are t0, t1, t10, t11, t12, t13, t2, t3, t4, t5 and 4 more: /t");
}

TEST(Refs, RefusesImpossibleTagNames) {
  MemoryStore store;
  ASSERT_TRUE(store.Put("/t/secret.json", "{\"version\":1}").ok());
  for (const char* name : {"", "../../secret", "a/b", "a b", "a%2Fb", "\xC3\xA4", "a\\b"}) {
    EXPECT_EQ(KindOf(ReadTag(store, "/t", name).status()), ErrorKind::kInvalidArgument) << name;
  }
}

struct BadRef {
  const char* json;
  const char* message;
};

TEST(Refs, RefusesFilesThatAreNoRefs) {
  const BadRef cases[] = {
      {"", "not a JSON object: /t/_refs/tags/bad.json"},
      {"{\"version\":1", "not a JSON object: /t/_refs/tags/bad.json"},
      {"[1]", "not a JSON object: /t/_refs/tags/bad.json"},
      {"\xff\xfe", "not a JSON object: /t/_refs/tags/bad.json"},
      {"{\"version\":3,\"branch\":\"../x\"}",
       "tag names an impossible branch: \"../x\": /t/_refs/tags/bad.json"},
      {"{}", "\"version\" is missing or no number: /t/_refs/tags/bad.json"},
      {"{\"version\":\"3\"}", "\"version\" is missing or no number: /t/_refs/tags/bad.json"},
      {"{\"version\":-3}", "\"version\" is missing or no number: /t/_refs/tags/bad.json"},
      {"{\"version\":3.5}", "\"version\" is missing or no number: /t/_refs/tags/bad.json"},
  };
  for (const auto& item : cases) {
    MemoryStore store;
    PutTag(store, "bad", item.json);
    for (const auto& status :
         {ListTags(store, "/t").status(), ReadTag(store, "/t", "bad").status()}) {
      EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << item.json;
      EXPECT_EQ(MessageOf(status), item.message) << item.json;
    }
  }
  MemoryStore store;
  PutBranch(store, "bad", "{\"version\":1}");
  const auto status = ListBranches(store, "/t").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(MessageOf(status),
            "\"parentVersion\" is missing or no number: /t/_refs/branches/bad.json");
}

TEST(Refs, PassesOverWhatIsDeletedMeanwhile) {
  const auto memory = std::make_shared<MemoryStore>();
  for (const char* name : {"a", "b"}) {
    PutTag(*memory, name, "{\"version\":1}");
    PutBranch(*memory, name, "{\"parentVersion\":1}");
  }
  const auto hook =
      std::make_shared<testing_support::HookObserver>([&memory](const StoreEvent& event) {
        if (event.call == StoreCall::kReadWhole && event.path.ends_with("/a.json")) {
          ASSERT_TRUE(memory->Remove(event.path).ok());
        }
      });
  const auto store = MakeObservedStore(memory, hook);
  ASSERT_EQ(ListTags(*store, "/t")->size(), 1u);
  EXPECT_EQ(ListTags(*store, "/t")->front().name, "b");
  EXPECT_EQ(ListBranches(*store, "/t")->front().name, "b");
}

TEST(Refs, SurvivesDeepNesting) {
  MemoryStore store;
  PutTag(store, "deep", std::string(500000, '['));
  EXPECT_EQ(KindOf(ReadTag(store, "/t", "deep").status()), ErrorKind::kCorrupt);
  PutTag(store, "deep",
         "{\"version\":" + std::string(400000, '[') + std::string(400000, ']') + "}");
  EXPECT_EQ(KindOf(ReadTag(store, "/t", "deep").status()), ErrorKind::kCorrupt);
  PutTag(store, "deep", std::string((1 << 20) + 1, ' '));
  EXPECT_EQ(KindOf(ReadTag(store, "/t", "deep").status()), ErrorKind::kTooLarge);
}

TEST(Refs, RefusesBranchesThatLeadOutOfTheTable) {
  for (const char* name :
       {"..%2F..%2Fother", "..", "a%2F..%2Fb", "%2Fetc", "a%2F", "a%2F%2Fb", "a\\b", "a b"}) {
    MemoryStore store;
    PutBranch(store, name, "{\"parentVersion\":1}");
    const auto status = ListBranches(store, "/t").status();
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << name;
    EXPECT_NE(MessageOf(status).find("no branch can have this name"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace pennon
