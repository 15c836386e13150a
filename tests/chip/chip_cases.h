// Small models for the tests of chip/, and what FuseForChip makes of them as
// lines to compare.
#ifndef PODSIM_TESTS_CHIP_CHIP_CASES_H_
#define PODSIM_TESTS_CHIP_CHIP_CASES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "chip/fuse.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"

namespace podsim::testing {

// Result 0 of an op called `name`.
Value Op(Graph& graph, const char* op, std::vector<Value> inputs,
         const std::string& name, OpAttributes attributes = {});

// `word` ("add") over dimensions.
Value Fold(Graph& graph, Value x, const char* word,
           std::vector<std::int64_t> dimensions, const std::string& name);

// x [B, ...], one number for each of its last dimension.
Value SpreadLast(Graph& graph, Value vector, Value x, const std::string& name);

// A layer without bias: variable "<name>/w".
Value Times(Graph& graph, Value x, std::int64_t width, const std::string& name);

// An update by the rule of that name, with its own numbers.
CompileOptions UpdateBy(const std::string& rule);

// A program of kEval alone.
Program Evaluating(const Graph& graph, std::vector<Value> results);
// `loss` is [B].
Program Training(const Graph& graph, Value loss,
                 const CompileOptions& options = {});

struct Chip {
  ChipGraph graph;
  ChipProgram program;
};
Chip Fused(const Program& program, EntryPoint entry,
           const FuseOptions& options);

// A training step of 128 examples: loss = sum of relu(features [B, 128] . w0
// [128, 256])^2 . w1 [256, 128], with a momentum. Kernels: 0 and 1 the
// products; 2 and 3 the gradients of w1 and of h; 4 that of w0; 5 and 6 the
// updates of w1 and w0.
Chip TwoLayers(double on_chip_bytes = 0);

// A model of the zoo for examples of that shape, in ten classes; an mlp has 512
// hidden units.
Program ZooModel(const std::string& name, const std::vector<int>& shape,
                 const CompileOptions& options = {});

// One line a kernel, in order: what it is named after, the bytes that it reads
// of each value, and writes:
//   "matmul: w 131072 + features 65536 -> relu 131072"
std::vector<std::string> Lines(const Chip& chip);

// What kernel `index` computes, by its ops' names in the graph's order.
std::vector<std::string> OpsIn(const Chip& chip, std::size_t index);

double BytesMoved(const Chip& chip);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_CHIP_CHIP_CASES_H_
