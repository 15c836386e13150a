#include "models/ops/op_table.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"
#include "models/ops/whole_numbers.h"

namespace podsim {
namespace {

std::vector<const OpEntry*> Collect() {
  std::vector<const OpEntry*> all;
  for (const OpFamily& family : {
           ProductOps(),      DotGeneralOps(),
           ConvolutionOps(),  ReduceOps(),
           WindowOps(),       BiasOps(),
           ElementwiseOps(),  TypedElementwiseOps(),
           FunctionOps(),     ConstantOps(),
           ReshapeOps(),      CoreSumOps(),
           ScaleOps(),        AllReduceOps(),
           MovementOps(),     SliceOps(),
           DynamicSliceOps(), GatherOps(),
           SoftmaxXentOps(),  StopGradientOps(),
           RandomBitsOps(),   SortOps(),
           RoundOps(),        UpdateOps(),
       })
    for (const OpEntry& entry : family) all.push_back(&entry);
  return all;
}

Inferred InferOneType(const ScalarFunction& function, Types in) {
  for (const ValueType& type : in) {
    const bool whole = function.whole != nullptr && IsWhole(type.dtype);
    if (type.dtype != DType::kFloat32 && type.dtype != DType::kBFloat16 &&
        !whole)
      return Bad(function.whole == nullptr ? "needs float32 or bfloat16"
                                           : "needs numbers");
    if (type != in[0]) return Bad("all operands must have the same shape");
  }
  return std::vector{in[0]};
}

// Results without B that are computed from what differs from core to core.
void MarkPerCore(const OpEntry& entry, Types inputs,
                 std::vector<ValueType>& outputs) {
  const bool differs = std::any_of(
      inputs.begin(), inputs.end(),
      [](const ValueType& type) { return type.batched() || type.per_core; });
  for (ValueType& type : outputs)
    type.per_core = (differs || entry.joins_cores) && !entry.sums_cores &&
                    !entry.is_same_on_cores && !type.batched();
}

// Shape rules do not know of cores.
std::vector<ValueType> WithoutCores(Types inputs) {
  std::vector<ValueType> types(inputs.begin(), inputs.end());
  for (ValueType& type : types) type.per_core = false;
  return types;
}

// The numbers that shape rules add and multiply.
absl::Status CheckBounds(Types in, const OpAttributes& attributes) {
  for (const ValueType& type : in)
    if (!IsWithinBounds(type.shape))
      return Bad("operands hold at most 2^40 elements");
  if (!IsWithinBounds(attributes.shape))
    return Bad(absl::StrCat("its shape is ", ToString(attributes.shape),
                            ", which must hold at most 2^40 elements"));
  for (const auto& [name, values] : attributes.lists)
    for (const std::int64_t value : values)
      if (value < -kMostShapeElements || value > kMostShapeElements)
        return Bad(absl::StrCat(name, " has ", value,
                                "; numbers are from -2^40 to 2^40"));
  return absl::OkStatus();
}

}  // namespace

const std::vector<const OpEntry*>& AllOps() {
  static const auto& all = *new std::vector<const OpEntry*>(Collect());
  return all;
}

const OpEntry* FindOp(std::string_view name) {
  for (const OpEntry* entry : AllOps())
    if (entry->name == name) return entry;
  return nullptr;
}

const OpEntry& EntryOf(OpCode op) {
  const OpEntry* entry = FindOp(op.name());
  PODSIM_CHECK(entry != nullptr);
  return *entry;
}

absl::StatusOr<std::vector<ValueType>> InferTypes(
    OpCode op, std::span<const ValueType> inputs,
    const OpAttributes& attributes) {
  const auto error = [&](const std::string& why) {
    const auto text = [](std::string* out, const ValueType& type) {
      out->append(ToString(type));
    };
    return absl::InvalidArgumentError(absl::StrCat(
        ToString(op), "(", absl::StrJoin(inputs, ", ", text), "): ", why));
  };
  const OpEntry* entry = FindOp(op.name());
  if (entry == nullptr) return error("no op has this name");
  const int count = static_cast<int>(inputs.size());
  if (entry->takes_more ? count < entry->input_count
                        : count != entry->input_count)
    return error(absl::StrCat("takes ", entry->input_count,
                              entry->takes_more ? " or more" : "",
                              " operands"));
  if (const absl::Status bounds = CheckBounds(inputs, attributes); !bounds.ok())
    return error(std::string(bounds.message()));
  const std::vector<ValueType> operands = WithoutCores(inputs);
  auto types = entry->scalar.value != nullptr
                   ? InferOneType(entry->scalar, operands)
                   : entry->infer(operands, attributes);
  if (!types.ok()) return error(std::string(types.status().message()));
  MarkPerCore(*entry, inputs, *types);
  return types;
}

bool IsRowWise(const OpEntry& entry, const OpSignature& signature) {
  const auto& [inputs, outputs, attributes] = signature;
  const auto is_batched = [](const ValueType& type) { return type.batched(); };
  const auto is_per_core = [](const ValueType& type) { return type.per_core; };
  return std::all_of(outputs.begin(), outputs.end(), is_batched) &&
         std::none_of(inputs.begin(), inputs.end(), is_per_core) &&
         (entry.is_row_wise ||
          (entry.row_wise != nullptr && entry.row_wise(signature)));
}

bool SumsStackedRows(const OpEntry& entry, const OpSignature& signature) {
  const auto& [inputs, outputs, attributes] = signature;
  const auto is_batched = [](const ValueType& type) { return type.batched(); };
  const auto is_per_core = [](const ValueType& type) { return type.per_core; };
  // What is rounded is not the sum of what each core would have rounded.
  const auto is_rounded = [](const ValueType& type) {
    return type.dtype == DType::kBFloat16;
  };
  // A fold by another word than addition is no sum.
  const bool adds = attributes.word.empty() || attributes.word == "add";
  return entry.sums_batch && adds &&
         std::none_of(outputs.begin(), outputs.end(), is_batched) &&
         std::none_of(outputs.begin(), outputs.end(), is_rounded) &&
         std::any_of(inputs.begin(), inputs.end(), is_batched) &&
         std::none_of(inputs.begin(), inputs.end(), is_per_core);
}

OpCost CostOf(const OpEntry& entry, const OpSignature& signature,
              std::int64_t rows) {
  if (entry.scalar.value == nullptr) return entry.cost(signature, rows);
  OpCost cost = CopyCost(signature, rows);
  const double elements = Elements(signature.outputs[0], rows);
  cost.vector_flops = entry.scalar.vector_flops * elements;
  cost.transcendentals = entry.scalar.transcendentals * elements;
  return cost;
}

// Small numbers, and some whose sums and products do not fit.
template <typename Add>
void AddWholeSamples(const Add& add) {
  for (const DType dtype : {DType::kInt32, DType::kUint32, DType::kUint8}) {
    for (const std::int32_t half : {3, 1 << 30}) {
      OpSample& sample = add(Batched({37}, dtype));
      sample.least = dtype == DType::kInt32 ? -half : 0;
      sample.classes = dtype == DType::kUint8 ? 256 : half + (half - 1);
    }
  }
}

// A length that fills no vector, and one that a vector does not even need.
std::vector<OpSample> SamplesOf(const OpEntry& entry) {
  std::vector<OpSample> samples;
  if (entry.scalar.value == nullptr) {
    samples = entry.samples();
    for (OpSample& sample : samples)
      MarkPerCore(entry, sample.inputs, sample.outputs);
    return samples;
  }
  const auto add = [&](const ValueType& type) -> OpSample& {
    OpSample& sample = samples.emplace_back();
    sample.inputs.assign(static_cast<std::size_t>(entry.input_count), type);
    sample.outputs = {type};
    sample.low = entry.scalar.low;
    sample.high = entry.scalar.high;
    return sample;
  };
  for (const ValueType& type : {Batched({37}), Batched({2, 3}), Plain({3, 5}),
                                Batched({9}, DType::kBFloat16)})
    add(type);
  if (entry.scalar.whole == nullptr) return samples;
  AddWholeSamples(add);
  return samples;
}

}  // namespace podsim
