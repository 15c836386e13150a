// A slow oracle for Programs: runs them in double, one scalar loop per op, and
// carries with every number a bound on how far a correct float32 machine may be
// from it. Every tensor has memory of its own, so that a wrong buffer placement
// in the real executor shows as a wrong number.
//
// Bounds are derived, not tuned: u = 2^-24 is float32's unit roundoff, a sum of
// n terms in any order errs by at most gamma(n) = n u / (1 - n u) times the sum
// of their magnitudes, and errors of operands are carried through each op to
// first principles. Rounding to bfloat16 is monotone, so an operand known to
// lie in [x - e, x + e] rounds into [r(x - e), r(x + e)]: where the interval
// crosses a tie the bound grows by one bfloat16 ulp.
#ifndef PODSIM_TESTS_MODELS_GRAPH_BOUNDED_MACHINE_H_
#define PODSIM_TESTS_MODELS_GRAPH_BOUNDED_MACHINE_H_

#include <cstdint>
#include <vector>

#include "models/graph/program.h"
#include "tests/models/rules/bounded.h"

namespace podsim::testing {

// Nearest even, flushing bfloat16's subnormals to zero.
double RoundToBFloat16(double x);

class BoundedMachine {
 public:
  BoundedMachine(const Program& program, std::int64_t rows);

  // Exact contents of a variable, slot or input, in row-major order.
  void Set(TensorId id, const std::vector<double>& values);
  void SetLabels(const std::vector<std::int32_t>& labels) { labels_ = labels; }
  void set_learning_rate(double rate) { moment_.rate = rate; }
  void set_moment(const StepMoment& moment) { moment_ = moment; }

  // Runs the compute segments of an entry point; all-reduces are those of a
  // single host, so they change nothing.
  void Run(EntryPoint entry);

  const std::vector<Bounded>& Get(TensorId id) const {
    return tensors_[static_cast<std::size_t>(program_.root(id))];
  }

 private:
  using Values = std::vector<Bounded>;
  struct Matrix {
    std::int64_t rows;
    std::int64_t columns;
  };

  void Execute(const Instruction& instruction);
  Values Input(const Instruction& instruction, std::size_t i) const;
  Values& Output(const Instruction& instruction, std::size_t i);
  Matrix ViewOf(TensorId id) const;

  void Product(const Instruction& instruction);
  void SoftmaxXent(const Instruction& instruction);
  void SoftmaxXentGrad(const Instruction& instruction);
  void BiasGrad(const Instruction& instruction);
  void AddBias(const Instruction& instruction);
  void Clip(const Instruction& instruction);
  void Update(const Instruction& instruction);
  void Scalar(const Instruction& instruction);

  const Program& program_;
  std::int64_t rows_;
  StepMoment moment_;
  std::vector<Values> tensors_;
  std::vector<std::int32_t> labels_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_GRAPH_BOUNDED_MACHINE_H_
