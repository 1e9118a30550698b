#include "dataset/filter_rows.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/scalar.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "dataset/filter_kernel.h"
#include "pennon/base/error.h"

namespace pennon {

namespace compute = arrow::compute;

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using Words = std::vector<uint64_t>;

size_t NumWords(int64_t num_rows) { return static_cast<size_t>((num_rows + 63) / 64); }

/// All rows: ones, with the bits behind the last row cleared.
Words AllRows(int64_t num_rows) {
  Words words(NumWords(num_rows), ~uint64_t{0});
  if (num_rows % 64 != 0) words.back() = (uint64_t{1} << (num_rows % 64)) - 1;
  return words;
}

int64_t CountBits(const Words& words) {
  int64_t count = 0;
  for (uint64_t word : words) count += std::popcount(word);
  return count;
}

template <typename Visit>
void ForEachBit(const Words& words, Visit&& visit) {
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint64_t word = words[i]; word != 0; word &= word - 1) {
      visit(static_cast<int64_t>(i) * 64 + std::countr_zero(word));
    }
  }
}

arrow::Result<ArrayPtr> RowIndices(const Words& words, int64_t count) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(count * 8));
  auto* out = reinterpret_cast<int64_t*>(buffer->mutable_data());
  ForEachBit(words, [&](int64_t row) { *out++ = row; });
  return std::make_shared<arrow::Int64Array>(count, std::move(buffer));
}

/// Copies `length` bits that begin at bit `offset` of `bits` into words; null `bits` are all ones.
void CopyBits(const uint8_t* bits, int64_t offset, int64_t length, Words* words) {
  *words = AllRows(length);
  if (bits == nullptr) return;
  const int64_t end_byte = (offset + length + 7) / 8;
  for (size_t i = 0; i < words->size(); ++i) {
    const int64_t bit = offset + static_cast<int64_t>(i) * 64;
    const int64_t byte = bit / 8, shift = bit % 8;
    uint64_t word = 0;
    std::memcpy(&word, bits + byte, static_cast<size_t>(std::min<int64_t>(8, end_byte - byte)));
    word >>= shift;
    if (shift != 0 && byte + 8 < end_byte) word |= uint64_t{bits[byte + 8]} << (64 - shift);
    (*words)[i] &= word;
  }
}

/// Marks the columns that a bound expression reads.
void MarkColumns(const compute::Expression& expression, std::vector<bool>* reads) {
  if (const compute::Expression::Parameter* parameter = expression.parameter()) {
    (*reads)[static_cast<size_t>(parameter->indices[0])] = true;
  }
  if (const compute::Expression::Call* call = expression.call()) {
    for (const compute::Expression& argument : call->arguments) MarkColumns(argument, reads);
  }
}

/// The columns that are read, at the given rows; something in place of the others.
arrow::Result<std::vector<arrow::Datum>> TakeRows(const std::vector<arrow::Datum>& columns,
                                                  const std::vector<bool>& reads,
                                                  const ArrayPtr& rows,
                                                  compute::ExecContext* context) {
  static const arrow::Datum kUnread(std::make_shared<arrow::NullScalar>());
  std::vector<arrow::Datum> taken(columns.size(), kUnread);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!reads[i]) continue;
    ARROW_ASSIGN_OR_RAISE(
        taken[i], compute::Take(columns[i], rows, compute::TakeOptions::NoBoundsCheck(), context));
  }
  return taken;
}

const arrow::Scalar* LiteralOf(const compute::Expression& expression) {
  const arrow::Datum* datum = expression.literal();
  return datum != nullptr && datum->is_scalar() ? datum->scalar().get() : nullptr;
}

/// Functions that fail on some of their values.
bool FunctionMayFail(const compute::Expression::Call& call) {
  static const char* const kNames[] = {
      "sql_arithmetic", "sql_abs",    "sql_gcd", "sql_add_interval", "sql_add_units", "substr",
      "repeat",         "lpad",       "rpad",    "make_date",        "chr",           "split_part",
      "replace",        "date_trunc", "concat",  "array_to_string",  "round"};
  if (call.function_name == "sql_cast") {
    const auto* options = dynamic_cast<const FilterCallOptions*>(call.options.get());
    return options == nullptr || !options->flag;
  }
  return std::find_if(std::begin(kNames), std::end(kNames), [&](const char* name) {
           return call.function_name == name;
         }) != std::end(kNames);
}

