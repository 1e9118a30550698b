#include "dataset/filter_kernel.h"

#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/function.h>
#include <arrow/compute/kernel.h>
#include <arrow/compute/registry.h>
#include <arrow/scalar.h>
#include <arrow/type_traits.h>

#include "base/arrow_functions.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

namespace compute = arrow::compute;

class FilterCallOptionsType : public compute::FunctionOptionsType {
 public:
  const char* type_name() const override { return "PennonFilterCallOptions"; }
  std::string Stringify(const compute::FunctionOptions& options) const override {
    const auto& call = static_cast<const FilterCallOptions&>(options);
    return "{type=" + (call.type ? call.type->ToString() : "") +
           (call.word.empty() ? "" : ", word=" + call.word) + (call.flag ? ", flag" : "") + "}";
  }
  bool Compare(const compute::FunctionOptions& a,
               const compute::FunctionOptions& b) const override {
    const auto& left = static_cast<const FilterCallOptions&>(a);
    const auto& right = static_cast<const FilterCallOptions&>(b);
    const bool same_type =
        left.type == right.type || (left.type && right.type && left.type->Equals(right.type));
    return same_type && left.word == right.word && left.flag == right.flag;
  }
  std::unique_ptr<compute::FunctionOptions> Copy(
      const compute::FunctionOptions& options) const override {
    const auto& call = static_cast<const FilterCallOptions&>(options);
    return std::make_unique<FilterCallOptions>(call.type, call.word, call.flag);
  }
};

const FilterCallOptionsType kFilterCallOptionsType;

struct FilterKernelState : compute::KernelState {
  FilterKernelState(KernelFunction used, FilterCallOptions given)
      : function(used), options(std::move(given)) {}
  KernelFunction function;
  FilterCallOptions options;
};

arrow::Result<arrow::TypeHolder> ResolveType(compute::KernelContext* context,
                                             const std::vector<arrow::TypeHolder>&) {
  const auto& options = static_cast<const FilterKernelState*>(context->state())->options;
  return options.type == nullptr ? arrow::boolean() : options.type;
}

arrow::Status Execute(compute::KernelContext* context, const compute::ExecSpan& span,
                      compute::ExecResult* out) {
  std::vector<arrow::Datum> arguments;
  for (const compute::ExecValue& value : span.values) {
    if (value.is_scalar()) {
      arguments.emplace_back(value.scalar->GetSharedPtr());
    } else {
      arguments.emplace_back(value.array.ToArrayData());
    }
  }
  const auto* state = static_cast<const FilterKernelState*>(context->state());
  const KernelCall call{arguments, span.length, state->options, context->memory_pool()};
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> result, state->function(call));
  out->value = result->data();
  return arrow::Status::OK();
}

arrow::Status Register(compute::FunctionRegistry* registry, const NamedKernel& named) {
  auto function = std::make_shared<compute::ScalarFunction>(named.name, compute::Arity::VarArgs(0),
                                                            compute::FunctionDoc::Empty());
  compute::ScalarKernel kernel;
  kernel.signature = compute::KernelSignature::Make({compute::InputType()},
                                                    compute::OutputType(ResolveType), true);
  kernel.exec = Execute;
  kernel.init = [use = named.function](compute::KernelContext*, const compute::KernelInitArgs& args)
      -> arrow::Result<std::unique_ptr<compute::KernelState>> {
    const auto* options = dynamic_cast<const FilterCallOptions*>(args.options);
    return std::make_unique<FilterKernelState>(use,
                                               options == nullptr ? FilterCallOptions() : *options);
  };
  kernel.null_handling = compute::NullHandling::COMPUTED_NO_PREALLOCATE;
  kernel.mem_allocation = compute::MemAllocation::NO_PREALLOCATE;
  ARROW_RETURN_NOT_OK(function->AddKernel(std::move(kernel)));
  return registry->AddFunction(std::move(function), /*allow_overwrite=*/true);
}

struct FilterRuntime {
  std::unique_ptr<compute::FunctionRegistry> registry;
  std::unique_ptr<compute::ExecContext> context;
};

