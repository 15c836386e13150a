// By which power of the number of examples the values of a function grow, and
// whether it still means the same if all its examples are shared out evenly.
#ifndef PODSIM_MODELS_IMPORT_DEGREES_H_
#define PODSIM_MODELS_IMPORT_DEGREES_H_

#include <vector>

#include "models/import/flat.h"

namespace podsim {

// A sum over examples has 1, a mean 0, a truth value 0. `function` is borrowed.
class Degrees {
 public:
  explicit Degrees(const FlatFunction& function);

  double At(int place) const { return of_[static_cast<std::size_t>(place)]; }

 private:
  double Of(const FlatOp& op) const;

  const FlatFunction& function_;
  std::vector<double> of_;
};

// A plain number beside a sum may be scaled with it, as in max(sum(w), 1).
bool TakesPlainNumbers(const FlatOp& op);

// Whether `loss` keeps its value if n times each of `sums` (over examples) is
// the same on n cores, each with its part of the examples: if every op that
// follows from them scales with its operands (a product, a square root), or
// compares and adds what scales alike, or does neither but has operands that do
// not scale; and the loss does not.
bool KeepsItsValue(const FlatFunction& function, const std::vector<int>& sums,
                   int loss);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_DEGREES_H_
