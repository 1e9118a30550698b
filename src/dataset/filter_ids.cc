#include "dataset/filter_ids.h"

#include <arrow/array/array_primitive.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/scalar.h>

#include <algorithm>
#include <optional>

#include "dataset/filter_compare.h"

namespace pennon {
namespace {

namespace compute = arrow::compute;

using Ranges = std::vector<RowNumberRange>;

const Ranges kEverything{{0, UINT64_MAX}};

/// Sorts, and joins what overlaps or touches.
Ranges Normalize(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Ranges result;
  for (const RowNumberRange& range : ranges) {
    if (!result.empty() &&
        (result.back().last == UINT64_MAX || range.first <= result.back().last + 1)) {
      result.back().last = std::max(result.back().last, range.last);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

const arrow::Scalar* LiteralOf(const compute::Expression& expression) {
  const arrow::Datum* datum = expression.literal();
  return datum != nullptr && datum->is_scalar() ? datum->scalar().get() : nullptr;
}

class BoundFinder {
 public:
  explicit BoundFinder(std::string_view column) : column_(column) {}

  /// Numbers of rows where `expression` is true, or false if `wanted` is false.
  RowNumberBounds Find(const compute::Expression& expression, bool wanted) const {
    if (const arrow::Scalar* literal = LiteralOf(expression)) {
      const bool holds = literal->is_valid && literal->type->id() == arrow::Type::BOOL &&
                         static_cast<const arrow::BooleanScalar&>(*literal).value == wanted;
      return {holds ? kEverything : Ranges{}, true};
    }
    const compute::Expression::Call* call = expression.call();
    if (call == nullptr) return {};
    const std::string& name = call->function_name;
    if (name == "invert") return Find(call->arguments[0], !wanted);
    if (name == "and_kleene" || name == "or_kleene") {
      RowNumberBounds left = Find(call->arguments[0], wanted);
      const RowNumberBounds right = Find(call->arguments[1], wanted);
      const bool intersects = (name == "and_kleene") == wanted;
      left.ranges = intersects ? Intersect(left.ranges, right.ranges)
                               : Unite(std::move(left.ranges), right.ranges);
      left.is_exact = left.is_exact && right.is_exact;
      return left;
    }
    if (call->arguments.empty() || !IsColumn(call->arguments[0])) return {};
    if (name == "is_in") return FindIn(*call, wanted);
    if (name == "is_valid" || name == "is_null") {
      return {(name == "is_valid") == wanted ? kEverything : Ranges{}, true};
    }
    if (call->arguments.size() != 2) return {};
    const arrow::Scalar* constant = LiteralOf(call->arguments[1]);
    if (constant == nullptr || constant->type->id() != arrow::Type::UINT64) return {};
    if (!constant->is_valid) return {Ranges{}, true};
    const auto range = MakeValueRange(name, *constant);
    if (!range) return {};
    const auto stored = [](int64_t ordered) {
      return static_cast<uint64_t>(ordered) ^ (uint64_t{1} << 63);
    };
    Ranges ranges;
    if (range->first <= range->last) ranges.push_back({stored(range->first), stored(range->last)});
    if (range->is_outside == wanted) ranges = Complement(ranges);
    return {std::move(ranges), true};
  }

 private:
  bool IsColumn(const compute::Expression& expression) const {
    const arrow::FieldRef* reference = expression.field_ref();
    return reference != nullptr && reference->IsName() && *reference->name() == column_;
  }

  static RowNumberBounds FindIn(const compute::Expression::Call& call, bool wanted) {
    const auto* options = dynamic_cast<const compute::SetLookupOptions*>(call.options.get());
    if (options == nullptr || !options->value_set.is_array()) return {};
    const auto values = options->value_set.make_array();
    if (values->type_id() != arrow::Type::UINT64) return {};
    if (!wanted && values->null_count() > 0)
      return {Ranges{}, true};  // Never certain to be outside.
    Ranges ranges;
    const auto& numbers = static_cast<const arrow::UInt64Array&>(*values);
    for (int64_t i = 0; i < numbers.length(); ++i) {
      if (numbers.IsValid(i)) ranges.push_back({numbers.Value(i), numbers.Value(i)});
    }
    ranges = Normalize(std::move(ranges));
    return {wanted ? std::move(ranges) : Complement(ranges), true};
  }

  std::string_view column_;
};

}  // namespace

uint64_t RowNumberBounds::Count() const {
  uint64_t count = 0;
  for (const RowNumberRange& range : ranges) {
    const uint64_t span = range.last - range.first;
    if (span == UINT64_MAX || __builtin_add_overflow(count, span + 1, &count)) return UINT64_MAX;
  }
  return count;
}

RowNumberBounds BoundRowNumbers(const compute::Expression& expression, std::string_view column) {
  return BoundFinder(column).Find(expression, true);
}

std::vector<RowNumberRange> Intersect(const Ranges& left, const Ranges& right) {
  Ranges result;
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    const uint64_t first = std::max(left[i].first, right[j].first),
                   last = std::min(left[i].last, right[j].last);
    if (first <= last) result.push_back({first, last});
    left[i].last < right[j].last ? ++i : ++j;
  }
  return result;
}

std::vector<RowNumberRange> Unite(Ranges left, const Ranges& right) {
  left.insert(left.end(), right.begin(), right.end());
  return Normalize(std::move(left));
}

std::vector<RowNumberRange> Complement(const Ranges& ranges) {
  Ranges result;
  uint64_t next = 0;
  for (const RowNumberRange& range : ranges) {
    if (range.first > next) result.push_back({next, range.first - 1});
    if (range.last == UINT64_MAX) return result;
    next = range.last + 1;
  }
  result.push_back({next, UINT64_MAX});
  return result;
}

}  // namespace pennon
