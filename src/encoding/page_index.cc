#include "encoding/page_index.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "encoding/block_values.h"
#include "encoding/structure_builder.h"
#include "encoding/value_builder.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr uint64_t kChunkUnitBytes = 8;
constexpr unsigned kLogValuesBits = 4;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

/// Buffers of a mini-block page by role.
struct MiniBlockBuffers {
  const ByteRange* words = nullptr;
  const ByteRange* data = nullptr;
  const ByteRange* dictionary = nullptr;
  const ByteRange* repetition_index = nullptr;
};

arrow::Result<MiniBlockBuffers> BuffersOf(const MiniBlockLayout& layout, const PageInfo& page) {
  const size_t expected =
      2 + (layout.dictionary ? 1 : 0) + (layout.repetition_index_depth != 0 ? 1 : 0);
  if (page.buffers.size() != expected) {
    return Corrupt(fmt::format("page has the wrong number of buffers: expected {}, got {}",
                               expected, page.buffers.size()));
  }
  MiniBlockBuffers buffers{.words = &page.buffers[0], .data = &page.buffers[1]};
  if (layout.dictionary) buffers.dictionary = &page.buffers[2];
  if (layout.repetition_index_depth != 0) buffers.repetition_index = &page.buffers.back();
  return buffers;
}

arrow::Status ParseChunkWords(Bytes words, uint64_t data_size, LayoutPageIndex* index) {
  const auto& layout = std::get<MiniBlockLayout>(index->layout.layout);
  const size_t word_size = layout.has_large_chunk ? 4 : 2;
  if (words.size() % word_size != 0)
    return Corrupt(fmt::format("chunk words are cut short: {} bytes", words.size()));
  const size_t num_chunks = words.size() / word_size;
  index->chunks.resize(num_chunks + 1);
  LayoutPageIndex::Chunk next;
  for (size_t c = 0; c < num_chunks; ++c) {
    index->chunks[c] = next;
    const uint8_t* at = words.data() + c * word_size;
    const uint32_t word =
        layout.has_large_chunk ? LoadLittleEndian<uint32_t>(at) : LoadLittleEndian<uint16_t>(at);
    const unsigned log_values = word & ((1u << kLogValuesBits) - 1);
    next.begin += (uint64_t{word >> kLogValuesBits} + 1) * kChunkUnitBytes;
    if (c + 1 == num_chunks) break;
    if (log_values == 0)
      return Corrupt(fmt::format("chunk has an impossible number of values: chunk {}", c));
    next.first_value += uint64_t{1} << log_values;
  }
  if (next.begin != data_size) {
    return Corrupt(
        fmt::format("chunks have the wrong total size: the page has {} bytes, the chunks {}",
                    data_size, next.begin));
  }
  if (num_chunks == 0
          ? layout.num_items != 0
          : layout.num_items < next.first_value || layout.num_items - next.first_value > 32768) {
    return Corrupt(fmt::format(
        "chunks have the wrong number of values: the page has {}, all but the last chunk {}",
        layout.num_items, next.first_value));
  }
  next.first_value = layout.num_items;
  index->chunks[num_chunks] = next;
  return arrow::Status::OK();
}

