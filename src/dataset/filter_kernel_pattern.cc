// like, ilike and regular expressions. The latter run on Arrow's functions, which hold RE2.
#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_scalar.h>

#include <algorithm>
#include <optional>

#include "dataset/filter_kernel.h"
#include "dataset/filter_pattern.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// An invalid expression is the caller's mistake, whatever Arrow calls it.
arrow::Result<ArrayPtr> CallRegex(const KernelCall& call, const std::string& name,
                                  std::vector<arrow::Datum> arguments,
                                  const arrow::compute::FunctionOptions& options) {
  auto result = CallArrow(call, name, std::move(arguments), &options);
  if (!result.ok() && result.status().IsInvalid()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "regular expression: " + result.status().message());
  }
  return result;
}

/// (text, pattern). The word is "like" or "ilike"; the flag negates.
arrow::Result<ArrayPtr> Like(const KernelCall& call) {
  const TextArgument text(call.arguments[0]), pattern(call.arguments[1]);
  const bool ignores_case = call.options.word == "ilike";
  if (ignores_case && pattern.is_scalar() && !pattern.IsNull(0)) {
    bool is_ascii = IsAscii(pattern.At(0));
    for (int64_t row = 0; row < call.length && is_ascii; ++row)
      is_ascii = text.IsNull(row) || IsAscii(text.At(row));
    if (!is_ascii) {
      ARROW_ASSIGN_OR_RAISE(const ArrayPtr values,
                            AsArray(call.arguments[0], call.length, call.pool));
      const arrow::compute::MatchSubstringOptions options(LikeToRegex(pattern.At(0), true));
      ARROW_ASSIGN_OR_RAISE(ArrayPtr matches,
                            CallRegex(call, "match_substring_regex", {values}, options));
      return call.options.flag ? CallArrow(call, "invert", {matches}) : matches;
    }
  }
  arrow::BooleanBuilder builder(call.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(call.length));
  std::optional<LikePattern> compiled;
  for (int64_t row = 0; row < call.length; ++row) {
    if (text.IsNull(row) || pattern.IsNull(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    if (!compiled || !pattern.is_scalar()) compiled.emplace(pattern.At(row), ignores_case);
    builder.UnsafeAppend(compiled->Matches(text.At(row)) != call.options.flag);
  }
  return builder.Finish();
}

/// Arguments behind the text are constants: the translator sees to it and passes them in the word,
/// parted by NUL.
std::vector<std::string> Constants(const KernelCall& call) {
  std::vector<std::string> parts(1);
  for (char c : call.options.word) {
    if (c == '\0') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

arrow::Result<ArrayPtr> RegexpLike(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, AsArray(call.arguments[0], call.length, call.pool));
  const auto constants = Constants(call);
  ARROW_ASSIGN_OR_RAISE(const std::string regex, TranslateRegex(constants[0], constants[1]));
  return CallRegex(call, "match_substring_regex", {values},
                   arrow::compute::MatchSubstringOptions(regex));
}

arrow::Result<ArrayPtr> RegexpCount(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, AsArray(call.arguments[0], call.length, call.pool));
  const auto constants = Constants(call);
  ARROW_ASSIGN_OR_RAISE(const std::string regex, TranslateRegex(constants[0], constants[1]));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr counts,
                        CallRegex(call, "count_substring_regex", {values},
                                  arrow::compute::MatchSubstringOptions(regex)));
  arrow::Int64Builder builder(call.pool);
  for (int64_t row = 0; row < call.length; ++row) {  // No text has no matches.
    ARROW_ASSIGN_OR_RAISE(const auto count, counts->GetScalar(row));
    const int64_t value = !count->is_valid ? 0
                          : count->type->id() == Type::INT64
                              ? static_cast<const arrow::Int64Scalar&>(*count).value
                              : static_cast<const arrow::Int32Scalar&>(*count).value;
    ARROW_RETURN_NOT_OK(builder.Append(value));
  }
  return builder.Finish();
}

arrow::Result<ArrayPtr> RegexpReplace(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, AsArray(call.arguments[0], call.length, call.pool));
  auto constants = Constants(call);
  std::string flags = constants[2];
  const bool replaces_all = flags.find('g') != std::string::npos;
  flags.erase(std::remove(flags.begin(), flags.end(), 'g'), flags.end());
  ARROW_ASSIGN_OR_RAISE(const std::string regex, TranslateRegex(constants[0], flags));
  return CallRegex(call, "replace_substring_regex", {values},
                   arrow::compute::ReplaceSubstringOptions(
                       regex, TranslateReplacement(constants[1]), replaces_all ? -1 : 1));
}

/// The groups of the first match, or the whole match when there are no groups; null without a
/// match.
arrow::Result<ArrayPtr> RegexpMatch(const KernelCall& call) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, AsArray(call.arguments[0], call.length, call.pool));
  const auto constants = Constants(call);
  ARROW_ASSIGN_OR_RAISE(const std::string regex, TranslateRegex(constants[0], constants[1]));
  int num_groups = 0;
  const std::string named = NameRegexGroups(regex, &num_groups);
  ARROW_ASSIGN_OR_RAISE(
      const ArrayPtr groups,
      CallRegex(call, "extract_regex", {values}, arrow::compute::ExtractRegexOptions(named)));
  const auto& fields = static_cast<const arrow::StructArray&>(*groups);
  std::vector<TextArgument> texts;
  for (int i = 0; i < fields.num_fields(); ++i) texts.emplace_back(arrow::Datum(fields.field(i)));
  auto element = std::make_shared<arrow::StringBuilder>(call.pool);
  arrow::ListBuilder builder(call.pool, element, call.options.type);
  for (int64_t row = 0; row < call.length; ++row) {
    if (groups->IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    ARROW_RETURN_NOT_OK(builder.Append());
    for (const TextArgument& group : texts) ARROW_RETURN_NOT_OK(element->Append(group.At(row)));
  }
  return builder.Finish();
}

}  // namespace

std::vector<NamedKernel> PatternKernels() {
  return {{"sql_like", Like},
          {"regexp_like", RegexpLike},
          {"regexp_count", RegexpCount},
          {"regexp_replace", RegexpReplace},
          {"regexp_match", RegexpMatch}};
}

}  // namespace pennon
