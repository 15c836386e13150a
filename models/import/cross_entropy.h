// Patterns (patterns.h) of softmax and cross-entropy of rows of logits, as
// jax.nn.log_softmax and optax write them, and of their gradient.
#ifndef PODSIM_MODELS_IMPORT_CROSS_ENTROPY_H_
#define PODSIM_MODELS_IMPORT_CROSS_ENTROPY_H_

#include <optional>

#include "absl/status/statusor.h"
#include "models/import/flat_builder.h"

namespace podsim {

// What is known of a sum of exponentials: it is not negative.
std::optional<absl::StatusOr<int>> SumIsNotNegative(FlatBuilder& builder,
                                                    const FlatOp& op);
// log_softmax(x)[label], of each row.
std::optional<absl::StatusOr<int>> LogLikelihood(FlatBuilder& builder,
                                                 const FlatOp& op);
// logsumexp(x) - x[label], of each row.
std::optional<absl::StatusOr<int>> CrossEntropy(FlatBuilder& builder,
                                                const FlatOp& op);
// The gradient of either by x.
std::optional<absl::StatusOr<int>> CrossEntropyGradient(FlatBuilder& builder,
                                                        const FlatOp& op);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_CROSS_ENTROPY_H_
