#include "encoding/field_decoder.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "encoding/leaf_decoder.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

bool IsListType(const arrow::DataType& type) {
  const auto id = type.id();
  return id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST || id == arrow::Type::MAP;
}

/// Whether anything of the field lies in the file.
bool IsStored(const FieldShape& shape) {
  if (shape.storage == FieldStorage::kMissing) return false;
  if (shape.children.empty()) return shape.column != FieldShape::kNoColumn;
  for (const FieldShape& child : shape.children) {
    if (IsStored(child)) return true;
  }
  return false;
}

/// Blobs are descriptors that mean something in one file only.
bool HasBlob(const FieldShape& shape) {
  return shape.storage == FieldStorage::kBlob ||
         std::any_of(shape.children.begin(), shape.children.end(), HasBlob);
}

/// A struct without fields: it has a column whose pages say nothing of use.
bool IsEmptyStruct(const FieldShape& shape) {
  return shape.type->id() == arrow::Type::STRUCT && shape.type->num_fields() == 0;
}

/// One field of a 2.1 or 2.2 file: its leaves decoded column by column, its structure taken from
/// the first of them.
class LayeredFieldDecoder : public FieldDecoder {
 public:
  static arrow::Result<std::unique_ptr<FieldDecoder>> Make(const FieldShape& shape,
                                                           const RowRanges& rows,
                                                           const DecodeContext& context) {
    auto decoder = std::unique_ptr<LayeredFieldDecoder>(new LayeredFieldDecoder(shape, context));
    if (IsStored(shape)) {
      std::vector<PathNode> path;
      ARROW_RETURN_NOT_OK(decoder->AddLeaves(decoder->shape_, &path, rows));
    }
    return decoder;
  }

