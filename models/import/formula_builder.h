// A formula of sums over examples while it is made.
#ifndef PODSIM_MODELS_IMPORT_FORMULA_BUILDER_H_
#define PODSIM_MODELS_IMPORT_FORMULA_BUILDER_H_

#include <optional>
#include <string>
#include <vector>

#include "proto/metrics.pb.h"

namespace podsim {

// Numbers of a formula, each by its own; kNoNumber: one that cannot be told,
// and what is made of it.
class FormulaBuilder {
 public:
  static constexpr int kNoNumber = -1;

  // The sum over all examples of what each has at `value`, a place of whoever
  // builds it; the same one for an equal place.
  int Sum(int value);
  // value x (how many examples) ^ power.
  int Number(double value, int power = 0);
  int Node(MetricFormula::Op op, const std::vector<int>& operands);
  int Not(int truth);
  // `word`: as StableHLO spells it, "LT".
  int Comparison(const std::string& word, int a, int b);

  // What the sums are of, in the formula's order.
  const std::vector<int>& values() const { return values_; }
  // The formula that ends with `result`; nullopt: there is none.
  std::optional<MetricFormula> Finish(int result) &&;

 private:
  std::vector<int> values_;
  MetricFormula formula_;
};

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_FORMULA_BUILDER_H_
