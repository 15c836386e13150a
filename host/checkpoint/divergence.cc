#include "host/checkpoint/divergence.h"

#include "absl/strings/str_cat.h"

namespace podsim {

std::string DivergenceAdvice(const std::string& model_dir, bool can_go_back) {
  const std::string rate = "lower --learning_rate or lengthen --warmup_steps";
  if (model_dir.empty()) return rate;
  if (can_go_back)
    return absl::StrCat(
        rate, ", perhaps from an earlier checkpoint (--restore=", model_dir,
        "/STEP)");
  return absl::StrCat(rate,
                      "; there is no checkpoint yet to go back to, "
                      "--checkpoint_every=N saves sooner");
}

}  // namespace podsim
