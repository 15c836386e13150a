// What the passes of a step write.
#ifndef PODSIM_HOST_TRAIN_PASS_MEMORY_H_
#define PODSIM_HOST_TRAIN_PASS_MEMORY_H_

#include <cstdint>
#include <vector>

namespace podsim {

// Of a pass. One for all, or one for each that runs side by side, host by host;
// then all passes but a host's last have gradients of their own.
struct PassArena {
  std::vector<float> batched;
  std::vector<float> per_core;
  std::vector<float> scratch;
  std::vector<float> outputs;
  std::vector<float> gradients;
  std::vector<std::uint32_t> step_keys;  // [rows][2], of a model that draws
};

// Where what is reduced lies. Hosts of other trainers of this process may still
// read it when the trainer has ended.
struct ReducedMemory {
  std::vector<std::vector<float>> gradients;  // per local host; of audits
  std::vector<PassArena> arenas;
};

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_PASS_MEMORY_H_