/// Evaluates expressions over columns; if_else and coalesce on the rows that need each branch.
class LazyEvaluator {
 public:
  explicit LazyEvaluator(compute::ExecContext* context) : context_(context) {}

  arrow::Result<arrow::Datum> Run(const compute::Expression& expression,
                                  const compute::ExecBatch& columns) const {
    const compute::Expression::Call* call = expression.call();
    if (call == nullptr || !HasLazyBranch(expression)) {
      return compute::ExecuteScalarExpression(expression, columns, context_);
    }
    if (call->function_name == "if_else") return IfElse(*call, columns);
    if (call->function_name == "coalesce") return Coalesce(*call, columns);
    std::vector<arrow::Datum> arguments;
    for (const compute::Expression& argument : call->arguments) {
      ARROW_ASSIGN_OR_RAISE(arrow::Datum value, Run(argument, columns));
      arguments.push_back(std::move(value));
    }
    return compute::CallFunction(call->function_name, arguments, call->options.get(), context_);
  }

 private:
  static bool HasLazyBranch(const compute::Expression& expression) {
    const compute::Expression::Call* call = expression.call();
    if (call == nullptr) return false;
    const bool is_lazy = call->function_name == "if_else" || call->function_name == "coalesce";
    if (is_lazy && std::any_of(call->arguments.begin() + 1, call->arguments.end(), MayFail))
      return true;
    return std::any_of(call->arguments.begin(), call->arguments.end(), HasLazyBranch);
  }

  arrow::Result<ArrayPtr> RunOn(const compute::Expression& expression,
                                const compute::ExecBatch& columns, const Words& rows) const {
    const int64_t count = CountBits(rows);
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr indices, RowIndices(rows, count));
    std::vector<bool> reads(columns.values.size());
    MarkColumns(expression, &reads);
    ARROW_ASSIGN_OR_RAISE(auto taken, TakeRows(columns.values, reads, indices, context_));
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum value,
                          Run(expression, compute::ExecBatch(std::move(taken), count)));

    return AsArray(value, count, context_->memory_pool());
  }

  /// Puts together values of two kinds of rows: those of `rows` in order from `yes`, the others
  /// from `no`.
  arrow::Result<arrow::Datum> Merge(const Words& rows, int64_t num_rows, const ArrayPtr& yes,
                                    const ArrayPtr& no) const {
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr stacked,
                          arrow::Concatenate({yes, no}, context_->memory_pool()));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(num_rows * 8));
    auto* out = reinterpret_cast<int64_t*>(buffer->mutable_data());
    int64_t next_yes = 0, next_no = yes->length();
    for (int64_t row = 0; row < num_rows; ++row) {
      out[row] =
          (rows[static_cast<size_t>(row / 64)] >> (row % 64) & 1) != 0 ? next_yes++ : next_no++;
    }
    const ArrayPtr order = std::make_shared<arrow::Int64Array>(num_rows, std::move(buffer));
    return compute::Take(stacked, order, compute::TakeOptions::NoBoundsCheck(), context_);
  }

  arrow::Result<arrow::Datum> IfElse(const compute::Expression::Call& call,
                                     const compute::ExecBatch& columns) const {
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum condition, Run(call.arguments[0], columns));
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr flags,
                          AsArray(condition, columns.length, context_->memory_pool()));
    Words taken;
    CopyBits(flags->data()->buffers[1]->data(), flags->offset(), columns.length, &taken);
    ClearNulls(arrow::ArraySpan(*flags->data()), taken.data());
    Words others = AllRows(columns.length);
    for (size_t i = 0; i < others.size(); ++i) others[i] &= ~taken[i];
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr yes, RunOn(call.arguments[1], columns, taken));
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr no, RunOn(call.arguments[2], columns, others));
    return Merge(taken, columns.length, yes, no);
  }

  arrow::Result<arrow::Datum> Coalesce(const compute::Expression::Call& call,
                                       const compute::ExecBatch& columns) const {
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum first, Run(call.arguments[0], columns));
    ARROW_ASSIGN_OR_RAISE(ArrayPtr result, AsArray(first, columns.length, context_->memory_pool()));
    for (size_t i = 1; i < call.arguments.size() && result->null_count() > 0; ++i) {
      Words valid = AllRows(columns.length);
      ClearNulls(arrow::ArraySpan(*result->data()), valid.data());
      Words nulls = AllRows(columns.length);
      for (size_t k = 0; k < nulls.size(); ++k) nulls[k] &= ~valid[k];
      ARROW_ASSIGN_OR_RAISE(const ArrayPtr kept_at, RowIndices(valid, CountBits(valid)));
      ARROW_ASSIGN_OR_RAISE(
          const arrow::Datum kept,
          compute::Take(result, kept_at, compute::TakeOptions::NoBoundsCheck(), context_));
      ARROW_ASSIGN_OR_RAISE(const ArrayPtr filled, RunOn(call.arguments[i], columns, nulls));
      ARROW_ASSIGN_OR_RAISE(const arrow::Datum merged,
                            Merge(valid, columns.length, kept.make_array(), filled));
      result = merged.make_array();
    }
    return result;
  }

  compute::ExecContext* context_;
};

}  // namespace

