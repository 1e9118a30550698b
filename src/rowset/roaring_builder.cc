#include "rowset/roaring_builder.h"

#include <utility>

namespace pennon {

void RoaringBuilder::AddEntry(uint16_t key, size_t first_unit, ChunkKind kind, uint32_t count) {
  chunks_.entries.push_back(
      {static_cast<uint32_t>(first_unit), static_cast<uint32_t>(chunks_.count), key, kind});
  chunks_.count += count;
}

void RoaringBuilder::Add(uint16_t key, std::span<const uint16_t> values) {
  const size_t first_unit = chunks_.units.size();
  const ChunkKind kind = AppendChunk(values, &chunks_.units);
  AddEntry(key, first_unit, kind, static_cast<uint32_t>(values.size()));
}

void RoaringBuilder::Add(uint16_t key, ConstChunkWords words) {
  const size_t first_unit = chunks_.units.size();
  uint32_t count = 0;
  const ChunkKind kind = AppendChunk(words, &chunks_.units, &count);
  AddEntry(key, first_unit, kind, count);
}

void RoaringBuilder::Add(uint16_t key, std::span<const ChunkRun> runs) {
  const size_t first_unit = chunks_.units.size();
  uint32_t count = 0;
  const ChunkKind kind = AppendChunk(runs, &chunks_.units, &count);
  AddEntry(key, first_unit, kind, count);
}

void RoaringBuilder::Add(uint16_t key, const ChunkView& chunk) {
  const size_t first_unit = chunks_.units.size();
  chunks_.units.insert(chunks_.units.end(), chunk.units.begin(), chunk.units.end());
  AddEntry(key, first_unit, chunk.kind, chunk.count);
}

RoaringSet RoaringBuilder::Finish() {
  if (chunks_.entries.empty()) return RoaringSet();
  chunks_.entries.shrink_to_fit();
  chunks_.units.shrink_to_fit();
  return RoaringSet(std::make_shared<const RoaringChunks>(std::exchange(chunks_, {})));
}

}  // namespace pennon
