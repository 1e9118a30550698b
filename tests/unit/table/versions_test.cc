#include "table/versions.h"

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

constexpr uint64_t kDetachedBit = uint64_t{1} << 63;

struct NameCase {
  const char* name;
  std::optional<uint64_t> version;
  ManifestNaming naming;
};

TEST(Versions, ReadsManifestNames) {
  constexpr auto kV1 = ManifestNaming::kV1;
  constexpr auto kV2 = ManifestNaming::kV2;
  const NameCase cases[] = {
      {"1.manifest", 1, kV1},
      {"12345.manifest", 12345, kV1},
      {"18446744073709551614.manifest", 1, kV2},
      {"18446744073709551608.manifest", 7, kV2},
      {"18446744073709551615.manifest", 0, kV2},
      {"09223372036854775808.manifest", 9223372036854775807u, kV2},
      {"d9223372036854775813.manifest", kDetachedBit + 5, kV2},
      {"d5.manifest", {}, kV2},
      {"d.manifest", {}, kV2},
      {".manifest", {}, kV2},
      {"manifest", {}, kV2},
      {"x.manifest", {}, kV2},
      {"-1.manifest", {}, kV2},
      {"+1.manifest", {}, kV2},
      {"1 .manifest", {}, kV2},
      {"18446744073709551616.manifest", {}, kV2},
      {"5.manifest#1", {}, kV2},
      {"5.manifest.tmp", {}, kV2},
      {"latest_version_hint.json", {}, kV2},
  };
  for (const auto& item : cases) {
    const auto name = ParseManifestName(item.name);
    ASSERT_EQ(name.has_value(), item.version.has_value()) << item.name;
    if (!name.has_value()) continue;
    EXPECT_EQ(ToInteger(name->version), *item.version) << item.name;
    EXPECT_EQ(name->naming, item.naming) << item.name;
  }
}

TEST(Versions, WritesManifestNames) {
  EXPECT_EQ(ManifestPath("/t", Version{7}, ManifestNaming::kV1), "/t/_versions/7.manifest");
  EXPECT_EQ(ManifestPath("/t", Version{7}, ManifestNaming::kV2),
            "/t/_versions/18446744073709551608.manifest");
  EXPECT_EQ(ManifestPath("/t", Version{(uint64_t{1} << 63) - 1}, ManifestNaming::kV2),
            "/t/_versions/09223372036854775808.manifest");
  EXPECT_EQ(ManifestPath("/t", Version{kDetachedBit + 5}, ManifestNaming::kV1),
            "/t/_versions/d9223372036854775813.manifest");
}

class Folder {
 public:
  void Add(const std::string& name, const std::string& bytes = "x") {
    EXPECT_TRUE(store->Put("/t/_versions/" + name, bytes).ok());
  }
  void AddV2(uint64_t version) {
    EXPECT_TRUE(store->Put(ManifestPath("/t", Version{version}, ManifestNaming::kV2), "x").ok());
  }
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
};

std::vector<uint64_t> Numbers(const std::vector<Version>& versions) {
  std::vector<uint64_t> out;
  for (const Version version : versions) out.push_back(ToInteger(version));
  return out;
}

TEST(Versions, ListsWhatThereIs) {
  Folder folder;
  for (const uint64_t version : {3, 1, 10, 2}) folder.AddV2(version);
  folder.Add("d9223372036854775813.manifest");
  folder.Add("18446744073709551604.manifest#1");
  folder.Add("latest_version_hint.json");
  folder.Add("notes.txt");
  const auto listing = ListVersions(*folder.store, "/t").ValueOrDie();
  EXPECT_EQ(listing.naming, ManifestNaming::kV2);
  EXPECT_EQ(Numbers(listing.versions), (std::vector<uint64_t>{1, 2, 3, 10}));
  EXPECT_EQ(Numbers(listing.detached), (std::vector<uint64_t>{kDetachedBit + 5}));
  EXPECT_EQ(listing.other_files,
            (std::vector<std::string>{"18446744073709551604.manifest#1", "notes.txt"}));
}

TEST(Versions, ListsV1Names) {
  Folder folder;
  for (const char* name : {"9.manifest", "10.manifest", "2.manifest"}) folder.Add(name);
  const auto listing = ListVersions(*folder.store, "/t").ValueOrDie();
  EXPECT_EQ(listing.naming, ManifestNaming::kV1);
  EXPECT_EQ(Numbers(listing.versions), (std::vector<uint64_t>{2, 9, 10}));
}

TEST(Versions, RefusesTwoNamingSchemes) {
  Folder folder;
  folder.Add("1.manifest");
  folder.AddV2(2);
  const auto status = ListVersions(*folder.store, "/t").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(MessageOf(status),
            "manifests of both naming schemes lie in one folder; finish or undo the renaming: "
            "/t/_versions");
}

TEST(Versions, SaysWhyThereIsNoTable) {
  Folder folder;
  EXPECT_TRUE(folder.store->Put("/folder/data/x.lance", "x").ok());
  EXPECT_TRUE(folder.store->Put("/file", "x").ok());
  EXPECT_TRUE(folder.store->Put("/empty/_versions/notes.txt", "x").ok());
  const std::pair<const char*, const char*> cases[] = {
      {"/missing", "no such path: /missing"},
      {"/file", "not a Lance table but a file; give the table's folder: /file"},
      {"/folder", "not a Lance table: it has no _versions folder: /folder"},
      {"/empty", "table has no versions: its _versions folder holds no manifest: /empty"},
  };
  for (const auto& [root, message] : cases) {
    const auto status = FindLatestVersion(*folder.store, root).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kNotFound) << root;
    EXPECT_EQ(MessageOf(status), message);
  }
}