bool MayFail(const compute::Expression& expression) {
  const compute::Expression::Call* call = expression.call();
  if (call == nullptr) return false;
  return FunctionMayFail(*call) ||
         std::any_of(call->arguments.begin(), call->arguments.end(), MayFail);
}

/// Columns of one run, all of `num_rows` rows.
struct RowProgram::Batch {
  std::vector<arrow::Datum> columns;
  int64_t num_rows = 0;
  compute::ExecContext* context = nullptr;
};

class RowProgram::Builder {
 public:
  explicit Builder(const arrow::Schema& schema) : schema_(schema) {}

  /// The node that selects rows where `expression` is `wanted`.
  arrow::Result<Node> Build(const compute::Expression& expression, bool wanted) {
    if (const arrow::Scalar* literal = LiteralOf(expression)) {
      const bool holds =
          literal->is_valid && static_cast<const arrow::BooleanScalar&>(*literal).value == wanted;
      return Constant(holds);
    }
    const compute::Expression::Call* call = expression.call();
    if (call == nullptr) return General(expression, wanted);
    const std::string& name = call->function_name;
    if (name == "invert") return Build(call->arguments[0], !wanted);
    if (name == "and_kleene" || name == "or_kleene") {
      ARROW_ASSIGN_OR_RAISE(Node left, Build(call->arguments[0], wanted));
      ARROW_ASSIGN_OR_RAISE(Node right, Build(call->arguments[1], wanted));
      return Combine((name == "and_kleene") == wanted ? Kind::kAnd : Kind::kOr, std::move(left),
                     std::move(right));
    }
    if (name == "coalesce" && call->arguments.size() == 2) {
      const arrow::Scalar* otherwise = LiteralOf(call->arguments[1]);
      if (otherwise != nullptr && otherwise->is_valid) {
        // Null counts as `otherwise`: either the rows asked for are the certain ones, or all but
        // the opposite.
        if (static_cast<const arrow::BooleanScalar&>(*otherwise).value != wanted)
          return Build(call->arguments[0], wanted);
        ARROW_ASSIGN_OR_RAISE(Node opposite, Build(call->arguments[0], !wanted));
        return Complement(std::move(opposite));
      }
    }
    if ((name == "is_null" || name == "is_valid") && call->arguments[0].field_ref() != nullptr) {
      Node node;
      node.kind = Kind::kNull;
      ARROW_ASSIGN_OR_RAISE(node.field, FieldIndex(*call->arguments[0].field_ref()));
      node.wanted = (name == "is_null") == wanted;
      return node;
    }
    if (call->arguments.size() == 2 && call->arguments[0].field_ref() != nullptr) {
      const arrow::Scalar* constant = LiteralOf(call->arguments[1]);
      ARROW_ASSIGN_OR_RAISE(const auto field, call->arguments[0].field_ref()->GetOne(schema_));
      if (constant != nullptr && constant->is_valid && field->type()->Equals(constant->type)) {
        if (const auto range = MakeValueRange(name, *constant)) {
          Node node;
          node.kind = Kind::kRange;
          ARROW_ASSIGN_OR_RAISE(node.field, FieldIndex(*call->arguments[0].field_ref()));
          node.range = *range;
          node.range.is_outside = range->is_outside == wanted;
          return node;
        }
      }
    }
    return General(expression, wanted);
  }

