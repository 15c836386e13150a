// Numbers that are known: one in every element, or each.
//
// lists: batch_power, 1 or -1: of a float32 that has B, each element is
// `value` times B, or `value` over B: sums over a core's examples become means.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/ops/constant_value.h"
#include "models/ops/families.h"
#include "models/ops/moves.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

// Floats round what they do not hold.
bool Holds(DType dtype, double value) {
  const bool is_float = dtype == DType::kFloat32 || dtype == DType::kBFloat16;
  if (std::isnan(value)) return is_float;
  switch (dtype) {
    case DType::kFloat32:
    case DType::kBFloat16:
      return true;
    case DType::kInt32:
      return value ==
             static_cast<std::int32_t>(std::clamp(value, -0x1p31, 0x1p31 - 1));
    case DType::kUint32:
      return value ==
             static_cast<std::uint32_t>(std::clamp(value, 0.0, 0x1p32 - 1));
    case DType::kUint8:
      return value == static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
    case DType::kBool:
      return value == 0 || value == 1;
  }
  return false;
}

template <typename T>
double ElementAt(const std::string& data, std::size_t i) {
  T element = {};
  std::memcpy(&element, data.data() + i * sizeof(T), sizeof(T));
  return static_cast<double>(element);
}

double ElementOf(DType dtype, const std::string& data, std::size_t i) {
  switch (dtype) {
    case DType::kFloat32:
      return ElementAt<float>(data, i);
    case DType::kBFloat16: {
      const auto bits =
          static_cast<std::uint32_t>(ElementAt<std::uint16_t>(data, i));
      return std::bit_cast<float>(bits << 16);
    }
    case DType::kInt32:
      return ElementAt<std::int32_t>(data, i);
    case DType::kUint32:
      return ElementAt<std::uint32_t>(data, i);
    case DType::kUint8:
    case DType::kBool:
      return ElementAt<std::uint8_t>(data, i);
  }
  return 0;
}

absl::Status CheckBatchPower(const ValueType& type,
                             const OpAttributes& attributes) {
  const DimsView power = attributes.List(kBatchPower);
  if (power.empty()) return absl::OkStatus();
  if (power.size() != 1 || (power[0] != 1 && power[0] != -1))
    return Bad(absl::StrCat("batch_power is ", ListText(power),
                            " but must be 1 or -1"));
  if (type.batched() && type.dtype == DType::kFloat32 &&
      attributes.data == nullptr)
    return absl::OkStatus();
  return Bad(absl::StrCat("batch_power is of a float32 value with B in its ",
                          "shape, not of ", ToString(type)));
}

Inferred InferConstant(Types /*in*/, const OpAttributes& attributes) {
  for (const std::int64_t dim : attributes.shape.dims)
    if (dim < 1)
      return Bad(absl::StrCat("its shape is ", ToString(attributes.shape),
                              " but dimensions must be positive"));
  const ValueType type = {attributes.dtype, attributes.shape};
  PODSIM_RETURN_IF_ERROR(CheckBatchPower(type, attributes));
  if (attributes.data != nullptr) {
    const std::int64_t wanted =
        attributes.shape.elements() * SizeOf(attributes.dtype);
    const auto size = static_cast<std::int64_t>(attributes.data->size());
    if (type.batched() || size != wanted)
      return Bad(absl::StrCat("its data have ", size, " bytes, ",
                              ToString(type), " takes ",
                              type.batched() ? 0 : wanted));
  } else if (!Holds(attributes.dtype, attributes.value)) {
    return Bad(absl::StrCat("its value is ", attributes.value, ", which ",
                            ToString(attributes.dtype), " does not hold"));
  }
  return std::vector{type};
}

InputGradients NoOperand(GradientBuilder& /*builder*/, const OpUse& /*use*/,
                         std::span<const Value> /*dy*/) {
  return std::vector<Value>{};
}

void Constant(std::span<const Tensor> /*inputs*/,
              const OpAttributes& attributes, std::span<Tensor> outputs) {
  std::vector<double>& values = outputs[0].values;
  if (attributes.data == nullptr) {
    const bool rounds = attributes.dtype == DType::kBFloat16;
    const double value = ConstantFor(attributes, outputs[0].dims);
    std::fill(values.begin(), values.end(),
              rounds ? RoundToBFloat16(value) : value);
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = ElementOf(attributes.dtype, *attributes.data, i);
}

// A sum over float32 numbers that know B must see one core's.
bool KnowsNoBatch(const OpSignature& signature) {
  return signature.attributes.List(kBatchPower).empty();
}

// The value is rounded once more to float32.
void Error(std::span<const Tensor> /*inputs*/, const OpAttributes& attributes,
           std::span<const Tensor> outputs, std::span<Tensor> bounds) {
  if (attributes.List(kBatchPower).empty()) return;
  for (std::size_t i = 0; i < bounds[0].values.size(); ++i)
    bounds[0].values[i] = kRoundoff * std::abs(outputs[0].values[i]) + kTiny;
}

std::vector<OpSample> ConstantSamples() {
  std::vector<OpSample> samples;
  const auto add = [&](const ValueType& type) -> OpAttributes& {
    OpSample& sample = samples.emplace_back();
    sample.outputs = {type};
    sample.attributes.shape = type.shape;
    sample.attributes.dtype = type.dtype;
    return sample.attributes;
  };
  for (const ValueType& type :
       {Batched({37}), Plain({3, 5}), Batched({3}, DType::kBFloat16)})
    add(type).value = 0.1F;
  for (const std::int64_t power : {1, -1}) {
    OpAttributes& attributes = add(BatchedAt(1, {3, 2}));
    attributes.value = -0.7F;
    attributes.lists[kBatchPower] = {power};
  }
  add(Plain({3}, DType::kInt32)).value = -7;
  add(Batched({5}, DType::kUint32)).value = 0x1p32 - 1;
  add(Plain({2, 3}, DType::kUint8)).value = 200;
  add(Batched({}, DType::kBool)).value = 1;
  const auto data = [](std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i)
      text.push_back(static_cast<char>(i % 2));
    return std::make_shared<const std::string>(std::move(text));
  };
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kInt32,
                            DType::kUint32, DType::kUint8, DType::kBool})
    add(Plain({2, 9}, dtype)).data =
        data(static_cast<std::size_t>(18 * SizeOf(dtype)));
  return samples;
}

constexpr OpEntry kConstantOps[] = {
    // attributes -> value in every element of shape, or data
    {.name = "constant",
     .input_count = 0,
     .infer = InferConstant,
     .gradient = NoOperand,
     .cost = CopyCost,
     .row_wise = KnowsNoBatch,
     .reference = Constant,
     .error = Error,
     .samples = ConstantSamples},
};

}  // namespace

OpFamily ConstantOps() { return kConstantOps; }

}  // namespace podsim
