// One value of those that the cores of a group have.
#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostCores = 1 << 20;

bool IsSum(const OpAttributes& attributes) { return attributes.word == "add"; }

Inferred InferAllReduce(Types in, const OpAttributes& attributes) {
  if (in[0].batched() || in[0].dtype != DType::kFloat32)
    return Bad("needs float32 without B");
  if (!IsSum(attributes) && attributes.word != "maximum" &&
      attributes.word != "minimum")
    return Bad(absl::StrCat("combines by add, maximum or minimum, not by '",
                            attributes.word, "'"));
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

// What a core's value adds to the loss of all the group's cores; of an extreme
// the same share for all that are as extreme, as reduce has it.
InputGradients AllReduceGradient(GradientBuilder& builder, const OpUse& use,
                                 std::span<const Value> output_gradients) {
  OpAttributes add = use.attributes;
  add.word = "add";
  const auto sum = [&](Value value) {
    return builder.Apply(OpCode::kAllReduce, {value}, "grad", add);
  };
  const auto apply = [&](const char* op, std::vector<Value> inputs,
                         OpAttributes attributes = {}) {
    return builder.Apply(OpCode(op), std::move(inputs), "grad",
                         std::move(attributes));
  };
  const Value of_all = sum(output_gradients[0]);
  if (IsSum(use.attributes)) return std::vector{of_all};
  const Value ties =
      apply("compare", {use.inputs[0], use.outputs[0]}, {.word = "EQ"});
  const Value mine = apply("convert", {ties}, {.dtype = DType::kFloat32});
  const Value share = apply("divide", {of_all, sum(mine)});
  const Shape& shape = builder.type(use.inputs[0]).shape;
  return std::vector{
      apply("select", {ties, share, apply("constant", {}, {.shape = shape})})};
}

// Of cores by themselves: references, differences and kernels of one core say
// the same. Groups of several are tests/host/core/all_reduce_test.cc's.
std::vector<OpSample> AllReduceSamples() {
  OpSample sample{.inputs = {Plain({3, 5})}, .outputs = {Plain({3, 5})}};
  sample.inputs[0].per_core = true;
  sample.outputs[0].per_core = true;
  sample.attributes.lists[kGroupSize] = {1};
  std::vector<OpSample> samples;
  for (const char* word : {"add", "maximum", "minimum"}) {
    sample.attributes.word = word;
    samples.push_back(sample);
  }
  return samples;
}

constexpr OpEntry kAllReduceOps[] = {
    // x of each core -> in each core of a group what `word` ("add", "maximum"
    // or "minimum") makes of the group's, as a balanced tree over the cores
    // where there is a choice. `group_size` neighbours are a group.
    {.name = "all_reduce",
     .input_count = 1,
     .infer = InferAllReduce,
     .gradient = AllReduceGradient,
     .cost = CopyCost,
     .joins_cores = true,
     .reference = AllReduce,
     .samples = AllReduceSamples},
};

}  // namespace

OpFamily AllReduceOps() { return kAllReduceOps; }

}  // namespace podsim