  /// Binds the general nodes and notes what each node reads, once all fields are known.

  arrow::Status Bind(Node* node) const {
    if (node->kind == Kind::kGeneral) {
      arrow::FieldVector columns;
      for (size_t i = 0; i < types.size(); ++i)
        columns.push_back(types[i]->WithName(fmt::format("f{}", i)));
      ARROW_ASSIGN_OR_RAISE(compute::ExecContext * context, FilterExecContext());
      ARROW_ASSIGN_OR_RAISE(node->expression,
                            node->expression.Bind(*arrow::schema(columns), context));
      if (node->expression.type()->id() != arrow::Type::BOOL)
        return MakeError(ErrorKind::kInternal, "a term is not boolean");
    }
    node->reads.assign(fields.size(), false);
    if (node->field >= 0) node->reads[static_cast<size_t>(node->field)] = true;
    if (node->kind == Kind::kGeneral) MarkColumns(node->expression, &node->reads);
    for (Node& child : node->children) {
      ARROW_RETURN_NOT_OK(Bind(&child));
      for (size_t i = 0; i < fields.size(); ++i) node->reads[i] = node->reads[i] || child.reads[i];
    }
    return arrow::Status::OK();
  }

  std::vector<arrow::FieldRef> fields;
  std::vector<std::shared_ptr<arrow::Field>> types;

 private:
  static Node Constant(bool passes) {
    Node node;
    node.kind = passes ? Kind::kEverything : Kind::kNothing;
    return node;
  }

  static Node Complement(Node node) {
    if (node.kind == Kind::kNothing) return Constant(true);
    if (node.kind == Kind::kEverything) return Constant(false);
    Node complement;
    complement.kind = Kind::kComplement;
    complement.may_fail = node.may_fail;
    complement.children.push_back(std::move(node));
    return complement;
  }

  static Node Combine(Kind kind, Node left, Node right) {
    const Kind absorbing = kind == Kind::kAnd ? Kind::kNothing : Kind::kEverything;
    const Kind neutral = kind == Kind::kAnd ? Kind::kEverything : Kind::kNothing;
    if (left.kind == absorbing || right.kind == absorbing)
      return Constant(absorbing == Kind::kEverything);
    if (left.kind == neutral) return right;
    if (right.kind == neutral) return left;
    Node node;
    node.kind = kind;
    node.may_fail = left.may_fail || right.may_fail;
    for (Node* side : {&left, &right}) {
      if (side->kind == kind) {
        for (Node& child : side->children) Add(&node, std::move(child));
      } else {
        Add(&node, std::move(*side));
      }
    }
    return node;
  }

  /// Two ranges of one column under an `and` are one range.
  static void Add(Node* node, Node child) {
    if (node->kind == Kind::kAnd && child.kind == Kind::kRange && !child.range.is_outside) {
      for (Node& other : node->children) {
        if (other.kind != Kind::kRange || other.field != child.field || other.range.is_outside)
          continue;
        other.range.first = std::max(other.range.first, child.range.first);
        other.range.last = std::min(other.range.last, child.range.last);
        return;
      }
    }
    node->children.push_back(std::move(child));
  }

  arrow::Result<Node> General(const compute::Expression& expression, bool wanted) {
    Node node;
    node.kind = Kind::kGeneral;
    node.wanted = wanted;
    node.may_fail = MayFail(expression);
    ARROW_ASSIGN_OR_RAISE(node.expression, OntoColumns(expression));
    return node;
  }

  /// The expression with its fields replaced by columns of our own.
  arrow::Result<compute::Expression> OntoColumns(const compute::Expression& expression) {
    if (const arrow::FieldRef* reference = expression.field_ref()) {
      ARROW_ASSIGN_OR_RAISE(const int index, FieldIndex(*reference));
      return compute::field_ref(arrow::FieldRef(fmt::format("f{}", index)));
    }
    const compute::Expression::Call* call = expression.call();
    if (call == nullptr) return expression;
    std::vector<compute::Expression> arguments;
    for (const compute::Expression& argument : call->arguments) {
      ARROW_ASSIGN_OR_RAISE(compute::Expression mapped, OntoColumns(argument));
      arguments.push_back(std::move(mapped));
    }
    return compute::call(call->function_name, std::move(arguments), call->options);
  }

