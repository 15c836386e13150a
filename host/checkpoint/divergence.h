// What to do about training that diverged. Pure.
#ifndef PODSIM_HOST_CHECKPOINT_DIVERGENCE_H_
#define PODSIM_HOST_CHECKPOINT_DIVERGENCE_H_

#include <string>

namespace podsim {

// "lower --learning_rate or ...": for the end of a message. `model_dir`: empty
// where nothing is saved; `can_go_back`: there is a checkpoint by now.
std::string DivergenceAdvice(const std::string& model_dir, bool can_go_back);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_DIVERGENCE_H_
