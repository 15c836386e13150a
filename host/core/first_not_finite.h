// Which op of a pass made a result that is not finite: found in what was seen
// of each tensor (inspect_pass.h). Pure.
#ifndef PODSIM_HOST_CORE_FIRST_NOT_FINITE_H_
#define PODSIM_HOST_CORE_FIRST_NOT_FINITE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "host/core/inspect_pass.h"
#include "models/graph/program.h"

namespace podsim {

struct FirstNotFinite {
  TensorId tensor = kNoTensor;
  // What made it; null: nothing, it is a variable or an input.
  const Instruction* op = nullptr;
  float value = 0;        // of the tensor's elements
  std::int64_t row = -1;  // its example in the pass; -1: no example's
};

// The first op, in the order of the pass, whose result is not finite though its
// operands are, of those that `of` follows from by values that are not finite:
// an infinity that does not reach it (a mask's, before a softmax; behind a
// select) is passed over. If all of it comes from infinite constants: the first
// op that made NaN of them; else the constant. Nothing if `of` is finite.
std::optional<FirstNotFinite> FindFirstNotFinite(const Program& program,
                                                 const SeenTensors& seen,
                                                 TensorId of);

// "exponential (exp.5, train.py:41) makes inf, from operands in [0, 104.5]", or
// "the variable w holds nan". An imported op's name has its source line.
// `where`: "in example 7", or empty.
std::string NotFiniteText(const Program& program, const SeenTensors& seen,
                          const FirstNotFinite& found,
                          const std::string& where);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_FIRST_NOT_FINITE_H_
