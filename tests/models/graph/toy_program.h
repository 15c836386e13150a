// A small network for the tests of Compile, and what they read of a Program.
#ifndef PODSIM_TESTS_MODELS_GRAPH_TOY_PROGRAM_H_
#define PODSIM_TESTS_MODELS_GRAPH_TOY_PROGRAM_H_

#include <vector>

#include "models/graph/compile.h"

namespace podsim::testing {

// Three dense layers 12 -> 7 -> 6 -> 4 by hand, over 3x4 features.
struct Toy {
  struct Layer {
    Value x;  // of the first one the features, else what relu leaves
    Value w;
    Value b;
  };

  Toy();
  // Appends a backward pass, as an imported function has it: gradients of each
  // core's own, made last layer first and handed over in the order of the
  // variables.
  void BringGradients();

  Graph g{"toy"};
  CompileInput input;
  std::vector<Layer> layers;
  Value prob;
};

Program CompileToy(const CompileOptions& options);
// With gradients that it brings itself.
Program CompileOwnToy(const CompileOptions& options);

// An update rule that leaves the variables as they are.
absl::Status NoUpdate(const CompileOptions& options, Program& program);

// Of all segments of an entry point, in order.
std::vector<Instruction> InstructionsOf(const Program& program,
                                        EntryPoint entry);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_GRAPH_TOY_PROGRAM_H_