  arrow::Status Plan(std::vector<ByteRange>* wanted) override {
    wanted_of_leaf_.assign(leaves_.size(), 0);
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const size_t before = wanted->size();
      ARROW_RETURN_NOT_OK(leaves_[i].decoder->Plan(wanted));
      wanted_of_leaf_[i] = wanted->size() - before;
    }
    return arrow::Status::OK();
  }

  arrow::Status Accept(std::span<const FetchedBytes> bytes) override {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      ARROW_RETURN_NOT_OK(leaves_[i].decoder->Accept(bytes.first(wanted_of_leaf_[i])));
      bytes = bytes.subspan(wanted_of_leaf_[i]);
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::ArrayData>> Decode(uint64_t num_rows) override {
    for (Leaf& leaf : leaves_) ARROW_RETURN_NOT_OK(leaf.decoder->Decode(num_rows));
    next_leaf_ = 0;
    return Assemble(shape_, 0, num_rows);
  }

  bool CanContinue() const override { return !HasBlob(shape_); }

  arrow::Status Drain() override {
    for (Leaf& leaf : leaves_) ARROW_RETURN_NOT_OK(leaf.decoder->Drain());
    return arrow::Status::OK();
  }

  arrow::Status Continue(const RowRanges& rows, const DecodeContext& context) override {
    context_ = context;
    for (Leaf& leaf : leaves_) ARROW_RETURN_NOT_OK(leaf.decoder->Continue(rows, context));
    return arrow::Status::OK();
  }

 private:
  struct Leaf {
    std::unique_ptr<LeafDecoder> decoder;
    size_t depth = 0;  // nodes above it
  };

  LayeredFieldDecoder(const FieldShape& shape, const DecodeContext& context)
      : shape_(shape), context_(context) {}

  /// A node above the leaf being added, and whether an earlier leaf builds its structure.
  struct PathNode {
    StructureNode node;
    bool is_built = false;
  };

  /// Makes the decoders of the leaves below `shape`, in order. `path`: the nodes above it, root
  /// first.
  arrow::Status AddLeaves(const FieldShape& shape, std::vector<PathNode>* path,
                          const RowRanges& rows) {
    if (!IsStored(shape)) return arrow::Status::OK();
    if (shape.children.empty()) return AddLeaf(shape, path, rows);
    StructureNode node;
    node.is_list = IsListType(*shape.type);
    node.is_large = shape.type->id() == arrow::Type::LARGE_LIST;
    if (shape.type->id() == arrow::Type::FIXED_SIZE_LIST) {
      node.dimension = static_cast<uint64_t>(
          static_cast<const arrow::FixedSizeListType&>(*shape.type).list_size());
    }
    path->push_back({node});
    for (const FieldShape& child : shape.children)
      ARROW_RETURN_NOT_OK(AddLeaves(child, path, rows));
    path->pop_back();
    return arrow::Status::OK();
  }

  arrow::Status AddLeaf(const FieldShape& shape, std::vector<PathNode>* path,
                        const RowRanges& rows) {
    if (IsEmptyStruct(shape)) {
      if (path->empty()) return arrow::Status::OK();
      return MakeError(ErrorKind::kUnsupportedFeature,
                       "struct without fields inside another field");
    }
    std::vector<StructureNode> nodes{StructureNode{}};
    size_t num_built = 1;
    bool has_lists = false;
    bool has_struct_lists = false;
    for (auto above = path->rbegin(); above != path->rend(); ++above) {
      nodes.push_back(above->node);
      num_built += above->is_built ? 0 : 1;
      above->is_built = true;
      has_lists |= above->node.is_list;
      has_struct_lists |= above->node.dimension != 1;
    }
    if (has_lists && has_struct_lists) {
      return MakeError(ErrorKind::kUnsupportedFeature,
                       "fixed-size list of structs together with a list");
    }
    // A blob's descriptors come as a struct, but lie in one column like its bytes.
    const bool is_packed = shape.storage != FieldStorage::kPlain;
    ARROW_ASSIGN_OR_RAISE(auto type, MakeLeafType(shape.type, is_packed));
    ARROW_ASSIGN_OR_RAISE(auto decoder, LeafDecoder::Make(std::move(type), std::move(nodes),
                                                          num_built, shape.column, rows, context_));
    leaves_.push_back({std::move(decoder), path->size()});
    return arrow::Status::OK();
  }

  /// Builds the array of a node with `depth` nodes above it and `num_slots` slots.
  arrow::Result<std::shared_ptr<arrow::ArrayData>> Assemble(const FieldShape& shape, size_t depth,
                                                            uint64_t num_slots) {
    if (!IsStored(shape)) {
      ARROW_ASSIGN_OR_RAISE(
          auto nulls,
          arrow::MakeArrayOfNull(shape.type, static_cast<int64_t>(num_slots), context_.pool));
      return nulls->data();
    }
    if (shape.children.empty() && IsEmptyStruct(shape)) {
      return arrow::ArrayData::Make(shape.type, static_cast<int64_t>(num_slots), {nullptr}, 0);
    }
    // All nodes between here and the first leaf below have been built by that leaf.
    StructureBuilder& structure = leaves_[next_leaf_].decoder->output().structure;
    ARROW_ASSIGN_OR_RAISE(auto node, structure.Finish(leaves_[next_leaf_].depth - depth));
    if (node.length != num_slots) {
      return MakeError(
          ErrorKind::kCorrupt,
          fmt::format("columns of one field have different lengths: expected {}, got {} (field {})",
                      num_slots, node.length, shape.type->ToString()));
    }
    if (shape.children.empty()) {
      ValueBuilder& values = leaves_[next_leaf_++].decoder->output().values;
      return values.Finish(std::move(node.validity), node.null_count);
    }
    auto array =
        arrow::ArrayData::Make(shape.type, static_cast<int64_t>(node.length),
                               {std::move(node.validity)}, static_cast<int64_t>(node.null_count));
    uint64_t child_slots = node.length;
    if (IsListType(*shape.type)) {
      array->buffers.push_back(std::move(node.offsets));
      child_slots = node.num_items;
    } else if (shape.type->id() == arrow::Type::FIXED_SIZE_LIST) {
      child_slots *= static_cast<uint64_t>(
          static_cast<const arrow::FixedSizeListType&>(*shape.type).list_size());
    }
    for (const FieldShape& child : shape.children) {
      ARROW_ASSIGN_OR_RAISE(auto built, Assemble(child, depth + 1, child_slots));
      array->child_data.push_back(std::move(built));
    }
    return array;
  }

  FieldShape shape_;
  DecodeContext context_;
  std::vector<Leaf> leaves_;
  std::vector<size_t> wanted_of_leaf_;
  size_t next_leaf_ = 0;  // while assembling
};

}  // namespace

arrow::Status FieldDecoder::Drain() {
  return MakeError(ErrorKind::kInternal, "rows of several files do not join here");
}

arrow::Status FieldDecoder::Continue(const RowRanges&, const DecodeContext&) { return Drain(); }

arrow::Result<std::unique_ptr<FieldDecoder>> MakeFieldDecoder(const FieldShape& shape,
                                                              RowRanges rows,
                                                              const DecodeContext& context) {
  return LayeredFieldDecoder::Make(shape, rows, context);
}

}  // namespace pennon