/// Per chunk: rows that end in it, slots of a row that does not; more words are for deeper lists
/// and not needed.
arrow::Status ParseRepetitionIndex(Bytes bytes, uint32_t depth, LayoutPageIndex* index) {
  const size_t num_chunks = index->chunks.size() - 1;
  const size_t stride = (uint64_t{depth} + 1) * 8;
  if (bytes.size() != num_chunks * stride) {
    return Corrupt(fmt::format("repetition index has the wrong size: {} chunks, {} bytes",
                               num_chunks, bytes.size()));
  }
  index->has_preamble.resize(num_chunks);
  uint64_t first_row = 0;
  bool has_preamble = false;
  for (size_t c = 0; c < num_chunks; ++c) {
    index->chunks[c].first_row = first_row;
    index->has_preamble[c] = has_preamble;
    const auto finished = LoadLittleEndian<uint64_t>(bytes.data() + c * stride);
    const bool has_trailer = LoadLittleEndian<uint64_t>(bytes.data() + c * stride + 8) != 0;
    const uint64_t started = SaturatingAdd(finished, has_trailer ? 1 : 0);
    if (started < (has_preamble ? 1 : 0)) {
      return Corrupt(fmt::format("repetition index contradicts itself: chunk {}", c));
    }
    first_row = SaturatingAdd(first_row, started - (has_preamble ? 1 : 0));
    has_preamble = has_trailer;
  }
  index->chunks[num_chunks].first_row = first_row;
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> DecodeDictionary(const MiniBlockLayout& layout,
                                                                  const LeafType& leaf, Bytes bytes,
                                                                  const BufferBudget& budget) {
  const LeafType& type = leaf.kind == LeafKind::kDictionary ? leaf.children[0] : leaf;
  if (type.kind != LeafKind::kFixed && type.kind != LeafKind::kVariable) {
    return Corrupt("dictionary in a column of another layout");
  }
  ValueBuilder builder(type, budget);
  DecodeScratch scratch;
  auto status =
      DecodeBlock(*layout.dictionary, bytes, layout.num_dictionary_items, &scratch, &builder);
  if (!status.ok()) return AddContext(status, " (dictionary)");
  return builder.Finish(nullptr, 0);
}

arrow::Status FillMiniBlock(const PageInfo& page, const LeafType& leaf,
                            std::span<const Bytes> bytes, const BufferBudget& budget,
                            LayoutPageIndex* index) {
  const auto& layout = std::get<MiniBlockLayout>(index->layout.layout);
  ARROW_RETURN_NOT_OK(ParseChunkWords(bytes[0], page.buffers[1].size(), index));
  size_t next = 1;
  if (layout.dictionary) {
    ARROW_ASSIGN_OR_RAISE(index->dictionary, DecodeDictionary(layout, leaf, bytes[next], budget));
    ++next;
  }
  if (layout.repetition_index_depth != 0 && layout.rep) {
    ARROW_RETURN_NOT_OK(ParseRepetitionIndex(bytes[next], layout.repetition_index_depth, index));
  } else {
    for (auto& chunk : index->chunks) chunk.first_row = chunk.first_value;
  }
  if (index->chunks.back().first_row != page.num_rows) {
    return Corrupt(
        fmt::format("chunks have the wrong number of rows: the page has {}, the chunks {}",
                    page.num_rows, index->chunks.back().first_row));
  }
  return arrow::Status::OK();
}

/// Buffers of a constant page: [value] [rep, def].
struct ConstantBuffers {
  const ByteRange* value = nullptr;
  const ByteRange* rep = nullptr;
  const ByteRange* def = nullptr;
};

arrow::Result<ConstantBuffers> BuffersOf(const ConstantLayout& layout, const PageInfo& page) {
  const size_t count = page.buffers.size();
  ConstantBuffers buffers;
  if (count > 3 || (layout.inline_value && count % 2 != 0)) {
    return Corrupt(fmt::format("constant page has an impossible number of buffers: {}", count));
  }
  if (count % 2 == 1) buffers.value = &page.buffers[0];
  if (count >= 2) {
    buffers.rep = &page.buffers[count - 2];
    buffers.def = &page.buffers[count - 1];
  }
  return buffers;
}

/// Takes the value out of Arrow's buffers of a one-value array: their count, their sizes, their
/// bytes.
arrow::Result<Bytes> ScalarBytes(Bytes bytes, const LeafType& leaf) {
  const uint32_t expected = leaf.kind == LeafKind::kVariable ? 2 : 1;
  const uint64_t header = 4 + 4 * uint64_t{expected};
  if (bytes.size() < header || LoadLittleEndian<uint32_t>(bytes.data()) != expected) {
    return Corrupt("value of a constant page has the wrong buffers");
  }
  uint64_t begin = header;
  for (uint32_t i = 0; i + 1 < expected; ++i)
    begin += LoadLittleEndian<uint32_t>(bytes.data() + 4 + 4 * i);
  const uint64_t size = LoadLittleEndian<uint32_t>(bytes.data() + 4 * expected);
  if (begin + size != bytes.size()) return Corrupt("value of a constant page has the wrong size");
  const Bytes value = bytes.subspan(begin, size);
  if (leaf.kind != LeafKind::kVariable) return value;
  // The offsets may leave bytes out.
  const uint64_t width = leaf.width_bytes;
  if (begin - header != 2 * width) return Corrupt("value of a constant page has the wrong offsets");
  const uint8_t* offsets = bytes.data() + header;
  const uint64_t first =
      width == 4 ? LoadLittleEndian<uint32_t>(offsets) : LoadLittleEndian<uint64_t>(offsets);
  const uint64_t last = width == 4 ? LoadLittleEndian<uint32_t>(offsets + 4)
                                   : LoadLittleEndian<uint64_t>(offsets + 8);
  if (first > last || last > size) return Corrupt("value of a constant page has the wrong offsets");
  return value.subspan(first, last - first);
}

arrow::Status SetValue(Bytes value, const LeafType& leaf, LayoutPageIndex* index) {
  const bool fits = leaf.kind == LeafKind::kVariable ||
                    (leaf.kind == LeafKind::kBits && !value.empty()) ||
                    (leaf.kind == LeafKind::kFixed && value.size() == leaf.width_bytes);
  if (!fits)
    return Corrupt(
        fmt::format("value of a constant page has the wrong width: {} bytes", value.size()));
  index->has_value = true;
  index->value.assign(value.begin(), value.end());
  return arrow::Status::OK();
}

arrow::Status ReadLevels(const std::optional<ValueEncoding>& encoding, uint64_t num_levels,
                         Bytes bytes, const BufferBudget& budget, std::vector<uint16_t>* out) {
  if (!encoding) {
    if (bytes.size() % 2 != 0) return Corrupt("levels of a constant page are cut short");
    out->resize(bytes.size() / 2);
    if (!bytes.empty()) std::memcpy(out->data(), bytes.data(), bytes.size());
    return arrow::Status::OK();
  }
  static const LeafType kLevelType = MakeWordType(2);
  ValueBuilder builder(kLevelType, budget);
  DecodeScratch scratch;
  ARROW_RETURN_NOT_OK(DecodeBlock(*encoding, bytes, num_levels, &scratch, &builder));
  out->resize(num_levels);
  if (num_levels != 0) std::memcpy(out->data(), builder.values.data(), num_levels * 2);
  return arrow::Status::OK();
}

arrow::Status FindRows(const PageInfo& page, uint16_t max_rep, LayoutPageIndex* index) {
  if (index->num_slots != 0 && index->rep[0] != max_rep)
    return Corrupt("constant page does not start with a row");
  for (uint64_t slot = 0; slot < index->num_slots; ++slot) {
    if (index->rep[slot] == max_rep) index->row_starts.push_back(slot);
  }
  if (index->row_starts.size() != page.num_rows) {
    return Corrupt(
        fmt::format("constant page has the wrong number of rows: expected {}, its levels have {}",
                    page.num_rows, index->row_starts.size()));
  }
  index->row_starts.push_back(index->num_slots);
  return arrow::Status::OK();
}

arrow::Status FillConstant(const PageInfo& page, const LeafType& leaf, std::span<const Bytes> bytes,
                           const BufferBudget& budget, LayoutPageIndex* index) {
  const auto& layout = std::get<ConstantLayout>(index->layout.layout);
  ARROW_ASSIGN_OR_RAISE(const ConstantBuffers buffers, BuffersOf(layout, page));
  size_t next = 0;
  const auto take = [&](const ByteRange* range) {
    return range == nullptr || range->size() == 0 ? Bytes() : bytes[next++];
  };
  const Bytes value = take(buffers.value);
  const Bytes rep = take(buffers.rep);
  const Bytes def = take(buffers.def);
  if (layout.inline_value) {
    const std::string& inlined = *layout.inline_value;
    ARROW_RETURN_NOT_OK(
        SetValue({reinterpret_cast<const uint8_t*>(inlined.data()), inlined.size()}, leaf, index));
  } else if (buffers.value != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const Bytes scalar, ScalarBytes(value, leaf));
    ARROW_RETURN_NOT_OK(SetValue(scalar, leaf, index));
  }
  ARROW_RETURN_NOT_OK(ReadLevels(layout.rep, layout.num_rep_values, rep, budget, &index->rep));
  ARROW_RETURN_NOT_OK(ReadLevels(layout.def, layout.num_def_values, def, budget, &index->def));
  index->has_rep = !index->rep.empty();
  index->has_def = !index->def.empty();
  index->num_slots = index->has_rep   ? index->rep.size()
                     : index->has_def ? index->def.size()
                                      : page.num_rows;
  if (index->has_rep && index->has_def && index->rep.size() != index->def.size()) {
    return Corrupt("constant page has level streams of different lengths");
  }
  const Layers& layers = index->layout.layers;
  const Levels levels{.has_rep = index->has_rep,
                      .has_def = index->has_def,
                      .rep = index->rep,
                      .def = index->def,
                      .num_slots = index->num_slots};
  ARROW_RETURN_NOT_OK(CheckLevels(layers, levels));
  const uint16_t max_rep = MaxRep(layers);
  if (index->has_rep != (max_rep != 0) && page.num_rows != 0) {
    return Corrupt("constant page has lists without repetition levels, or levels without lists");
  }
  if (max_rep != 0) return FindRows(page, max_rep, index);
  if (index->num_slots != page.num_rows) {
    return Corrupt(
        fmt::format("constant page has the wrong number of rows: expected {}, its levels have {}",
                    page.num_rows, index->num_slots));
  }
  return arrow::Status::OK();
}

