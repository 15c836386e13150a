// Op codes that take more than one op.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/import/literal.h"
#include "models/import/opcode_attributes.h"
#include "models/ops/fold.h"

namespace podsim {
namespace {

absl::Status Refused(const std::string& why) {
  return absl::UnimplementedError(why);
}

OpAttributes Element(DType dtype) {
  OpAttributes attributes;
  attributes.dtype = dtype;
  return attributes;
}

absl::StatusOr<int> Converted(FlatBuilder& builder, int place, DType dtype) {
  if (builder.type(place).dtype == dtype) return place;
  return builder.Emit("convert", {place}, Element(dtype));
}

absl::Status NeedOperands(const HloUse& use, std::size_t count) {
  if (use.operands.size() == count) return absl::OkStatus();
  return Bad(
      absl::StrCat("it has ", use.operands.size(), " operands, not ", count));
}

OpAttributes AttributesOf(const HloUse& use) {
  OpAttributes attributes;
  const HloOpCode& code = *FindHloOpCode(use.from.opcode());
  if (code.attributes != nullptr) code.attributes(use, attributes);
  return attributes;
}

std::string_view OpOf(const HloUse& use) {
  return FindHloOpCode(use.from.opcode())->op;
}

}  // namespace

absl::StatusOr<int> EmitLiteral(FlatBuilder& builder, const HloUse& use) {
  const std::vector<double> values =
      ElementsOf(use.from.literal(), use.from.shape().element_type());
  if (static_cast<std::int64_t>(values.size()) != use.type.shape.elements())
    return Bad(absl::StrCat("its literal has ", values.size(), " elements, ",
                            ToString(use.type), " takes ",
                            use.type.shape.elements()));
  return builder.Constant(use.type, values);
}

// The matrix unit multiplies in bfloat16 what is float32, too, so that operands
// of bfloat16 lose nothing by becoming float32 first; sums are float32 in both.
absl::StatusOr<int> EmitProduct(FlatBuilder& builder, const HloUse& use) {
  PODSIM_RETURN_IF_ERROR(NeedOperands(use, 2));
  for (const auto& window : use.from.window().dimensions())
    if (window.window_reversal())
      return Refused("its window is reversed; turn the kernel over (jnp.flip)");
  OpAttributes attributes = AttributesOf(use);
  for (const int precision : use.from.precision_config().operand_precision())
    if (precision != hlo::PrecisionConfig::DEFAULT)
      attributes.lists[kFullPrecision] = {1};
  std::vector<int> operands;
  for (const int operand : use.operands) {
    PODSIM_ASSIGN_OR_RETURN(const int wide,
                            Converted(builder, operand, DType::kFloat32));
    operands.push_back(wide);
  }
  PODSIM_ASSIGN_OR_RETURN(
      const int product,
      builder.Emit(OpOf(use), std::move(operands), std::move(attributes)));
  return Converted(builder, product, use.type.dtype);
}

// Where all starts are known the part is, too.
absl::StatusOr<int> EmitDynamicSlice(FlatBuilder& builder, const HloUse& use) {
  OpAttributes attributes = AttributesOf(use);
  const auto sizes = attributes.List("slice_sizes");
  OpAttributes part;
  if (use.operands.size() != sizes.size() + 1)
    return Bad("needs a start for each of its sizes");
  const Shape& whole = builder.type(use.operands[0]).shape;
  if (whole.dims.size() != sizes.size()) return Bad("its sizes do not fit");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto start = builder.NumberOf(use.operands[i + 1]);
    if (!start || sizes[i] < 1 || sizes[i] > whole.dims[i])
      return builder.Emit(OpOf(use), use.operands, std::move(attributes));
    const std::int64_t first =
        std::clamp(static_cast<std::int64_t>(*start), std::int64_t{0},
                   whole.dims[i] - sizes[i]);
    part.lists["start_indices"].push_back(first);
    part.lists["limit_indices"].push_back(first + sizes[i]);
    part.lists["strides"].push_back(1);
  }
  return builder.Emit("slice", {use.operands[0]}, std::move(part));
}

// HLO begins a fold with a number of the author's, ours with what changes
// nothing. Sums of bfloat16 are float32's, rounded once: those of windows by
// the op itself, others by conversions, with which they are fused.
absl::StatusOr<int> EmitReduction(FlatBuilder& builder, const HloUse& use) {
  if (use.operands.size() != 2)
    return Refused(
        "it folds several arrays at once; fold one array after the other");
  if (use.word().empty())
    return Refused(
        "what it folds by is more than one operation; fold by one (jnp.sum, "
        "prod, max, min, all, any), and compute the rest before or after");
  const DType dtype = use.type.dtype;
  const bool widens = dtype == DType::kBFloat16 &&
                      use.from.opcode() == "reduce" &&
                      (use.word() == "add" || use.word() == "multiply");
  PODSIM_ASSIGN_OR_RETURN(
      const int from,
      Converted(builder, use.operands[0], widens ? DType::kFloat32 : dtype));
  PODSIM_ASSIGN_OR_RETURN(const int wide,
                          builder.Emit(OpOf(use), {from}, AttributesOf(use)));
  PODSIM_ASSIGN_OR_RETURN(const int result, Converted(builder, wide, dtype));
  const int init = use.operands[1];
  const auto number = builder.NumberOf(init);
  if (number && *number == NeutralOf(use.word(), dtype)) return result;
  OpAttributes spread;
  spread.shape = builder.type(result).shape;
  spread.lists["broadcast_dimensions"] = {};
  PODSIM_ASSIGN_OR_RETURN(
      const int first,
      builder.Emit("broadcast_in_dim", {init}, std::move(spread)));
  return builder.Emit(use.word(), {result, first});
}

absl::StatusOr<int> EmitScatteredWindow(FlatBuilder& builder,
                                        const HloUse& use) {
  PODSIM_RETURN_IF_ERROR(NeedOperands(use, 3));
  if (use.words.size() != 2 || use.words[1] != "add")
    return Refused("it scatters by something else than add");
  const auto init = builder.NumberOf(use.operands[2]);
  if (!init || *init != 0) return Refused("it does not begin with zeros");
  return builder.Emit(OpOf(use), {use.operands[0], use.operands[1]},
                      AttributesOf(use));
}

// jax.checkpoint's policies say the type's own bits of what they save.
absl::StatusOr<int> EmitReducedPrecision(FlatBuilder& builder,
                                         const HloUse& use) {
  PODSIM_RETURN_IF_ERROR(NeedOperands(use, 1));
  constexpr int kExponent = 8;  // of both
  constexpr int kMantissa = 23;
  constexpr int kBFloat16Mantissa = 7;
  const int place = use.operands[0];
  const DType dtype = builder.type(place).dtype;
  const int exponent = use.from.exponent_bits();
  const int mantissa = use.from.mantissa_bits();
  const bool rounds = mantissa == kBFloat16Mantissa;
  if (exponent != kExponent || (!rounds && mantissa != kMantissa))
    return Refused(absl::StrCat(
        "it keeps ", exponent, " bits of the exponent and ", mantissa,
        " of the mantissa; podsim has those of float32 (8 and 23) and of "
        "bfloat16 (8 and 7)"));
  if (!rounds) return place;
  PODSIM_ASSIGN_OR_RETURN(const int rounded,
                          Converted(builder, place, DType::kBFloat16));
  return Converted(builder, rounded, dtype);
}

}  // namespace podsim
