// Variances of norms whose input is bfloat16.
#ifndef PODSIM_MODELS_COMPOSITES_VARIANCE_H_
#define PODSIM_MODELS_COMPOSITES_VARIANCE_H_

#include "models/composites/expr.h"

namespace podsim {

// The mean of squares less the square of the mean, as flax computes it, so that
// one pass over the input makes both means; at least 0, whatever rounding makes
// of the difference. Both are float32: what that loses of the difference is
// less than bfloat16 has lost of the input.
inline Expr OnePassVariance(const Expr& mean_of_squares, const Expr& mean) {
  const Expr difference = mean_of_squares - mean * mean;
  return difference.Apply("maximum", {difference.Splat(0)});
}

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_VARIANCE_H_
