// The loss of a classifier, as ops.
#ifndef PODSIM_MODELS_COMPOSITES_SOFTMAX_CROSS_ENTROPY_H_
#define PODSIM_MODELS_COMPOSITES_SOFTMAX_CROSS_ENTROPY_H_

#include <string>

#include "models/graph/graph.h"

namespace podsim {

struct CrossEntropyValues {
  Value loss;     // of the labels' shape
  Value correct;  // 1 where the label has the (first) largest logit
};

// Of logits [..., N] and int32 labels [...] in [0, N): the cross-entropy of
// softmax(logits) with targets that are 1 - smoothing at the label, plus
// smoothing / N everywhere (Szegedy et al., Rethinking the inception
// architecture for computer vision, 2016, section 7; as optax.smooth_labels).
// Logits [B, N] without smoothing are the op SoftmaxXent, in one piece.
CrossEntropyValues SoftmaxCrossEntropy(Graph& graph, Value logits, Value labels,
                                       double smoothing = 0,
                                       const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_SOFTMAX_CROSS_ENTROPY_H_