struct HintCase {
  const char* bytes;
  std::optional<uint64_t> version;
};

TEST(Versions, ReadsTheHintIfItCan) {
  const HintCase cases[] = {
      {"{\"version\":5}", 5},
      {" { \"version\" : 18 , \"more\": [1] } ", 18},
      {"{\"version\":0}", 0},
      {"{\"version\":9223372036854775809}", {}},
      {"{\"version\":-1}", {}},
      {"{\"version\":5.5}", {}},
      {"{\"version\":\"5\"}", {}},
      {"{\"version\":18446744073709551616}", {}},
      {"{}", {}},
      {"[5]", {}},
      {"5", {}},
      {"{\"version\":5", {}},
      {"", {}},
      {"\xff", {}},
  };
  for (const auto& item : cases) {
    Folder folder;
    folder.Add("latest_version_hint.json", item.bytes);
    const auto hint = ReadVersionHint(*folder.store, "/t");
    ASSERT_EQ(hint.has_value(), item.version.has_value()) << item.bytes;
    if (hint.has_value()) {
      EXPECT_EQ(ToInteger(*hint), *item.version) << item.bytes;
    }
  }
  EXPECT_FALSE(ReadVersionHint(*Folder().store, "/t").has_value());
  Folder large;
  large.Add("latest_version_hint.json", "{\"version\":5}" + std::string(5000, ' '));
  EXPECT_FALSE(ReadVersionHint(*large.store, "/t").has_value());
}

TEST(Versions, WritesTheHintAsTheFormatHasIt) {
  Folder folder;
  WriteVersionHint(*folder.store, "/t", Version{12});
  EXPECT_EQ(folder.store->files().at("/t/_versions/latest_version_hint.json"), "{\"version\":12}");
}

struct LatestCase {
  std::vector<uint64_t> listed;
  std::vector<uint64_t> written_meanwhile;  ///< There, but not in the listing.
  std::optional<uint64_t> hint;
  uint64_t latest;
};

/// A listing that does not show everything, as when it ran while versions were written.
class OldListing : public MemoryStore {
 public:
  explicit OldListing(std::vector<std::string> hidden) : hidden_(std::move(hidden)) {}
  arrow::Result<std::vector<FolderEntry>> ListFolder(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto entries, MemoryStore::ListFolder(path));
    std::erase_if(entries, [this](const FolderEntry& entry) {
      return std::find(hidden_.begin(), hidden_.end(), entry.name) != hidden_.end();
    });
    return entries;
  }

 private:
  std::vector<std::string> hidden_;
};

TEST(Versions, FindsTheNewestByListingAndHint) {
  const LatestCase cases[] = {
      {{1, 2, 3}, {}, {}, 3},          {{1, 2, 3}, {}, 3, 3}, {{1, 2, 3}, {}, 2, 3},  // behind
      {{1, 2, 3}, {}, 9, 3},         // ahead of what there is
      {{1, 2, 3}, {4, 5}, 5, 5},     // written while the listing ran
      {{1, 2, 3}, {4, 5, 6}, 5, 6},  // and one more behind the hint
      {{1, 2, 3}, {4, 5}, {}, 3},    // nothing leads to them
      {{1, 2, 3}, {1004}, 1004, 3},  // too far to be believed
      {{1, 2, 3}, {1003}, 1003, 1003}, {{5}, {}, {}, 5},
  };
  for (const auto& item : cases) {
    std::vector<std::string> hidden;
    for (const uint64_t version : item.written_meanwhile) {
      hidden.push_back(ManifestPath("", Version{version}, ManifestNaming::kV2).substr(10));
    }
    OldListing store(hidden);
    for (const auto& list : {item.listed, item.written_meanwhile}) {
      for (const uint64_t version : list) {
        EXPECT_TRUE(store.Put(ManifestPath("/t", Version{version}, ManifestNaming::kV2), "x").ok());
      }
    }
    if (item.hint.has_value()) WriteVersionHint(store, "/t", Version{*item.hint});
    const auto latest = FindLatestVersion(store, "/t").ValueOrDie();
    EXPECT_EQ(ToInteger(latest.version), item.latest);
    EXPECT_EQ(latest.naming, ManifestNaming::kV2);
  }
}

TEST(Versions, DetachedVersionsAreNeverTheNewest) {
  Folder folder;
  folder.AddV2(2);
  folder.Add("d9223372036854775813.manifest");
  EXPECT_EQ(FindLatestVersion(*folder.store, "/t")->version, Version{2});
}

TEST(Versions, FindingTheNewestTakesTwoCalls) {
  Folder folder;
  for (const uint64_t version : {1, 2, 3}) folder.AddV2(version);
  WriteVersionHint(*folder.store, "/t", Version{3});
  const auto observer = std::make_shared<testing_support::RecordingObserver>();
  const auto store = MakeObservedStore(folder.store, observer);
  ASSERT_TRUE(FindLatestVersion(*store, "/t").ok());
  EXPECT_EQ(observer->Calls("/t"),
            (std::vector<std::string>{"list _versions",
                                      "read whole _versions/latest_version_hint.json"}));
}

}  // namespace
}  // namespace pennon
