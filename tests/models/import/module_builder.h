// HLO modules by hand.
#ifndef PODSIM_TESTS_MODELS_IMPORT_MODULE_BUILDER_H_
#define PODSIM_TESTS_MODELS_IMPORT_MODULE_BUILDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proto/hlo.pb.h"

namespace podsim::testing {

using HloDims = std::vector<std::int64_t>;

class ModuleBuilder {
 public:
  // What follows is of another computation; its id.
  std::int64_t Computation();
  // Ids of instructions. The last one of a computation is its root.
  std::int64_t Parameter(const HloDims& dims,
                         hlo::PrimitiveType type = hlo::F32);
  std::int64_t Op(const std::string& opcode,
                  const std::vector<std::int64_t>& operands,
                  const HloDims& dims, hlo::PrimitiveType type = hlo::F32,
                  const std::function<void(hlo::Instruction&)>& more = nullptr);
  std::int64_t Number(float value, const HloDims& dims = {});
  std::int64_t Whole(std::int32_t value);
  // Rounded to bfloat16, in each element.
  std::int64_t BFloat16(float value, const HloDims& dims = {});
  // A computation of one operation on two numbers of `type`, whose result is of
  // that type, or a bool where the operation is a comparison's direction.
  std::int64_t Reducer(const std::string& word, hlo::PrimitiveType type);
  // A computation, as JAX writes argmax ("GT") and argmin ("LT") of `type`.
  // `or_nan`: what is not equal to itself is better, too.
  std::int64_t ArgReducer(const std::string& better, hlo::PrimitiveType type,
                          bool or_nan);

  // The last computation is the entry.
  std::string Bytes();
  hlo::Module& module() { return module_; }

 private:
  hlo::Computation& Current();
  std::int64_t Compare(std::int64_t one, std::int64_t other,
                       const std::string& direction);

  hlo::Module module_;
  std::int64_t next_id_ = 100;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_IMPORT_MODULE_BUILDER_H_
