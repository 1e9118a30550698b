// Takes any bytes as the sequences of up to four fragments (each led by two bytes of length),
// indexes them and asks for ids in and around them, often enough for dear stretches to be merged.
// Answers must agree with the sequences.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "pennon/base/error.h"
#include "rowids/row_id_index.h"

namespace {

using namespace pennon;  // NOLINT: one target

void Require(bool holds) {
  if (!holds) std::abort();
}

// Every slot of each id, as far as all bodies are sound and small.
bool CollectSlots(const std::vector<IndexedFragment>& fragments,
                  std::map<uint64_t, std::vector<uint64_t>>* slots) {
  for (const auto& fragment : fragments) {
    const auto sequence = DecodeRowIdSequence(fragment.row_ids, nullptr);
    if (!sequence.ok() || !sequence->Validate().ok()) return false;
    const auto ids = sequence->ToVector(4000);
    if (!ids.ok()) return false;
    for (uint64_t i = 0; i < ids->size(); ++i) {
      (*slots)[(*ids)[i]].push_back(
          ToInteger(MakeRowAddress(fragment.id, RowOffset{static_cast<uint32_t>(i)})));
    }
  }
  return true;
}

void CheckAnswer(const arrow::Result<RowLocation>& answer, const std::vector<uint64_t>& addresses) {
  // An array of any order that lists an id twice is only noticed once it is merged.
  if (addresses.size() > 1) {
    Require(!answer.ok() || answer->state == RowState::kLive);
    return;
  }
  Require(answer.ok() && answer->state == RowState::kLive &&
          ToInteger(answer->address) == addresses[0]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::vector<IndexedFragment> fragments;
  while (input.size() >= 2 && fragments.size() < 4) {
    const size_t length = std::min<size_t>(
        input.size() - 2, static_cast<uint8_t>(input[0]) + 256u * static_cast<uint8_t>(input[1]));
    const std::string_view bytes = input.substr(2, length);
    const auto sequence = DecodeRowIdSequence(bytes, nullptr);
    fragments.push_back(
        {.id = FragmentId{static_cast<uint32_t>(3 * fragments.size() + 1)},
         .physical_rows =
             sequence.ok() ? std::min<uint64_t>(sequence->size(), uint64_t{1} << 32) : 1,
         .row_ids = bytes});
    input.remove_prefix(2 + length);
  }
  const auto made =
      RowIdIndex::Make({.fragments = fragments, .next_row_id = 5, .merged_bytes_max = 1 << 24});
  if (!made.ok()) return 0;
  const RowIdIndex& index = **made;
  std::map<uint64_t, std::vector<uint64_t>> slots;
  const bool is_sound = CollectSlots(fragments, &slots);
  std::vector<uint64_t> questions = {0, 1, 5, ~uint64_t{0}};
  for (const auto& [id, addresses] : slots) {
    questions.push_back(id);
    questions.push_back(id + 1);
  }
  for (int round = 0; round < 2; ++round) {
    for (const uint64_t id : questions) {
      const auto answer = index.Find(RowId{id});
      const auto expected = slots.find(id);
      if (!is_sound) continue;
      if (expected != slots.end()) {
        CheckAnswer(answer, expected->second);
      } else {
        Require(answer.ok() && answer->state == (id < 5 ? RowState::kGone : RowState::kNeverGiven));
      }
    }
  }
  std::vector<RowLocation> locations(questions.size());
  (void)index.FindMany(questions, locations);
  for (const auto& fragment : fragments) {
    for (uint32_t i = 0; i < std::min<uint64_t>(fragment.physical_rows, 100); ++i) {
      (void)index.LiveIdAt(MakeRowAddress(fragment.id, RowOffset{i}));
    }
  }
  (void)index.Health();
  return 0;
}
