// One value of those that the cores of a group have.
#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostCores = 1 << 20;

Inferred InferAllReduce(Types in, const OpAttributes& attributes) {
  if (in[0].batched() || in[0].dtype != DType::kFloat32)
    return Bad("needs float32 without B");
  if (attributes.word != "add")
    return Bad(absl::StrCat("combines by add, not by '", attributes.word, "'"));
  const auto size = attributes.List(kGroupSize);
  if (size.size() > 1 || GroupSizeOf(attributes) < 0 ||
      GroupSizeOf(attributes) > kMostCores)
    return Bad("group_size is one number of cores; 0: all");
  return std::vector{ValueType{DType::kFloat32, in[0].shape}};
}

// Of one core, as references see no other.
void AllReduce(std::span<const Tensor> inputs,
               const OpAttributes& /*attributes*/, std::span<Tensor> outputs) {
  outputs[0].values = inputs[0].values;
}

// What a core's value adds to the loss of all the group's cores.
InputGradients AllReduceGradient(GradientBuilder& builder, const OpUse& use,
                                 std::span<const Value> output_gradients) {
  return std::vector{builder.Apply(OpCode::kAllReduce, {output_gradients[0]},
                                   "grad", use.attributes)};
}

// Of cores by themselves: references, differences and kernels of one core say
// the same. Groups of several are tests/host/core/all_reduce_test.cc's.
std::vector<OpSample> Samples() {
  OpSample sample{.inputs = {Plain({3, 5})}, .outputs = {Plain({3, 5})}};
  sample.inputs[0].per_core = true;
  sample.outputs[0].per_core = true;
  sample.attributes.word = "add";
  sample.attributes.lists[kGroupSize] = {1};
  return {sample};
}

constexpr OpEntry kOps[] = {
    // x of each core -> in each core of a group the sum of the group's, made as
    // a balanced tree over the cores where there is a choice. `group_size`
    // neighbours are a group.
    {.name = "all_reduce",
     .input_count = 1,
     .infer = InferAllReduce,
     .gradient = AllReduceGradient,
     .cost = CopyCost,
     .joins_cores = true,
     .reference = AllReduce,
     .samples = Samples},
};

}  // namespace

OpFamily AllReduceOps() { return kOps; }

}  // namespace podsim
