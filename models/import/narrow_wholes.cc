#include "models/import/narrow_wholes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr double kAllOf16Bits = 0xffff;

absl::StatusOr<int> WithNumber(FlatBuilder& builder, const char* op, int place,
                               double number) {
  const int other = builder.Constant(builder.type(place), {number});
  return builder.Emit(op, {place, other});
}

absl::StatusOr<int> AsType(FlatBuilder& builder, const char* op, int place,
                           DType dtype) {
  OpAttributes to;
  to.dtype = dtype;
  return builder.Emit(op, {place}, std::move(to));
}

// bfloat16 is the upper half of a float32.
absl::StatusOr<int> BFloat16Of(FlatBuilder& builder, int bits) {
  PODSIM_ASSIGN_OR_RETURN(const int upper,
                          WithNumber(builder, "shift_left", bits, 16));
  PODSIM_ASSIGN_OR_RETURN(const int wide, AsType(builder, "bitcast_convert",
                                                 upper, DType::kFloat32));
  return AsType(builder, "convert", wide, DType::kBFloat16);
}

absl::StatusOr<int> BitsOfBFloat16(FlatBuilder& builder, int place) {
  PODSIM_ASSIGN_OR_RETURN(const int wide,
                          AsType(builder, "convert", place, DType::kFloat32));
  PODSIM_ASSIGN_OR_RETURN(
      const int bits, AsType(builder, "bitcast_convert", wide, DType::kInt32));
  return WithNumber(builder, "shift_right_logical", bits, 16);
}

}  // namespace

bool IsNarrow(hlo::PrimitiveType type) {
  return type == hlo::S8 || type == hlo::S16 || type == hlo::U16;
}

absl::StatusOr<int> WrappedAs(FlatBuilder& builder, int place,
                              const hlo::Instruction& from) {
  const hlo::PrimitiveType type = from.shape().element_type();
  // Their results are numbers of the type already.
  constexpr std::string_view kMoves[] = {"broadcast",
                                         "clamp",
                                         "concatenate",
                                         "constant",
                                         "dynamic-slice",
                                         "gather",
                                         "dynamic-update-slice",
                                         "maximum",
                                         "minimum",
                                         "pad",
                                         "reshape",
                                         "reverse",
                                         "select",
                                         "slice",
                                         "transpose"};
  if (!IsNarrow(type) ||
      std::any_of(std::begin(kMoves), std::end(kMoves),
                  [&](std::string_view code) { return from.opcode() == code; }))
    return place;
  if (type == hlo::U16) return WithNumber(builder, "and", place, kAllOf16Bits);
  const double unused = type == hlo::S16 ? 16 : 24;
  PODSIM_ASSIGN_OR_RETURN(const int upper,
                          WithNumber(builder, "shift_left", place, unused));
  return WithNumber(builder, "shift_right_arithmetic", upper, unused);
}

absl::Status CheckNarrow(const hlo::Instruction& from) {
  const hlo::PrimitiveType type = from.shape().element_type();
  constexpr std::string_view kReadsBits[] = {"count-leading-zeros", "popcnt",
                                             "dot", "convolution"};
  const bool reads_bits =
      std::any_of(std::begin(kReadsBits), std::end(kReadsBits),
                  [&](std::string_view code) { return from.opcode() == code; });
  const bool shifts =
      from.opcode() == "shift-right-logical" && type != hlo::U16;
  if (!IsNarrow(type) || (!reads_bits && !shifts)) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "podsim does not compute it in ", hlo::PrimitiveType_Name(type),
      "; convert its operands to int32 or float32 first (x.astype)"));
}

absl::StatusOr<int> EmitBitcast(FlatBuilder& builder, const HloUse& use) {
  if (use.operands.size() != 1)
    return absl::InvalidArgumentError("it needs one operand");
  const int from = use.operands[0];
  const bool is_bfloat16 = builder.type(from).dtype == DType::kBFloat16;
  const bool is_whole = builder.type(from).dtype == DType::kInt32;
  if (use.from.shape().element_type() == hlo::U16 && is_bfloat16)
    return BitsOfBFloat16(builder, from);
  if (use.type.dtype == DType::kBFloat16 && is_whole)
    return BFloat16Of(builder, from);
  return AsType(builder, "bitcast_convert", from, use.type.dtype);
}

}  // namespace podsim
