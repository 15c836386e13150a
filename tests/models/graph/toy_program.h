// A small network for the tests of Compile, and what they read of a Program.
#ifndef PODSIM_TESTS_MODELS_GRAPH_TOY_PROGRAM_H_
#define PODSIM_TESTS_MODELS_GRAPH_TOY_PROGRAM_H_

#include <vector>

#include "models/graph/compile.h"

namespace podsim::testing {

// Three dense layers 12 -> 7 -> 6 -> 4 by hand, over 3x4 features.
struct Toy {
  Toy();

  Graph g{"toy"};
  CompileInput input;
};

Program CompileToy(const CompileOptions& options);

// An update rule that leaves the variables as they are.
absl::Status NoUpdate(const CompileOptions& options, Program& program);

// Of all segments of an entry point, in order.
std::vector<Instruction> InstructionsOf(const Program& program,
                                        EntryPoint entry);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_GRAPH_TOY_PROGRAM_H_
