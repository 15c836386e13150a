// The constants of a kernel's time, as a list: three are fitted to ops of v3
// and serve all generations, and a generation may have one of its own.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "interconnect/topology/hardware.h"

namespace podsim {
namespace {

struct KernelConstant {
  const char* name;
  const Figure& (Generation::*figure)() const;
};

constexpr KernelConstant kKernelConstants[] = {
    {"matrix_share", &Generation::matrix_share},
    {"hbm_share", &Generation::hbm_share},
    {"kernel_seconds", &Generation::kernel_seconds}};

const Generation& FittedTo() {
  return *FindGeneration(ShippedHardware(), "v3");
}

void Print(const char* whose, const char* name, const Figure& figure) {
  std::printf("%-5s %-14s %g (%g to %g), %s %s\n", whose, name, figure.value(),
              figure.low(), figure.high(),
              figure.grade() == FITTED ? "fitted to" : "assumed from",
              figure.source().c_str());
}

TEST(KernelConstants, ThreeAreFittedToOpsOfV3) {
  for (const auto& [name, figure] : kKernelConstants) {
    EXPECT_EQ((FittedTo().*figure)().grade(), FITTED) << name;
    EXPECT_EQ((FittedTo().*figure)().source(), "PAR-csv") << name;
    Print("core", name, (FittedTo().*figure)());
  }
}

TEST(KernelConstants, AtMostOneMoreIsFittedToAGeneration) {
  std::vector<std::string> more;
  for (const Generation& generation : ShippedHardware().generations()) {
    if (generation.name() == FittedTo().name()) continue;
    int fitted = 0;
    for (const auto& [name, of] : kKernelConstants) {
      SCOPED_TRACE(generation.name() + " " + name);
      const Figure& figure = (generation.*of)();
      if (figure.grade() == FITTED) {
        ++fitted;
        more.push_back(generation.name() + " " + name);
        Print(generation.name().c_str(), name, figure);
        continue;
      }
      EXPECT_EQ(figure.grade(), ASSUMED);
      EXPECT_EQ(figure.value(), (FittedTo().*of)().value());
    }
    EXPECT_LE(fitted, 1) << generation.name();
  }
  EXPECT_EQ(more, (std::vector<std::string>{"v4 matrix_share",
                                            "tpu7x kernel_seconds"}));
}

// Of a whole step, the same for every model and slice; others have none.
TEST(KernelConstants, AStepOfV2AndV3HasAFixedCost) {
  std::vector<std::string> with;
  for (const Generation& generation : ShippedHardware().generations()) {
    if (generation.step_seconds().value() == 0) continue;
    with.push_back(generation.name());
    EXPECT_EQ(generation.step_seconds().grade(), ASSUMED);
    EXPECT_EQ(generation.step_seconds().value(),
              FittedTo().step_seconds().value());
    Print(generation.name().c_str(), "step_seconds", generation.step_seconds());
  }
  EXPECT_EQ(with, (std::vector<std::string>{"v2", "v3"}));
}

}  // namespace
}  // namespace podsim
