#include "host/core/fusion_slots.h"

#include <algorithm>
#include <cstddef>

namespace podsim {
namespace {

std::size_t AsPlace(int i) { return static_cast<std::size_t>(i); }

// By value: the last step that makes or reads it.
std::vector<std::size_t> LastUses(const Fusion& fusion) {
  std::vector<std::size_t> last(fusion.values.size(), 0);
  for (std::size_t i = 0; i < fusion.steps.size(); ++i) {
    last[AsPlace(fusion.steps[i].out)] = i;
    for (const int in : fusion.steps[i].in) last[AsPlace(in)] = i;
  }
  return last;
}

class SlotGiver {
 public:
  SlotGiver(const std::vector<bool>& in_memory, Fusion& fusion)
      : in_memory_(in_memory),
        fusion_(fusion),
        last_(LastUses(fusion)),
        lasting_(fusion.values.size(), false) {}

  void Run() {
    for (const FusedStep& step : fusion_.steps)
      if (step.once) {
        lasting_[AsPlace(step.out)] = true;
        Take(step.out);
      }
    for (std::size_t i = 0; i < fusion_.steps.size(); ++i) GiveTo(i);
  }

 private:
  void GiveTo(std::size_t i) {
    const FusedStep& step = fusion_.steps[i];
    // These write an element where they have read it.
    const bool in_place = step.kind == FusedStep::Kind::kMap ||
                          step.kind == FusedStep::Kind::kRound;
    if (!in_place && !step.once) Take(step.out);
    for (const int in : step.in) GiveBack(in, i);
    if (in_place && !step.once) Take(step.out);
    GiveBack(step.out, i);
  }

  void Take(int value) {
    if (in_memory_[AsPlace(value)]) return;
    if (free_.empty()) free_.push_back(fusion_.slots++);
    fusion_.values[AsPlace(value)].slot = free_.back();
    free_.pop_back();
  }

  // After its last use, step `i`; once, as an op may read it twice.
  void GiveBack(int value, std::size_t i) {
    const int slot = fusion_.values[AsPlace(value)].slot;
    if (last_[AsPlace(value)] == i && !lasting_[AsPlace(value)] && slot >= 0 &&
        std::find(free_.begin(), free_.end(), slot) == free_.end())
      free_.push_back(slot);
  }

  const std::vector<bool>& in_memory_;
  Fusion& fusion_;
  const std::vector<std::size_t> last_;
  std::vector<bool> lasting_;
  std::vector<int> free_;
};

}  // namespace

void GiveSlots(const std::vector<bool>& in_memory, Fusion& fusion) {
  SlotGiver(in_memory, fusion).Run();
}

}  // namespace podsim
