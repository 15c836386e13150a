#include "models/import/flat_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/import/own_rows.h"
#include "models/ops/constant_value.h"
#include "models/ops/reference.h"

namespace podsim {
namespace {

// What is folded is for loops' counters and places, not for data.
constexpr std::int64_t kMostFolded = 64;

template <typename T>
void AppendAs(double value, std::string& to) {
  const T element = static_cast<T>(value);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &element, sizeof(T));
  to.append(bytes, sizeof(T));
}

void AppendElement(DType dtype, double value, std::string& to) {
  switch (dtype) {
    case DType::kFloat32:
      return AppendAs<float>(value, to);
    case DType::kBFloat16:
      return AppendAs<std::uint16_t>(
          std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16, to);
    case DType::kInt32:
      return AppendAs<std::int32_t>(value, to);
    case DType::kUint32:
      return AppendAs<std::uint32_t>(value, to);
    case DType::kUint8:
    case DType::kBool:
      return AppendAs<std::uint8_t>(value, to);
  }
}

bool SameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool IsWhole(DType dtype) {
  return dtype != DType::kFloat32 && dtype != DType::kBFloat16;
}

bool IsIdentity(std::span<const std::int64_t> dims) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

}  // namespace

int FlatBuilder::Append(FlatOp op) {
  op.place = place_;
  op.words = words_;
  const int place = static_cast<int>(function_.ops.size());
  if (op.entry != nullptr && shares_) {
    const auto [known, is_new] = known_.emplace(
        absl::StrCat(op.output, "|",
                     KeyOf(op.entry->name, op.operands, op.attributes)),
        place);
    if (!is_new) return known->second;
  }
  function_.ops.push_back(std::move(op));
  return place;
}

int FlatBuilder::Find(std::string_view op, const std::vector<int>& operands,
                      const OpAttributes& attributes) const {
  const auto known =
      known_.find(absl::StrCat("0|", KeyOf(op, operands, attributes)));
  return known == known_.end() ? -1 : known->second;
}

absl::StatusOr<int> FlatBuilder::Add(const FlatOp& op) {
  if (op.entry == nullptr || op.Is("constant") || op.Is("random_bits") ||
      op.Is("shared_random_bits") || IsBatchIota(op))
    return Append(op);
  return Emit(op.entry->name, op.operands, op.attributes, op.output);
}

int FlatBuilder::Parameter(ValueType type) {
  return Append({.type = std::move(type)});
}

int FlatBuilder::Constant(const ValueType& type,
                          const std::vector<double>& values) {
  FlatOp op{.entry = FindOp("constant"), .type = type};
  op.attributes.shape = type.shape;
  op.attributes.dtype = type.dtype;
  const bool equal =
      std::all_of(values.begin(), values.end(),
                  [&](double value) { return SameBits(value, values[0]); });
  if (equal) {
    op.attributes.value = values[0];
  } else {
    std::string data;
    for (const double value : values) AppendElement(type.dtype, value, data);
    op.attributes.data = std::make_shared<const std::string>(std::move(data));
  }
  return Append(std::move(op));
}

bool FlatBuilder::IsKnown(int place) const {
  return op(place).Is("constant") &&
         op(place).attributes.List(kBatchPower).empty();
}

std::optional<double> FlatBuilder::NumberOf(int place) const {
  if (!IsKnown(place) || op(place).attributes.data != nullptr)
    return std::nullopt;
  return op(place).attributes.value;
}

std::optional<std::vector<double>> FlatBuilder::NumbersOf(int place) const {
  if (!IsKnown(place) || type(place).batched()) return std::nullopt;
  return KnownValue(place).values;
}

Tensor FlatBuilder::KnownValue(int place) const {
  const FlatOp& known = op(place);
  return Evaluate(*known.entry, {}, known.attributes, 0)[0];
}

bool FlatBuilder::ChangesNothing(const FlatOp& op) const {
  struct Neutral {
    std::string_view name;
    double number;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr Neutral kNeutrals[] = {{"maximum", -kInfinity},
                                   {"minimum", kInfinity},
                                   {"multiply", 1},
                                   {"divide", 1},
                                   {"subtract", 0},
                                   {"add", -0.0},
                                   {"power", 1}};
  if (op.operands.size() != 2 || op.type != type(op.operands[0])) return false;
  const auto number = NumberOf(op.operands[1]);
  return number && std::any_of(std::begin(kNeutrals), std::end(kNeutrals),
                               [&](const Neutral& neutral) {
                                 return op.Is(neutral.name) &&
                                        SameBits(*number, neutral.number);
                               });
}

std::optional<int> FlatBuilder::Unchanged(const FlatOp& op) const {
  const std::string_view name = op.entry->name;
  if (ChangesNothing(op)) return op.operands[0];
  if (name == "select") {
    const auto known = NumberOf(op.operands[0]);
    if (known) return op.operands[*known != 0 ? 1 : 2];
    return std::nullopt;
  }
  const bool moves =
      name == "Reshape" || name == "convert" || name == "slice" ||
      (name == "broadcast_in_dim" &&
       IsIdentity(op.attributes.List("broadcast_dimensions"))) ||
      (name == "transpose" && IsIdentity(op.attributes.List("permutation")));
  if (moves && op.type == type(op.operands[0])) return op.operands[0];
  if (name == "concatenate" && op.operands.size() == 1) return op.operands[0];
  return std::nullopt;
}

std::optional<int> FlatBuilder::Folded(const FlatOp& op) {
  const std::string_view name = op.entry->name;
  if (op.operands.empty()) return std::nullopt;
  if (name == "Reshape" || name == "broadcast_in_dim") {
    const auto number = NumberOf(op.operands[0]);
    if (number) return Constant(op.type, {*number});
  }
  if (name == "negate" && op.type.dtype == DType::kFloat32 &&
      NumberOf(op.operands[0]))
    return Constant(op.type, {-*NumberOf(op.operands[0])});
  if (!IsWhole(op.type.dtype) || op.type.batched() ||
      op.type.shape.elements() > kMostFolded)
    return std::nullopt;
  std::vector<Tensor> inputs;
  for (const int operand : op.operands) {
    if (!IsKnown(operand) || type(operand).batched() ||
        type(operand).shape.elements() > kMostFolded)
      return std::nullopt;
    inputs.push_back(KnownValue(operand));
  }
  return Constant(op.type,
                  Evaluate(*op.entry, inputs, op.attributes, 0)[0].values);
}

absl::StatusOr<int> FlatBuilder::Emit(std::string_view name,
                                      std::vector<int> operands,
                                      OpAttributes attributes, int output) {
  std::vector<ValueType> types;
  types.reserve(operands.size());
  for (const int operand : operands) types.push_back(type(operand));
  const OpEntry* entry = FindOp(name);
  PODSIM_CHECK(entry != nullptr);
  PODSIM_ASSIGN_OR_RETURN(std::vector<ValueType> results,
                          InferTypes(CodeOf(*entry), types, attributes));
  FlatOp op{.entry = entry,
            .operands = std::move(operands),
            .type = std::move(results[static_cast<std::size_t>(output)]),
            .attributes = std::move(attributes),
            .output = output};
  if (const auto same = Unchanged(op)) return *same;
  if (const auto known = Folded(op)) return *known;
  return Append(std::move(op));
}

}  // namespace podsim
