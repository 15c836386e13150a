// Operands for the sample cases of the op table, and which ops a test takes.
#ifndef PODSIM_TESTS_MODELS_OPS_SAMPLE_OPERANDS_H_
#define PODSIM_TESTS_MODELS_OPS_SAMPLE_OPERANDS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/ops/op_entry.h"

namespace podsim::testing {

// Numbers that float32 holds, `batch_rows` rows of those that are batched. What
// is batched depends on `batch`, the rest does not. The left side of a product
// that rounds is rounded, as a Program gives it.
std::vector<Tensor> DrawOperands(const OpSample& sample,
                                 std::int64_t batch_rows,
                                 std::uint64_t batch = 0);

std::vector<const OpEntry*> EveryOp(
    const std::function<bool(const OpEntry&)>& wanted);

inline std::string NameOfOp(
    const ::testing::TestParamInfo<const OpEntry*>& info) {
  return info.param->name;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_OPS_SAMPLE_OPERANDS_H_
