// The numerics of the matrix unit against what real TPUs are known to have
// printed.
#ifndef PODSIM_HOST_CORE_SELFTEST_H_
#define PODSIM_HOST_CORE_SELFTEST_H_

#include <string>

#include "models/kernels/kernels.h"

namespace podsim {

struct SelfTestResult {
  bool pass = false;
  std::string text;  // for people, several lines: known output beside ours
};

// Runs small Programs through Compile and RunSegment, as a training step does:
// a product of rounded operands, the same in float32, one row that is not a
// batch (float32 on the chip), and a batch that happens to be one row
// (rounded).
SelfTestResult RunSelfTest(const PodsimKernels& kernels);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_SELFTEST_H_