  arrow::Result<int> FieldIndex(const arrow::FieldRef& reference) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i] == reference) return static_cast<int>(i);
    }
    ARROW_ASSIGN_OR_RAISE(auto field, reference.GetOne(schema_));
    fields.push_back(reference);
    types.push_back(std::move(field));
    return static_cast<int>(fields.size() - 1);
  }

  const arrow::Schema& schema_;
};

arrow::Result<RowProgram> RowProgram::Make(const compute::Expression& expression,
                                           const arrow::Schema& schema) {
  RowProgram program;
  Builder builder(schema);
  ARROW_ASSIGN_OR_RAISE(program.root_, builder.Build(expression, true));
  ARROW_RETURN_NOT_OK(builder.Bind(&program.root_));
  program.fields_ = std::move(builder.fields);
  program.field_types_ = std::move(builder.types);
  return program;
}

namespace {

std::vector<std::string> PathOf(const arrow::FieldRef& reference) {
  if (reference.IsName()) return {*reference.name()};
  std::vector<std::string> path;
  for (const arrow::FieldRef& part : *reference.nested_refs()) path.push_back(*part.name());
  return path;
}

/// The field's values, null where a struct above is null.
arrow::Result<ArrayPtr> ExtractField(const arrow::RecordBatch& batch,
                                     const arrow::FieldRef& reference,
                                     const arrow::DataType& wanted) {
  const std::vector<std::string> path = PathOf(reference);
  ArrayPtr column = batch.GetColumnByName(path[0]);
  for (size_t i = 1; i < path.size() && column != nullptr; ++i) {
    if (column->type_id() != arrow::Type::STRUCT) {
      column = nullptr;
      break;
    }
    const int index = static_cast<const arrow::StructType&>(*column->type()).GetFieldIndex(path[i]);
    if (index < 0) {
      column = nullptr;
      break;
    }
    ARROW_ASSIGN_OR_RAISE(column,
                          static_cast<const arrow::StructArray&>(*column).GetFlattenedField(index));
  }
  if (column == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("a batch lacks a column of the filter: {}", reference.ToString()));
  }
  if (!column->type()->Equals(wanted)) {
    return MakeError(
        ErrorKind::kInvalidArgument,
        fmt::format("a column of the filter has another type: {} is {}, expected {}",
                    reference.ToString(), column->type()->ToString(), wanted.ToString()));
  }
  return column;
}

}  // namespace

arrow::Result<RowSelection> RowProgram::Run(const arrow::RecordBatch& batch) const {
  Batch columns;
  columns.num_rows = batch.num_rows();
  ARROW_ASSIGN_OR_RAISE(columns.context, FilterExecContext());
  for (size_t i = 0; i < fields_.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr column,
                          ExtractField(batch, fields_[i], *field_types_[i]->type()));
    columns.columns.emplace_back(column);
  }
  Words words;
  arrow::Status status;
  if (columns.num_rows > 0) RunNode(root_, columns, &status, &words);
  ARROW_RETURN_NOT_OK(status);
  return RowSelection(std::move(words), columns.num_rows);
}

