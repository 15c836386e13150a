// Element-wise ops whose operands and results differ in type, or are no
// numbers. Names and meaning are StableHLO's, gradients JAX's.
//
// What StableHLO leaves open is as XLA does it: a float that becomes a whole
// number is cut towards 0 and held at the type's ends, NaN becomes 0; a whole
// number that becomes a narrower one keeps its low bits.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"
#include "models/ops/whole_numbers.h"

namespace podsim {
namespace {

constexpr std::array<const char*, 6> kComparisons = {"EQ", "NE", "GE",
                                                     "GT", "LE", "LT"};

absl::Status NeedOneType(Types in) {
  for (const ValueType& type : in)
    if (type != in[0]) return Bad("all operands must have the same type");
  return absl::OkStatus();
}

Inferred InferCompare(Types in, const OpAttributes& attributes) {
  if (absl::Status status = NeedOneType(in); !status.ok()) return status;
  for (const char* word : kComparisons)
    if (attributes.word == word)
      return std::vector{ValueType{DType::kBool, in[0].shape}};
  return Bad(absl::StrCat("cannot compare by '", attributes.word,
                          "'; there are EQ, NE, GE, GT, LE, LT"));
}

Inferred InferSelect(Types in, const OpAttributes& /*attributes*/) {
  if (absl::Status status = NeedOneType(in.subspan(1)); !status.ok())
    return status;
  if (in[0].dtype != DType::kBool ||
      (in[0].shape != in[1].shape && in[0].shape != Shape{}))
    return Bad("selects by a bool for each element, or by one for all");
  return std::vector{in[1]};
}

Inferred InferConvert(Types in, const OpAttributes& attributes) {
  return std::vector{ValueType{attributes.dtype, in[0].shape}};
}

Inferred InferBitcast(Types in, const OpAttributes& attributes) {
  const auto width = [](DType dtype) {
    return dtype == DType::kBool ? 0 : SizeOf(dtype);
  };
  if (width(in[0].dtype) == 0 || width(in[0].dtype) != width(attributes.dtype))
    return Bad(absl::StrCat("cannot read ", ToString(in[0].dtype), " as ",
                            ToString(attributes.dtype),
                            ", which has another width"));
  return std::vector{ValueType{attributes.dtype, in[0].shape}};
}

Inferred InferIsFinite(Types in, const OpAttributes& /*attributes*/) {
  if (!IsFloat(in[0].dtype)) return Bad("needs float32 or bfloat16");
  return std::vector{ValueType{DType::kBool, in[0].shape}};
}

Inferred InferLogical(Types in, const OpAttributes& /*attributes*/) {
  if (IsFloat(in[0].dtype)) return Bad("needs whole numbers or bools");
  if (absl::Status status = NeedOneType(in); !status.ok()) return status;
  return std::vector{in[0]};
}

Inferred InferWhole(Types in, const OpAttributes& attributes) {
  if (!IsWhole(in[0].dtype)) return Bad("needs whole numbers");
  return InferLogical(in, attributes);
}

OpCost ElementCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.vector_flops = Elements(signature.outputs[0], rows);
  return cost;
}

// What no change of an operand moves a little.
InputGradients NoGradient(GradientBuilder& /*builder*/, const OpUse& use,
                          std::span<const Value> /*dy*/) {
  return std::vector<Value>(use.inputs.size(), kNone);
}

InputGradients SelectGradient(GradientBuilder& builder, const OpUse& use,
                              std::span<const Value> dy) {
  const ValueType type = builder.type(dy[0]);
  OpAttributes attributes;
  attributes.shape = type.shape;
  attributes.dtype = type.dtype;
  const Value zero =
      builder.Apply(OpCode::kConstant, {}, "zero", std::move(attributes));
  const auto select = [&](Value a, Value b) {
    return builder.Apply(OpCode("select"), {use.inputs[0], a, b}, "grad");
  };
  return std::vector{kNone, select(dy[0], zero), select(zero, dy[0])};
}

// Between floats alone.
InputGradients ConvertGradient(GradientBuilder& builder, const OpUse& use,
                               std::span<const Value> dy) {
  const DType from = builder.type(use.inputs[0]).dtype;
  if (!IsFloat(from) || !IsFloat(use.attributes.dtype))
    return std::vector{kNone};
  if (from == use.attributes.dtype) return std::vector{dy[0]};
  OpAttributes attributes;
  attributes.dtype = from;
  return std::vector{
      builder.Apply(OpCode("convert"), {dy[0]}, "grad", std::move(attributes))};
}

bool Compares(const std::string& word, double a, double b) {
  if (word == "EQ") return a == b;
  if (word == "NE") return a != b;
  if (word == "GE") return a >= b;
  if (word == "GT") return a > b;
  return word == "LE" ? a <= b : a < b;
}

void Compare(std::span<const Tensor> in, const OpAttributes& attributes,
             std::span<Tensor> out) {
  for (std::size_t i = 0; i < out[0].values.size(); ++i)
    out[0].values[i] =
        Compares(attributes.word, in[0].values[i], in[1].values[i]) ? 1 : 0;
}

void Select(std::span<const Tensor> in, const OpAttributes& /*attributes*/,
            std::span<Tensor> out) {
  const bool one = in[0].type.shape.rank() == 0;
  for (std::size_t i = 0; i < out[0].values.size(); ++i)
    out[0].values[i] = in[in[0].values[one ? 0 : i] != 0 ? 1 : 2].values[i];
}

// The ends of what a whole type holds.
std::pair<double, double> EndsOf(DType dtype) {
  if (dtype == DType::kInt32) return {-0x1p31, 0x1p31 - 1};
  return {0, dtype == DType::kUint32 ? 0x1p32 - 1 : 255};
}

double Converted(double x, DType from, DType to) {
  switch (to) {
    case DType::kFloat32:
      return IsFloat(from) ? x : static_cast<float>(x);
    case DType::kBFloat16:
      return RoundToBFloat16(static_cast<float>(x));
    case DType::kBool:
      return x != 0 ? 1 : 0;
    default:
      break;
  }
  if (!IsFloat(from))
    return static_cast<double>(Wrapped(static_cast<std::int64_t>(x), to));
  const auto [least, most] = EndsOf(to);
  if (std::isnan(x)) return 0;
  return x <= least ? least : x >= most ? most : std::trunc(x);
}

void Convert(std::span<const Tensor> in, const OpAttributes& attributes,
             std::span<Tensor> out) {
  for (std::size_t i = 0; i < out[0].values.size(); ++i)
    out[0].values[i] =
        Converted(in[0].values[i], in[0].type.dtype, attributes.dtype);
}

// Of float32, or of a whole number of 32 bits.
std::uint32_t BitsFrom(double x, DType dtype) {
  if (IsFloat(dtype))
    return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
}

void Bitcast(std::span<const Tensor> in, const OpAttributes& attributes,
             std::span<Tensor> out) {
  for (std::size_t i = 0; i < out[0].values.size(); ++i) {
    const std::uint32_t bits = BitsFrom(in[0].values[i], in[0].type.dtype);
    out[0].values[i] =
        IsFloat(attributes.dtype)
            ? std::bit_cast<float>(bits)
            : static_cast<double>(Wrapped(bits, attributes.dtype));
  }
}

void IsFinite(std::span<const Tensor> in, const OpAttributes& /*attributes*/,
              std::span<Tensor> out) {
  for (std::size_t i = 0; i < out[0].values.size(); ++i)
    out[0].values[i] = std::isfinite(in[0].values[i]) ? 1 : 0;
}

// Of whole numbers and bools, whose operands are those of one element.
using WholeFunction = std::int64_t (*)(const std::int64_t* x, DType dtype);

template <WholeFunction kFunction>
void MapWhole(std::span<const Tensor> in, const OpAttributes& /*attributes*/,
              std::span<Tensor> out) {
  const DType dtype = in[0].type.dtype;
  for (std::size_t i = 0; i < out[0].values.size(); ++i) {
    std::int64_t x[2] = {};
    for (std::size_t operand = 0; operand < in.size(); ++operand)
      x[operand] = static_cast<std::int64_t>(in[operand].values[i]);
    const std::int64_t y = kFunction(x, dtype);
    out[0].values[i] =
        static_cast<double>(dtype == DType::kBool ? y & 1 : Wrapped(y, dtype));
  }
}

std::int64_t And(const std::int64_t* x, DType) { return x[0] & x[1]; }
std::int64_t Or(const std::int64_t* x, DType) { return x[0] | x[1]; }
std::int64_t Xor(const std::int64_t* x, DType) { return x[0] ^ x[1]; }
std::int64_t Not(const std::int64_t* x, DType) { return ~x[0]; }

// The bits of x, without a sign.
std::uint64_t Unsigned(std::int64_t x, DType dtype) {
  return static_cast<std::uint64_t>(x) & ((1ULL << BitsOf(dtype)) - 1);
}

// A shift by as many bits as there are, or more, or by less than none, leaves
// none of them.
bool ShiftsAll(std::int64_t by, DType dtype) {
  return by < 0 || by >= BitsOf(dtype);
}

std::int64_t ShiftLeft(const std::int64_t* x, DType dtype) {
  if (ShiftsAll(x[1], dtype)) return 0;
  return static_cast<std::int64_t>(Unsigned(x[0], dtype) << x[1]);
}

std::int64_t ShiftRightLogical(const std::int64_t* x, DType dtype) {
  if (ShiftsAll(x[1], dtype)) return 0;
  return static_cast<std::int64_t>(Unsigned(x[0], dtype) >> x[1]);
}

// With the uppermost bit for those that come in.
std::int64_t ShiftRightArithmetic(const std::int64_t* x, DType dtype) {
  const int bits = BitsOf(dtype);
  const int up = 64 - bits;
  const auto with_sign =
      static_cast<std::int64_t>(Unsigned(x[0], dtype) << up) >> up;
  return with_sign >> (ShiftsAll(x[1], dtype) ? bits - 1 : x[1]);
}

std::int64_t PopCount(const std::int64_t* x, DType dtype) {
  return std::popcount(Unsigned(x[0], dtype));
}

std::int64_t CountLeadingZeros(const std::int64_t* x, DType dtype) {
  return std::countl_zero(Unsigned(x[0], dtype)) - (64 - BitsOf(dtype));
}

constexpr DType kTypes[] = {DType::kFloat32, DType::kBFloat16, DType::kInt32,
                            DType::kUint32,  DType::kUint8,    DType::kBool};

// Types of a sample, whose numbers lie around those that matter.
OpSample TypedSample(std::vector<ValueType> inputs, ValueType output) {
  return {.inputs = std::move(inputs),
          .outputs = {std::move(output)},
          .low = -300,
          .high = 300,
          .classes = 40,
          .least = -8};
}

std::vector<OpSample> CompareSamples() {
  std::vector<OpSample> samples;
  const auto add = [&](const ValueType& type, const char* word) {
    ValueType result = type;
    result.dtype = DType::kBool;
    samples.push_back(TypedSample({type, type}, result));
    samples.back().attributes.word = word;
  };
  for (const char* word : kComparisons) add(Batched({37}, DType::kInt32), word);
  for (const DType dtype : kTypes) {
    add(Plain({3, 5}, dtype), "LT");
    add(BatchedAt(1, {3, 2}, dtype), "EQ");
  }
  return samples;
}

std::vector<OpSample> SelectSamples() {
  std::vector<OpSample> samples;
  const auto add = [&](ValueType pred, const ValueType& type) {
    pred.dtype = DType::kBool;
    samples.push_back(TypedSample({pred, type, type}, type));
    samples.back().low = -1;
    samples.back().high = 1;
  };
  for (const DType dtype : kTypes) {
    const ValueType type = Batched({3, 5}, dtype);
    add(type, type);
  }
  add(Plain({}), Plain({7}));
  add(Plain({}), Batched({7}));
  return samples;
}

std::vector<OpSample> ConvertSamples() {
  std::vector<OpSample> samples;
  for (const DType from : kTypes)
    for (const DType to : kTypes) {
      samples.push_back(TypedSample({Batched({37}, from)}, Batched({37}, to)));
      samples.back().attributes.dtype = to;
    }
  // Beyond what whole numbers hold.
  for (const DType to : {DType::kInt32, DType::kUint32}) {
    samples.push_back(TypedSample({Plain({64})}, Plain({64}, to)));
    samples.back().attributes.dtype = to;
    samples.back().low = -0x1p33;
    samples.back().high = 0x1p33;
  }
  return samples;
}

std::vector<OpSample> BitcastSamples() {
  constexpr std::pair<DType, DType> kPairs[] = {
      {DType::kFloat32, DType::kUint32},
      {DType::kFloat32, DType::kInt32},
      {DType::kInt32, DType::kUint32},
      {DType::kUint32, DType::kFloat32},
      {DType::kUint8, DType::kUint8}};
  std::vector<OpSample> samples;
  for (const auto& [from, to] : kPairs) {
    samples.push_back(TypedSample({Batched({37}, from)}, Batched({37}, to)));
    samples.back().attributes.dtype = to;
  }
  return samples;
}

std::vector<OpSample> IsFiniteSamples() {
  return {
      TypedSample({Batched({37})}, Batched({37}, DType::kBool)),
      TypedSample({Plain({3}, DType::kBFloat16)}, Plain({3}, DType::kBool))};
}

template <int kOperands, bool kBools>
std::vector<OpSample> WholeSamples() {
  std::vector<OpSample> samples;
  for (const DType dtype : kTypes) {
    if (IsFloat(dtype) || (dtype == DType::kBool && !kBools)) continue;
    for (const ValueType& type : {Batched({37}, dtype), Plain({3, 5}, dtype)})
      samples.push_back(TypedSample(
          std::vector<ValueType>(static_cast<std::size_t>(kOperands), type),
          type));
  }
  return samples;
}

constexpr OpEntry Typed(const char* name, int operands,
                        decltype(OpEntry::infer) infer,
                        decltype(OpEntry::reference) reference,
                        decltype(OpEntry::samples) samples,
                        decltype(OpEntry::gradient) gradient = nullptr,
                        decltype(OpEntry::cost) cost = ElementCost) {
  OpEntry entry;
  entry.name = name;
  entry.input_count = operands;
  entry.infer = infer;
  entry.gradient = gradient;
  entry.cost = cost;
  entry.is_row_wise = true;
  entry.is_element_wise = true;
  entry.reference = reference;
  entry.samples = samples;
  return entry;
}

template <WholeFunction kFunction, int kOperands, bool kBools>
constexpr OpEntry OfWhole(const char* name) {
  return Typed(name, kOperands, kBools ? InferLogical : InferWhole,
               MapWhole<kFunction>, WholeSamples<kOperands, kBools>);
}

constexpr OpEntry kTypedElementwiseOps[] = {
    // a, b -> bool: a by attributes.word b; of NaN NE alone is true
    Typed("compare", 2, InferCompare, Compare, CompareSamples),
    // pred, a, b -> a where pred, else b
    Typed("select", 3, InferSelect, Select, SelectSamples, SelectGradient),
    // x -> x as attributes.dtype
    Typed("convert", 1, InferConvert, Convert, ConvertSamples, ConvertGradient),
    // x -> the bits of x as attributes.dtype
    Typed("bitcast_convert", 1, InferBitcast, Bitcast, BitcastSamples,
          NoGradient, CopyCost),
    Typed("is_finite", 1, InferIsFinite, IsFinite, IsFiniteSamples),
    OfWhole<And, 2, true>("and"),
    OfWhole<Or, 2, true>("or"),
    OfWhole<Xor, 2, true>("xor"),
    OfWhole<Not, 1, true>("not"),
    // x, bits -> x shifted
    OfWhole<ShiftLeft, 2, false>("shift_left"),
    OfWhole<ShiftRightArithmetic, 2, false>("shift_right_arithmetic"),
    OfWhole<ShiftRightLogical, 2, false>("shift_right_logical"),
    OfWhole<PopCount, 1, false>("popcnt"),
    OfWhole<CountLeadingZeros, 1, false>("count_leading_zeros"),
};

}  // namespace

OpFamily TypedElementwiseOps() { return kTypedElementwiseOps; }

}  // namespace podsim
