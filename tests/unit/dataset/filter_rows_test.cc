#include "dataset/filter_rows.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/exec.h>
#include <gtest/gtest.h>

#include <random>

#include "dataset/filter_kernel.h"

namespace pennon {
namespace {

namespace compute = arrow::compute;

std::shared_ptr<arrow::RecordBatch> RandomBatch(std::mt19937& random, int64_t num_rows) {
  arrow::Int32Builder numbers, others;
  arrow::BooleanBuilder flags;
  arrow::StringBuilder texts;
  const auto is_null = [&] { return random() % 4 == 0; };
  for (int64_t i = 0; i < num_rows; ++i) {
    EXPECT_TRUE(
        (is_null() ? numbers.AppendNull() : numbers.Append(static_cast<int32_t>(random() % 5)))
            .ok());
    EXPECT_TRUE(
        (is_null() ? others.AppendNull() : others.Append(static_cast<int32_t>(random() % 5))).ok());
    EXPECT_TRUE((is_null() ? flags.AppendNull() : flags.Append(random() % 2 == 0)).ok());
    EXPECT_TRUE(
        (is_null() ? texts.AppendNull() : texts.Append(random() % 2 == 0 ? "a" : "b")).ok());
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("n", arrow::int32()), arrow::field("m", arrow::int32()),
                     arrow::field("f", arrow::boolean()), arrow::field("s", arrow::utf8())}),
      num_rows,
      arrow::ArrayVector{*numbers.Finish(), *others.Finish(), *flags.Finish(), *texts.Finish()});
}

compute::Expression RandomPredicate(std::mt19937& random, int depth) {
  const auto child = [&] { return RandomPredicate(random, depth - 1); };
  const auto number = [&] { return compute::literal(static_cast<int32_t>(random() % 5)); };
  static const char* const kComparisons[] = {"equal",      "not_equal", "less",
                                             "less_equal", "greater",   "greater_equal"};
  switch (random() % (depth > 0 ? 10 : 5)) {
    case 0:
      return compute::call(kComparisons[random() % 6], {compute::field_ref("n"), number()});
    case 1:
      return compute::call(kComparisons[random() % 6],
                           {compute::field_ref("n"), compute::field_ref("m")});
    case 2:
      return compute::field_ref("f");
    case 3:
      return compute::equal(compute::field_ref("s"), compute::literal("a"));
    case 4:
      return random() % 2 == 0 ? compute::is_valid(compute::field_ref("m"))
                               : compute::is_null(compute::field_ref("m"));
    case 5:
    case 6:
      return compute::call("and_kleene", {child(), child()});
    case 7:
      return compute::call("or_kleene", {child(), child()});
    case 8:
      return compute::not_(child());
    default:
      return compute::call("coalesce", {child(), compute::literal(random() % 2 == 0)});
  }
}

TEST(RowProgram, AgreesWithArrowOnRandomPredicates) {
  std::mt19937 random(11);
  compute::ExecContext* context = FilterExecContext().ValueOrDie();
  for (int round = 0; round < 400; ++round) {
    const auto batch = RandomBatch(random, static_cast<int64_t>(2 + random() % 200))
                           ->Slice(static_cast<int64_t>(random() % 3));
    const compute::Expression predicate = RandomPredicate(random, 4);
    const auto program = RowProgram::Make(predicate, *batch->schema());
    ASSERT_TRUE(program.ok()) << program.status().ToString();
    const auto selection = program->Run(*batch);
    ASSERT_TRUE(selection.ok()) << selection.status().ToString();
    const auto bound = predicate.Bind(*batch->schema(), context).ValueOrDie();
    const auto expected =
        compute::ExecuteScalarExpression(bound, compute::ExecBatch(*batch), context).ValueOrDie();
    const auto mask =
        AsArray(expected, batch->num_rows(), arrow::default_memory_pool()).ValueOrDie();
    const auto& flags = static_cast<const arrow::BooleanArray&>(*mask);
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      ASSERT_EQ(selection->passes(row), flags.IsValid(row) && flags.Value(row))
          << predicate.ToString() << " row " << row;
    }
  }
}

TEST(RowProgram, JoinsRangesAndReadsEachFieldOnce) {
  const auto schema =
      arrow::schema({arrow::field("n", arrow::int32()), arrow::field("m", arrow::int32())});
  const auto n = compute::field_ref("n");
  const auto program = RowProgram::Make(compute::and_(compute::greater(n, compute::literal(2)),
                                                      compute::less(n, compute::literal(2))),
                                        *schema);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->fields().size(), 1u);
}

TEST(RowProgram, KnowsWhatCanFail) {
  const auto n = compute::field_ref("n");
  EXPECT_FALSE(MayFail(compute::greater(n, compute::literal(2))));
  EXPECT_TRUE(MayFail(compute::equal(
      compute::call("sql_arithmetic", {n, n}, FilterCallOptions(arrow::int32(), "/")), n)));
  EXPECT_TRUE(MayFail(compute::call("sql_cast", {n}, FilterCallOptions(arrow::int8()))));
  EXPECT_FALSE(MayFail(compute::call("sql_cast", {n}, FilterCallOptions(arrow::int8(), "", true))));
}

}  // namespace
}  // namespace pennon
