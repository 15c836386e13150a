// The oracle of the other tests.
#include "tests/models/graph/bounded_machine.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "tests/models/graph/toy_program.h"

namespace podsim {
namespace {

using ::podsim::testing::BoundedMachine;
using ::podsim::testing::CompileToy;

// One-row products of a training graph: the machine's bound says what float32
// is good for, far below what bfloat16 would be off by.
TEST(Compile, BoundsOfTheOracleAreTight) {
  const Program program = CompileToy({.bfloat16_products = false});
  BoundedMachine machine(program, 2);
  machine.Set(program.input("features"), std::vector<double>(24, 0.5));
  machine.Set(program.example_weight(), {0.5, 0.5});
  machine.SetLabels({1, 2});
  for (const ProgramVariable& variable : program.variables)
    machine.Set(variable.tensor,
                std::vector<double>(
                    static_cast<std::size_t>(
                        program.tensor(variable.tensor).shape.elements()),
                    0.25));
  machine.Run(EntryPoint::kTrainMicrobatch);
  EXPECT_GT(machine.Get(program.loss)[0].bound, 0);
  EXPECT_LT(machine.Get(program.loss)[0].bound, 1e-4);
}

}  // namespace
}  // namespace podsim
