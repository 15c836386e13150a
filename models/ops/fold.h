// What numbers are folded into one by: StableHLO's ops of two operands that it
// may be given a region of, as reduce and reduce_window name them.
#ifndef PODSIM_MODELS_OPS_FOLD_H_
#define PODSIM_MODELS_OPS_FOLD_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/ops/rules.h"

namespace podsim {

inline absl::Status CheckFold(const std::string& word, DType dtype) {
  const bool logical = word == "and" || word == "or";
  const bool extreme = word == "maximum" || word == "minimum";
  if (!logical && !extreme && word != "add" && word != "multiply")
    return Bad(absl::StrCat("cannot fold by '", word,
                            "'; there are add, multiply, maximum, minimum, and "
                            "and or"));
  const bool fits = dtype == DType::kBFloat16  ? extreme
                    : dtype == DType::kFloat32 ? !logical
                    : dtype == DType::kBool    ? logical || extreme
                                               : true;
  if (fits) return absl::OkStatus();
  return Bad(absl::StrCat("cannot fold ", ToString(dtype), " by ", word));
}

// What changes nothing.
inline double NeutralOf(const std::string& word, DType dtype) {
  const bool floats = dtype == DType::kFloat32 || dtype == DType::kBFloat16;
  const double lowest = floats ? -std::numeric_limits<double>::infinity()
                        : dtype == DType::kInt32
                            ? std::numeric_limits<std::int32_t>::min()
                            : 0;
  const double highest =
      floats                    ? std::numeric_limits<double>::infinity()
      : dtype == DType::kInt32  ? std::numeric_limits<std::int32_t>::max()
      : dtype == DType::kUint32 ? std::numeric_limits<std::uint32_t>::max()
      : dtype == DType::kUint8  ? 255
                                : 1;
  if (word == "multiply") return 1;
  if (word == "maximum") return lowest;
  if (word == "minimum") return highest;
  if (word == "and") return dtype == DType::kInt32 ? -1 : highest;
  return 0;
}

// What of an integer's bits a type keeps.
inline double Wrapped(DType dtype, std::uint64_t bits) {
  if (dtype == DType::kInt32) return static_cast<std::int32_t>(bits);
  if (dtype == DType::kUint32) return static_cast<std::uint32_t>(bits);
  return static_cast<std::uint8_t>(bits);
}

// Of integers, which wrap around.
inline double FoldedBits(const std::string& word, DType dtype, double a,
                         double b) {
  const auto x = static_cast<std::uint64_t>(static_cast<std::int64_t>(a));
  const auto y = static_cast<std::uint64_t>(static_cast<std::int64_t>(b));
  return Wrapped(dtype, word == "add"        ? x + y
                        : word == "multiply" ? x * y
                        : word == "and"      ? x & y
                                             : x | y);
}

// Extremes as elementwise.cc has them: NaN of NaN, and -0 below 0.
inline double Folded(const std::string& word, DType dtype, double a, double b) {
  const bool floats = dtype == DType::kFloat32 || dtype == DType::kBFloat16;
  if (word == "maximum" || word == "minimum") {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    const bool below = a < b || (a == b && std::signbit(a));
    return (word == "maximum") == below ? b : a;
  }
  if (!floats) return FoldedBits(word, dtype, a, b);
  return word == "add" ? a + b : a * b;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_FOLD_H_
