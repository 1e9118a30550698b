// Every answer of a roaring set against std::set, and its bytes against CRoaring, which knows
// nothing of ours.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <roaring/roaring.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "rowset/roaring.h"
#include "rowset/roaring_algebra.h"

namespace pennon {
namespace {

using Model = std::set<uint32_t>;

// A set of a few patches: runs, every n-th value, or scattered values, near chunk borders more
// often than not.
Model ArbitraryModel() {
  Model model;
  const int patches = *rc::gen::inRange(0, 5);
  for (int i = 0; i < patches; ++i) {
    const auto base = *rc::gen::element(0u, 65530u, 65536u, 131000u, 0x7FFFFFF0u, 0xFFFE0000u);
    const auto start = base + *rc::gen::inRange(0u, 70000u);
    const auto step = *rc::gen::element(1u, 1u, 2u, 3u, 17u, 5000u);
    const auto length = *rc::gen::element(1u, 3u, 4u, 5u, 100u, 4096u, 4097u, 9000u, 65536u);
    const auto stop = *rc::gen::inRange(0u, 3u) == 0 ? length : std::min(length, 6u);
    uint64_t value = start;
    for (uint32_t j = 0; j < stop && value <= 0xFFFFFFFF; ++j, value += step) {
      model.insert(static_cast<uint32_t>(value));
    }
  }
  return model;
}

std::vector<uint32_t> Values(const Model& model) { return {model.begin(), model.end()}; }

RoaringSet SetOf(const Model& model) { return RoaringSet::FromSorted(Values(model)); }

struct FreeRoaring {
  void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
};
using Judge = std::unique_ptr<roaring_bitmap_t, FreeRoaring>;

Judge JudgeOf(const Model& model) {
  const std::vector<uint32_t> values = Values(model);
  return Judge(roaring_bitmap_of_ptr(values.size(), values.data()));
}

std::string JudgeBytes(const Judge& judge) {
  std::string bytes(roaring_bitmap_portable_size_in_bytes(judge.get()), '\0');
  roaring_bitmap_portable_serialize(judge.get(), bytes.data());
  return bytes;
}

void Check(const char* what, const std::function<void()>& property) {
  EXPECT_TRUE(rc::check(what, property));
}

// Values worth asking about: members, their neighbours, chunk borders.
std::vector<uint32_t> Probes(const Model& model) {
  std::vector<uint32_t> probes{0, 1, 65535, 65536, 0xFFFFFFFE, 0xFFFFFFFF};
  size_t i = 0;
  for (const uint32_t value : model) {
    if (i++ % (model.size() / 64 + 1) != 0) continue;
    for (const uint32_t probe : {value - 1, value, value + 1, value ^ 0x10000})
      probes.push_back(probe);
  }
  return probes;
}

TEST(RoaringProperty, AnswersAsTheModel) {
  Check("contains, rank, select, min, max", [] {
    const Model model = ArbitraryModel();
    const RoaringSet set = SetOf(model);
    const std::vector<uint32_t> sorted = Values(model);
    RC_ASSERT(set.count() == model.size());
    RC_ASSERT(set.ToVector() == sorted);
    if (!model.empty()) {
      RC_ASSERT(set.min() == *model.begin());
      RC_ASSERT(set.max() == *model.rbegin());
    }
    for (const uint32_t probe : Probes(model)) {
      const auto rank = static_cast<uint64_t>(
          std::lower_bound(sorted.begin(), sorted.end(), probe) - sorted.begin());
      const bool in = model.contains(probe);
      RC_ASSERT(set.Contains(probe) == in);
      RC_ASSERT(set.Rank(probe) == rank);
      if (!in) RC_ASSERT(set.SelectAbsent(probe - rank) == probe);
    }
  });
}

TEST(RoaringProperty, MakesTheSameSetFromAnyOrder) {
  Check("unsorted with duplicates", [] {
    const Model model = ArbitraryModel();
    std::vector<uint32_t> values = Values(model);
    values.insert(values.end(), model.begin(), model.end());
    std::mt19937 shuffle(*rc::gen::arbitrary<uint32_t>());
    std::shuffle(values.begin(), values.end(), shuffle);
    RC_ASSERT(RoaringSet::FromUnsorted(values) == SetOf(model));
  });
}

TEST(RoaringProperty, WalksTheRunsOfAnyRange) {
  Check("runs are maximal and complete", [] {
    const Model model = ArbitraryModel();
    const std::vector<uint32_t> probes = Probes(model);
    const uint64_t a = probes[*rc::gen::inRange<size_t>(0, probes.size())];
    const uint64_t b = probes[*rc::gen::inRange<size_t>(0, probes.size())];
    const ValueRange within{std::min(a, b), std::max(a, b)};
    std::vector<uint32_t> walked;
    uint64_t behind = 0;
    bool first = true;
    RoaringRunCursor cursor(SetOf(model), within);
    for (ValueRange run; cursor.Next(&run);) {
      RC_ASSERT(run.begin < run.end);
      RC_ASSERT(run.begin >= within.begin);
      RC_ASSERT(run.end <= within.end);
      if (!first) RC_ASSERT(run.begin > behind);
      for (uint64_t value = run.begin; value < run.end; ++value)
        walked.push_back(static_cast<uint32_t>(value));
      behind = run.end;
      first = false;
    }
    const std::vector<uint32_t> expected(model.lower_bound(static_cast<uint32_t>(within.begin)),
                                         model.lower_bound(static_cast<uint32_t>(within.end)));
    RC_ASSERT(walked == expected);
  });
}

TEST(RoaringProperty, SetAlgebraFollowsTheModel) {
  Check("union, intersection, difference, subset", [] {
    const Model left = ArbitraryModel();
    Model right = ArbitraryModel();
    if (*rc::gen::inRange(0, 2) == 0) {  // make them overlap
      size_t i = 0;
      for (const uint32_t value : left) {
        if (i++ % 3 != 0) right.insert(value);
      }
    }
    Model both;
    Model either = left;
    Model only_left = left;
    either.insert(right.begin(), right.end());
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                          std::inserter(both, both.end()));
    for (const uint32_t value : right) only_left.erase(value);

    const RoaringSet a = SetOf(left);
    const RoaringSet b = SetOf(right);
    RC_ASSERT(Union(a, b) == SetOf(either));
    RC_ASSERT(Intersect(a, b) == SetOf(both));
    RC_ASSERT(Subtract(a, b) == SetOf(only_left));
    RC_ASSERT(a.IsSubsetOf(b) == only_left.empty());
    RC_ASSERT(Intersect(a, b).IsSubsetOf(a));
    RC_ASSERT(a.IsSubsetOf(Union(a, b)));
  });
}

TEST(RoaringProperty, BytesGoBothWaysWithCRoaring) {
  Check("ours and theirs", [] {
    const Model model = ArbitraryModel();
    const RoaringSet set = SetOf(model);
    const std::string bytes = EncodeRoaring(set);
    RC_ASSERT(DecodeRoaring(bytes).ValueOrDie() == set);

    const Judge theirs(roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size()));
    const Judge expected = JudgeOf(model);
    RC_ASSERT(theirs != nullptr);
    RC_ASSERT(roaring_bitmap_equals(theirs.get(), expected.get()));

    RC_ASSERT(DecodeRoaring(JudgeBytes(expected)).ValueOrDie() == set);
    roaring_bitmap_run_optimize(expected.get());
    RC_ASSERT(DecodeRoaring(JudgeBytes(expected)).ValueOrDie() == set);
  });
}

TEST(RoaringProperty, MemoryFollowsTheValues) {
  Check("memory", [] {
    const RoaringSet set = SetOf(ArbitraryModel());
    RC_ASSERT(set.memory_bytes() <= 3 * EncodeRoaring(set).size() + 64);
  });
}

}  // namespace
}  // namespace pennon
