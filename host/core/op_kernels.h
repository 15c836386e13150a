// How each op is computed on a host: one function per OpCode, which cuts the
// work into fixed panels and hands them to a ParallelFor.
//
// The cuts follow from shapes, rows and Panels alone and panels never write the
// same element, so that bits do not depend on who computes which panel when.
#ifndef PODSIM_HOST_CORE_OP_KERNELS_H_
#define PODSIM_HOST_CORE_OP_KERNELS_H_

#include <cstdint>

#include "host/core/core.h"
#include "models/graph/op.h"
#include "models/graph/op_table.h"
#include "models/graph/program.h"
#include "models/tensor/kernels.h"

namespace podsim {

// An instruction with all it works on. Borrowed for the length of the call.
struct OpCall {
  const Program& program;
  const Instruction& instruction;
  std::int64_t rows;  // R
  const Panels& panels;
  const StepScalars& scalars;
  const PodsimKernels& kernels;
  ParallelFor& parallel;
  const CoreBuffers& buffers;

  // Operand `i` as a matrix; batched ones have R rows.
  MatrixView InputView(std::size_t i) const;
  MatrixView OutputView(std::size_t i) const;
  // Where operand `i` lies. Variables are read from their rounded copies where
  // the instruction says so. REQUIRES: float operands, labels for Labels.
  const float* Input(std::size_t i) const;
  float* Output(std::size_t i) const;
  const std::int32_t* Labels(std::size_t i) const;
};

using OpKernel = void (*)(const OpCall& call);

// Null if there is none (a bug that a test looks for).
OpKernel KernelOf(OpCode op);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_OP_KERNELS_H_
