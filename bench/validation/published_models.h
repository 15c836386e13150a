// Models of published profiles as JAX lowers them in bfloat16: what is planned
// of them is compared with what was measured. python/checks/published.py wrote
// the files.
#ifndef PODSIM_BENCH_VALIDATION_PUBLISHED_MODELS_H_
#define PODSIM_BENCH_VALIDATION_PUBLISHED_MODELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/program.h"

namespace podsim::validation {

struct PublishedModel {
  std::string what;       // "ResNet-50, 128 images"
  std::string zoo;        // podsim's own name of it, or the file's
  std::int64_t rows = 0;  // of a core
  std::string rule;       // of the update (models/rules/update_rules.h)
  Program program;        // a step, with the update that was profiled
};

// ResNet-50, Transformer-big and BERT-large of folder `data`.
// Errors: those of Unpacked, ParseModel and CompileModel.
absl::StatusOr<std::vector<PublishedModel>> ReadPublishedModels(
    const std::string& data);

// GPT-2 small, of which no profile is published: beside podsim's own alone.
// Errors: those of ReadPublishedModels.
absl::StatusOr<PublishedModel> ReadGpt2OfFlax(const std::string& data);

// What else is planned blind (blind_steps.h): ResNet-50 v2, ViT-S/16, GPT-2
// small and two decoders.
// Errors: those of ReadPublishedModels.
absl::StatusOr<std::vector<PublishedModel>> ReadBlindModels(
    const std::string& data);

// REQUIRES: one of `models` has this name in the zoo.
const PublishedModel& ModelNamed(const std::vector<PublishedModel>& models,
                                 const std::string& zoo);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_PUBLISHED_MODELS_H_
