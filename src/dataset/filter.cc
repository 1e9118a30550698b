#include "pennon/dataset/filter.h"

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/compute/expression.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>

#include "dataset/filter_ids.h"
#include "dataset/filter_kernel.h"
#include "dataset/filter_rows.h"
#include "dataset/filter_syntax.h"
#include "dataset/filter_translator.h"
#include "pennon/base/error.h"

namespace pennon {

namespace compute = arrow::compute;

RowSelection::RowSelection(std::vector<uint64_t> words, int64_t num_rows)
    : words_(std::move(words)), num_rows_(num_rows) {
  for (uint64_t word : words_) count_ += std::popcount(word);
}

std::vector<int32_t> RowSelection::Rows() const {
  std::vector<int32_t> rows(static_cast<size_t>(count_));
  int32_t* out = rows.data();
  for (size_t i = 0; i < words_.size(); ++i) {
    for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
      *out++ = static_cast<int32_t>(i * 64) + std::countr_zero(word);
    }
  }
  return rows;
}

std::shared_ptr<arrow::BooleanArray> RowSelection::ToMask() const {
  auto buffer = arrow::Buffer::FromVector(words_);
  return std::make_shared<arrow::BooleanArray>(num_rows_, std::move(buffer), nullptr, 0);
}

struct Filter::State {
  std::string text;
  arrow::Schema schema;
  compute::Expression unbound;
  compute::Expression bound;
  RowProgram program;
  std::vector<std::string> column_names;
  RowNumberBounds row_ids;
  RowNumberBounds row_addresses;
};

const std::string& Filter::text() const { return state_->text; }
const compute::Expression& Filter::expression() const { return state_->bound; }
const std::vector<std::string>& Filter::column_names() const { return state_->column_names; }
const std::vector<arrow::FieldRef>& Filter::fields() const { return state_->program.fields(); }
const RowNumberBounds& Filter::row_ids() const { return state_->row_ids; }
const RowNumberBounds& Filter::row_addresses() const { return state_->row_addresses; }
bool Filter::is_never() const {
  return state_->program.is_never() || state_->row_ids.ranges.empty() ||
         state_->row_addresses.ranges.empty();
}
bool Filter::is_always() const { return state_->program.is_always(); }

arrow::Result<RowSelection> Filter::Evaluate(const arrow::RecordBatch& batch) const {
  return state_->program.Run(batch);
}

std::vector<Filter> Filter::Conjuncts() const {
  std::vector<compute::Expression> terms;
  std::vector<compute::Expression> open{state_->unbound};
  while (!open.empty()) {
    const compute::Expression next = open.back();
    open.pop_back();
    const compute::Expression::Call* call = next.call();
    if (call != nullptr && call->function_name == "and_kleene") {
      open.insert(open.end(), call->arguments.rbegin(), call->arguments.rend());
    } else {
      terms.push_back(next);
    }
  }
  std::vector<Filter> filters;
  if (terms.size() == 1) return {*this};
  for (const compute::Expression& term : terms) {
    auto filter = Make(term.ToString(), state_->schema, term);
    if (!filter.ok()) return {*this};  // Cannot be: the whole was bound.
    filters.push_back(*std::move(filter));
  }
  return filters;
}

arrow::Result<Filter> Filter::Make(std::string text, const arrow::Schema& schema,
                                   const compute::Expression& expression) {
  ARROW_ASSIGN_OR_RAISE(compute::ExecContext * context, FilterExecContext());
  const auto bound = expression.Bind(schema, context);
  if (!bound.ok())
    return MakeError(ErrorKind::kInternal, "binding a filter: " + bound.status().message());
  ARROW_ASSIGN_OR_RAISE(RowProgram program, RowProgram::Make(expression, schema));
  std::vector<std::string> names;
  for (const arrow::FieldRef& field : program.fields()) {
    const std::string& name = field.IsName() ? *field.name() : *field.nested_refs()->front().name();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  auto state = std::make_shared<State>(
      State{std::move(text), schema, expression, *bound, std::move(program), std::move(names),
            BoundRowNumbers(expression, "_rowid"), BoundRowNumbers(expression, "_rowaddr")});
  return Filter(std::move(state));
}

arrow::Result<Filter> ParseFilter(std::string_view sql, const arrow::Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(const SqlNode node, ParseFilterSyntax(sql));
  ARROW_RETURN_NOT_OK(FilterExecContext().status());
  ARROW_ASSIGN_OR_RAISE(const compute::Expression expression,
                        FilterTranslator(sql, schema).TranslateFilter(node));
  return Filter::Make(std::string(sql), schema, expression);
}

}  // namespace pennon