void RowProgram::RunNode(const Node& node, const Batch& batch, arrow::Status* status,
                         Words* words) {
  const size_t num_words = NumWords(batch.num_rows);
  switch (node.kind) {
    case Kind::kNothing:
      words->assign(num_words, 0);
      return;
    case Kind::kEverything:
      *words = AllRows(batch.num_rows);
      return;
    case Kind::kRange:
      words->resize(num_words);
      SelectInRange(arrow::ArraySpan(*batch.columns[static_cast<size_t>(node.field)].array()),
                    node.range, words->data());
      return;
    case Kind::kNull: {
      *words = AllRows(batch.num_rows);
      ClearNulls(arrow::ArraySpan(*batch.columns[static_cast<size_t>(node.field)].array()),
                 words->data());
      if (!node.wanted) return;
      const Words all = AllRows(batch.num_rows);
      for (size_t i = 0; i < num_words; ++i) (*words)[i] = all[i] & ~(*words)[i];
      return;
    }
    case Kind::kGeneral:
      *status = RunGeneral(node, batch, words);
      return;
    case Kind::kComplement: {
      RunNode(node.children[0], batch, status, words);
      if (!status->ok()) return;
      const Words all = AllRows(batch.num_rows);
      for (size_t i = 0; i < num_words; ++i) (*words)[i] = all[i] & ~(*words)[i];
      return;
    }
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  // The cheap terms over all rows, then the others over the rows still open.
  const bool is_and = node.kind == Kind::kAnd;
  const auto is_cheap = [](const Node& child) {
    return child.kind == Kind::kRange || child.kind == Kind::kNull;
  };
  *words = is_and ? AllRows(batch.num_rows) : Words(num_words, 0);
  Words term;
  for (const Node& child : node.children) {
    if (!is_cheap(child)) continue;
    RunNode(child, batch, status, &term);
    for (size_t i = 0; i < num_words; ++i)
      (*words)[i] = is_and ? (*words)[i] & term[i] : (*words)[i] | term[i];
  }
  for (const bool may_fail : {false, true}) {
    for (const Node& child : node.children) {
      if (is_cheap(child) || child.may_fail != may_fail || !status->ok()) continue;
      *status = RunRest(child, batch, is_and, words);
    }
  }
}

arrow::Status RowProgram::RunRest(const Node& node, const Batch& batch, bool is_and, Words* words) {
  Words open = *words;
  if (!is_and) {
    const Words all = AllRows(batch.num_rows);
    for (size_t i = 0; i < open.size(); ++i) open[i] = all[i] & ~open[i];
  }
  const int64_t count = CountBits(open);
  if (count == 0) return arrow::Status::OK();
  Words term;
  arrow::Status status;
  // Gathering rows costs about as much as looking at a few times as many.
  const bool gathers = count < batch.num_rows && (node.may_fail || count * 4 < batch.num_rows);
  if (!gathers) {
    RunNode(node, batch, &status, &term);
    ARROW_RETURN_NOT_OK(status);
    for (size_t i = 0; i < term.size(); ++i)
      (*words)[i] = is_and ? (*words)[i] & term[i] : (*words)[i] | term[i];
    return status;
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr rows, RowIndices(open, count));
  Batch gathered;
  gathered.num_rows = count;
  gathered.context = batch.context;
  ARROW_ASSIGN_OR_RAISE(gathered.columns, TakeRows(batch.columns, node.reads, rows, batch.context));

  RunNode(node, gathered, &status, &term);
  ARROW_RETURN_NOT_OK(status);
  if (is_and) words->assign(words->size(), 0);
  const auto* row_of = static_cast<const arrow::Int64Array&>(*rows).raw_values();
  ForEachBit(term, [&](int64_t at) {
    const int64_t row = row_of[at];
    (*words)[static_cast<size_t>(row / 64)] |= uint64_t{1} << (row % 64);
  });
  return arrow::Status::OK();
}

arrow::Status RowProgram::RunGeneral(const Node& node, const Batch& batch, Words* words) {
  const compute::ExecBatch columns(batch.columns, batch.num_rows);
  auto evaluated = LazyEvaluator(batch.context).Run(node.expression, columns);
  if (!evaluated.ok()) {
    // What a value fails on is the caller's, whichever of Arrow's codes it has.
    const arrow::Status& status = evaluated.status();
    return status.detail() != nullptr || status.IsOutOfMemory()
               ? status
               : MakeError(ErrorKind::kInvalidArgument, status.message());
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr result,
                        AsArray(*evaluated, batch.num_rows, batch.context->memory_pool()));
  const arrow::ArraySpan span(*result->data());
  CopyBits(span.buffers[1].data, span.offset, span.length, words);
  if (!node.wanted) {
    const Words all = AllRows(batch.num_rows);
    for (size_t i = 0; i < words->size(); ++i) (*words)[i] = all[i] & ~(*words)[i];
  }
  ClearNulls(span, words->data());
  return arrow::Status::OK();
}

}  // namespace pennon
