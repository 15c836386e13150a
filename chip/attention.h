// Attention in a ChipGraph: which nodes a kernel of its own may compute without
// its scores ever being in HBM. Pure.
#ifndef PODSIM_CHIP_ATTENTION_H_
#define PODSIM_CHIP_ATTENTION_H_

#include <cstdint>
#include <vector>

#include "chip/graph.h"
#include "chip/op_ways.h"

namespace podsim {

// Nodes are the graph's, in its order.
struct Attention {
  // From q, k, v to o: the products with the scores and with the shares, and
  // what lies between. Empty: the forward pass is another Attention's, which
  // this one, told to save memory, repeats.
  std::vector<std::int32_t> forward;
  // From these and the gradient of o to the gradients of q, k and v. Empty: it
  // is evaluated only.
  std::vector<std::int32_t> backward;
  // Of `forward`: what the backward part computes again.
  std::vector<std::int32_t> again;
  // Of as many positions: each query looks at no later key, so that half the
  // scores are no work. 0: it looks at all.
  std::int64_t causal_length = 0;
};

// By their products with scores. Scores are what a product of two activations
// leaves, and what is made of it in passing, in as many elements; there is an
// exponential of them and a fold over them, another product of an activation
// reads them, and nothing else needs them: no output, no op that is a kernel of
// its own. What is made in as many elements for them alone, such as a mask of
// random bits, is part of it. Linear in the graph for each.
// `ways`: by node.
std::vector<Attention> AttentionsOf(const ChipGraph& graph,
                                    const std::vector<ChipWay>& ways);

}  // namespace podsim

#endif  // PODSIM_CHIP_ATTENTION_H_
