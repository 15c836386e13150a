// Steps that were published, each with the slice, the batch and what its figure
// holds besides the step.
#ifndef PODSIM_BENCH_VALIDATION_PUBLISHED_STEPS_H_
#define PODSIM_BENCH_VALIDATION_PUBLISHED_STEPS_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace podsim::validation {

struct PublishedStep {
  const char* zoo;  // the model, by podsim's own name
  const char* slice;
  std::int64_t rows;  // of a core, or of a chip whose cores act as one
  std::optional<double> milliseconds;  // unset: nobody has looked yet
  int gradient_bytes;                  // of an element on the links
  bool sharded_update;   // each core updates its share of the weights
  int norm_group;        // replicas that share batch norms; 1: none do
  const char* holds;     // "an evaluation every 4 epochs"
  const char* source;    // keys of docs/hardware.md
  int microbatches = 1;  // whose gradients are added up
};

// Those by which the forecast of steps is judged.
std::vector<PublishedStep> ScoredSteps();
// Of other code: Transformer-big at batch 2,048.
std::vector<PublishedStep> UnscoredSteps();
// flax's ImageNet example.
PublishedStep FlaxStep();

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_PUBLISHED_STEPS_H_
