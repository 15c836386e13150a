#include "models/import/opcodes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/import/narrow_wholes.h"
#include "models/import/opcode_attributes.h"

namespace podsim {
namespace {

constexpr HloOpCode kOpCodes[] = {
    {"abs", "abs"},
    {"add", "add"},
    {"and", "and"},
    {"atan2", "atan2"},
    {"bitcast-convert", "bitcast_convert", SetElement, EmitBitcast},
    {"broadcast", "broadcast_in_dim", SetBroadcast},
    {"cbrt", "cbrt"},
    {"ceil", "ceil"},
    {"clamp", "clamp"},
    {"compare", "compare", SetDirection, EmitCompare},
    {"concatenate", "concatenate", SetDimension},
    {"constant", "constant", nullptr, EmitLiteral},
    {"convert", "convert", SetElement},
    {"convolution", "convolution", SetConvolution, EmitProduct},
    {"cosine", "cosine"},
    {"count-leading-zeros", "count_leading_zeros"},
    {"divide", "divide"},
    {"dot", "dot_general", SetDot, EmitProduct},
    {"dynamic-slice", "dynamic_slice", SetSliceSizes, EmitDynamicSlice},
    {"dynamic-update-slice", "dynamic_update_slice"},
    {"erf", "erf"},
    {"exponential", "exponential"},
    {"exponential-minus-one", "exponential_minus_one"},
    {"floor", "floor"},
    {"gather", "gather", SetGather},
    {"iota", "iota", SetIota},
    {"is-finite", "is_finite"},
    {"log", "log"},
    {"log-plus-one", "log_plus_one"},
    {"logistic", "logistic"},
    {"maximum", "maximum"},
    {"minimum", "minimum"},
    {"multiply", "multiply"},
    {"negate", "negate"},
    {"not", "not"},
    {"or", "or"},
    {"pad", "pad", SetPadding},
    {"popcnt", "popcnt"},
    {"power", "power"},
    {"reduce", "reduce", SetReduction, EmitReduction},
    {"reduce-precision", "convert", nullptr, EmitReducedPrecision},
    {"reduce-window", "reduce_window", SetWindow, EmitReduction},
    {"remainder", "remainder"},
    {"reshape", "Reshape", SetShape},
    {"reverse", "reverse", SetDimensions},
    {"round-nearest-afz", "round_nearest_afz"},
    {"round-nearest-even", "round_nearest_even"},
    {"rsqrt", "rsqrt"},
    {"scatter", "scatter", SetScatter, EmitScatter},
    {"select", "select"},
    {"select-and-scatter", "select_and_scatter", SetWindow,
     EmitScatteredWindow},
    {"shift-left", "shift_left"},
    {"shift-right-arithmetic", "shift_right_arithmetic"},
    {"shift-right-logical", "shift_right_logical"},
    {"sign", "sign"},
    {"sine", "sine"},
    {"slice", "slice", SetSlice},
    {"sort", "arg_sort"},
    {"sqrt", "sqrt"},
    {"subtract", "subtract"},
    {"tan", "tan"},
    {"tanh", "tanh"},
    {"topk", "arg_sort"},
    {"transpose", "transpose", SetPermutation},
    {"xor", "xor"},
};

}  // namespace

std::span<const HloOpCode> HloOpCodes() { return kOpCodes; }

const HloOpCode* FindHloOpCode(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOpCodes), std::end(kOpCodes),
                   [&](const HloOpCode& code) { return code.name == name; });
  return found == std::end(kOpCodes) ? nullptr : found;
}

std::string InsteadOfOpCode(std::string_view name) {
  constexpr const char* kBefore =
      "compute it before, as an array of the data set";
  if (name == "fft")
    return "of examples compute it before, as an array of the data set; of "
           "values that follow from parameters multiply by the matrices of "
           "cosines and sines";
  if (name == "rng" || name == "rng-bit-generator")
    return "draw from the key that the function is given";
  if (name == "map") return "apply the function to whole arrays";
  if (name == "cholesky" || name == "triangular-solve") return kBefore;
  return absl::StrCat("write it with those that docs/jax.md lists, or ",
                      kBefore);
}

}  // namespace podsim