void AddRange(const ByteRange* range, std::vector<ByteRange>* ranges) {
  if (range != nullptr && range->size() != 0) ranges->push_back(*range);
}

}  // namespace

uint64_t LayoutPageIndex::memory_bytes() const {
  uint64_t bytes = sizeof(*this) + 4096 + chunks.capacity() * sizeof(Chunk) +
                   has_preamble.capacity() / 8 + value.capacity() +
                   (rep.capacity() + def.capacity()) * 2 + row_starts.capacity() * 8;
  if (dictionary != nullptr) {
    for (const auto& buffer : dictionary->buffers) {
      if (buffer != nullptr) bytes += static_cast<uint64_t>(buffer->capacity());
    }
  }
  return bytes;
}

arrow::Result<std::vector<ByteRange>> PageIndexRanges(const PageLayout& layout,
                                                      const PageInfo& page) {
  std::vector<ByteRange> ranges;
  if (const auto* mini_block = std::get_if<MiniBlockLayout>(&layout.layout)) {
    ARROW_ASSIGN_OR_RAISE(const MiniBlockBuffers buffers, BuffersOf(*mini_block, page));
    AddRange(buffers.words, &ranges);
    AddRange(buffers.dictionary, &ranges);
    AddRange(buffers.repetition_index, &ranges);
  } else if (const auto* constant = std::get_if<ConstantLayout>(&layout.layout)) {
    ARROW_ASSIGN_OR_RAISE(const ConstantBuffers buffers, BuffersOf(*constant, page));
    AddRange(buffers.value, &ranges);
    AddRange(buffers.rep, &ranges);
    AddRange(buffers.def, &ranges);
  }
  return ranges;
}

