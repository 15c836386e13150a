// How each op is computed on a host: one line of a list per op. Row-wise ops
// compute a range of rows; RunSegment cuts a batch into such ranges and takes
// each through all neighbouring row-wise ops, so that activations stay in the
// cache. The others cut their own work into panels and hand them to a
// ParallelFor.
//
// The cuts follow from shapes, rows and Panels alone and panels never write the
// same element, so that bits do not depend on who computes which panel when.
#ifndef PODSIM_HOST_CORE_OP_KERNELS_H_
#define PODSIM_HOST_CORE_OP_KERNELS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "host/core/array.h"
#include "host/core/core.h"
#include "models/graph/compile.h"
#include "models/graph/program.h"
#include "models/kernels/kernels.h"
#include "models/ops/op.h"
#include "models/ops/op_table.h"

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
  // MatMul and MatMulGradInput: their right side.
  const float* packed = nullptr;
  // The part that the call is about: so many rows of what has B, and the `core`
  // whose values are read and written of what is per core.
  std::int64_t first_row = 0;
  std::int64_t row_count = rows;
  std::int64_t core = 0;

  std::int64_t cores() const;
  // The same of another instruction, of all rows.
  OpCall For(const Instruction& of) const;
  OpCall ForCore(std::int64_t of) const;
  // REQUIRES: within the part.
  OpCall ForRows(std::int64_t begin, std::int64_t end) const;

  // Operand `i` as a matrix; batched ones have row_count rows.
  MatrixView InputView(std::size_t i) const;
  MatrixView OutputView(std::size_t i) const;
  DType OutputType(std::size_t i) const;
  // Where operand `i` lies. REQUIRES: it is float32 (or rounded to bfloat16 by
  // an op); for Int32Input int32.
  const float* Input(std::size_t i) const;
  const std::int32_t* Int32Input(std::size_t i) const;
  float* Output(std::size_t i) const;
  // Operand `i`, a gradient that its update may write over.
  float* Gradient(std::size_t i) const;
  // A tensor, operand `i`, result `i`, of whatever type and shape.
  Array ArrayAt(TensorId id) const;
  Array InputArray(std::size_t i) const;
  Array OutputArray(std::size_t i) const;
};

// One of the three.
struct OpKernel {
  // Rows [begin, end) of the results. Called at once for different ranges.
  void (*rows)(const OpCall& call, std::int64_t begin,
               std::int64_t end) = nullptr;
  void (*whole)(const OpCall& call) = nullptr;
  void (*arrays)(const ArrayCall& call) = nullptr;
  bool known() const {
    return rows != nullptr || whole != nullptr || arrays != nullptr;
  }
};

// None of the three if no kernel is listed for the op.
OpKernel KernelOf(OpCode op);

// Runs an `arrays` kernel on the call's part. `alone`: nothing of the op runs
// beside it.
void RunArrays(const OpCall& call, void (*kernel)(const ArrayCall& call),
               bool alone);

// The same on arrays that are given.
void RunArrayKernel(const OpCall& call, const OpAttributes& attributes,
                    void (*kernel)(const ArrayCall& call),
                    std::span<const Array> in, std::span<const Array> out,
                    bool alone);

// The updates' entries, in update_kernels.cc.
void Clip(const OpCall& call);
void Update(const OpCall& call);
void Assign(const OpCall& call);

// The products' entries, in product_kernels.cc.
void MatMulRows(const OpCall& call, std::int64_t begin, std::int64_t end);
void MatMulGradInputRows(const OpCall& call, std::int64_t begin,
                         std::int64_t end);
void MatMulGradWeight(const OpCall& call);

// fn(begin, end) for each panel of [0, size).
template <typename Fn>
void ForPanels(ParallelFor& parallel, std::int64_t size, std::int64_t panel,
               const Fn& fn) {
  parallel.Run((size + panel - 1) / panel, [&](std::int64_t i) {
    fn(i * panel, std::min(size, (i + 1) * panel));
  });
}

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_OP_KERNELS_H_
