// Attention as kernels of its own in a FusionPlan, as hand-written kernels
// compute it [Dao et al., FlashAttention, 2022, arXiv 2205.14135;
// jax.experimental.pallas.ops.tpu.flash_attention]. Pure.
#ifndef PODSIM_CHIP_ATTENTION_KERNELS_H_
#define PODSIM_CHIP_ATTENTION_KERNELS_H_

#include <cstdint>

#include "chip/facts.h"
#include "chip/fusion_plan.h"
#include "chip/graph.h"

namespace podsim {

// The plan with a kernel for the forward part of each of facts.attentions and
// one for its backward part. Neither writes scores: the backward part computes
// them again, from q and k and what the forward part leaves of each row. It
// does so in one kernel, with five products (two kernels, as some libraries
// have, would compute two of these twice). Where queries look at no later key,
// the blocks of matrix_unit_side x matrix_unit_side scores behind the diagonal
// are no work. Parts that would have to wait for themselves stay as they are,
// and of more than 16 attentions then all do.
FusionPlan WithAttentionKernels(const ChipGraph& graph, const ChipFacts& facts,
                                std::int64_t matrix_unit_side, FusionPlan plan);

}  // namespace podsim

#endif  // PODSIM_CHIP_ATTENTION_KERNELS_H_