arrow::Result<std::shared_ptr<const LayoutPageIndex>> MakePageIndex(
    PageLayout layout, const PageInfo& page, const LeafType& leaf,
    std::span<const FetchedBytes> fetched, const BufferBudget& budget) {
  auto index = std::make_shared<LayoutPageIndex>();
  index->layout = std::move(layout);
  std::vector<Bytes> bytes;
  size_t next = 0;
  const auto add = [&](const ByteRange* range) {
    if (range != nullptr) bytes.push_back(range->size() == 0 ? Bytes() : fetched[next++].data);
  };
  if (const auto* mini_block = std::get_if<MiniBlockLayout>(&index->layout.layout)) {
    ARROW_ASSIGN_OR_RAISE(const MiniBlockBuffers buffers, BuffersOf(*mini_block, page));
    add(buffers.words);
    add(buffers.dictionary);
    add(buffers.repetition_index);
    ARROW_RETURN_NOT_OK(FillMiniBlock(page, leaf, bytes, budget, index.get()));
  } else if (std::holds_alternative<ConstantLayout>(index->layout.layout)) {
    for (const FetchedBytes& part : fetched) bytes.push_back(part.data);
    ARROW_RETURN_NOT_OK(FillConstant(page, leaf, bytes, budget, index.get()));
  }
  return index;
}

}  // namespace pennon