arrow::Result<FilterRuntime> MakeRuntime() {
  ARROW_RETURN_NOT_OK(LoadArrowFunctions());
  FilterRuntime runtime;
  runtime.registry = compute::FunctionRegistry::Make(compute::GetFunctionRegistry());
  for (const auto& family : {ComparisonKernels(), CastKernels(), TextKernels(), PatternKernels(),
                             MathKernels(), TimeKernels(), ListKernels()}) {
    for (const NamedKernel& named : family)
      ARROW_RETURN_NOT_OK(Register(runtime.registry.get(), named));
  }
  runtime.context = std::make_unique<compute::ExecContext>(
      arrow::default_memory_pool(), /*executor=*/nullptr, runtime.registry.get());
  runtime.context->set_use_threads(false);
  return runtime;
}

}  // namespace

FilterCallOptions::FilterCallOptions(TypePtr result_type, std::string word_argument,
                                     bool flag_argument)
    : FunctionOptions(&kFilterCallOptionsType),
      type(std::move(result_type)),
      word(std::move(word_argument)),
      flag(flag_argument) {}

arrow::Result<compute::ExecContext*> FilterExecContext() {
  static const arrow::Result<FilterRuntime>* const runtime =
      new arrow::Result<FilterRuntime>(MakeRuntime());
  ARROW_RETURN_NOT_OK(runtime->status());
  return runtime->ValueUnsafe().context.get();
}

arrow::Result<std::shared_ptr<arrow::Array>> AsArray(const arrow::Datum& datum, int64_t length,
                                                     arrow::MemoryPool* pool) {
  if (datum.is_array()) return datum.make_array();
  if (datum.is_scalar()) return arrow::MakeArrayFromScalar(*datum.scalar(), length, pool);
  return MakeError(ErrorKind::kInternal, "expected an array or a scalar");
}

arrow::Result<std::shared_ptr<arrow::Array>> CallArrow(const KernelCall& call,
                                                       const std::string& name,
                                                       std::vector<arrow::Datum> arguments,
                                                       const compute::FunctionOptions* options) {
  compute::ExecContext context(call.pool);
  context.set_use_threads(false);
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum result,
                        compute::CallFunction(name, arguments, options, &context));
  return AsArray(result, call.length, call.pool);
}

TextArgument::TextArgument(const arrow::Datum& datum) {
  if (datum.is_scalar()) {
    is_scalar_ = true;
    owner_ = datum.scalar();
    scalar_is_null_ = !owner_->is_valid;
    if (owner_->is_valid) scalar_ = static_cast<const arrow::BaseBinaryScalar&>(*owner_).view();
    return;
  }
  array_ = datum.make_array();
  switch (array_->type_id()) {
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY: {
      const auto& large = static_cast<const arrow::LargeBinaryArray&>(*array_);
      offsets64_ = large.raw_value_offsets();
      bytes_ = reinterpret_cast<const char*>(large.raw_data());
      break;
    }
    case arrow::Type::FIXED_SIZE_BINARY: {
      const auto& fixed = static_cast<const arrow::FixedSizeBinaryArray&>(*array_);
      width_ = fixed.byte_width();
      bytes_ = reinterpret_cast<const char*>(fixed.raw_values());
      break;
    }
    default: {
      const auto& small = static_cast<const arrow::BinaryArray&>(*array_);
      offsets32_ = small.raw_value_offsets();
      bytes_ = reinterpret_cast<const char*>(small.raw_data());
    }
  }
}

arrow::Result<IntegerArgument> IntegerArgument::Make(const arrow::Datum& datum, int64_t length,
                                                     arrow::MemoryPool* pool) {
  IntegerArgument argument;
  argument.is_scalar_ = datum.is_scalar();
  ARROW_ASSIGN_OR_RAISE(argument.array_, AsArray(datum, argument.is_scalar_ ? 1 : length, pool));
  if (IsTemporal(*argument.array_->type())) {
    const TypePtr stored =
        arrow::bit_width(argument.array_->type_id()) == 32 ? arrow::int32() : arrow::int64();
    ARROW_ASSIGN_OR_RAISE(argument.array_, argument.array_->View(stored));
  }
  if (argument.array_->type_id() != arrow::Type::INT64) {
    compute::CastOptions options = compute::CastOptions::Unsafe(arrow::int64());
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum cast, compute::Cast(argument.array_, options));
    argument.array_ = cast.make_array();
  }
  argument.values_ = static_cast<const arrow::Int64Array&>(*argument.array_).raw_values();
  return argument;
}

}  // namespace pennon
