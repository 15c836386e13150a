// The files of this folder that define ops: one family each, listed in
// op_table.cc. Entries are valid until the process ends.
#ifndef PODSIM_MODELS_OPS_FAMILIES_H_
#define PODSIM_MODELS_OPS_FAMILIES_H_

#include <span>

#include "models/ops/op_entry.h"

namespace podsim {

using OpFamily = std::span<const OpEntry>;

OpFamily ProductOps();           // products.cc
OpFamily DotGeneralOps();        // dot_general.cc
OpFamily ConvolutionOps();       // convolution.cc
OpFamily ReduceOps();            // reduce.cc
OpFamily WindowOps();            // window.cc
OpFamily ElementwiseOps();       // elementwise.cc
OpFamily TypedElementwiseOps();  // typed_elementwise.cc
OpFamily FunctionOps();          // functions.cc
OpFamily ConstantOps();          // constant.cc
OpFamily BiasOps();              // bias.cc
OpFamily ReshapeOps();           // reshape.cc
OpFamily MovementOps();          // movement.cc
OpFamily SliceOps();             // slices.cc
OpFamily DynamicSliceOps();      // dynamic_slices.cc
OpFamily GatherOps();            // gather.cc
OpFamily SortOps();              // sort.cc
OpFamily CoreSumOps();           // core_sum.cc
OpFamily ScaleOps();             // scale.cc
OpFamily AllReduceOps();         // all_reduce.cc
OpFamily SoftmaxXentOps();       // softmax_xent.cc
OpFamily RoundOps();             // round.cc
OpFamily UpdateOps();            // update.cc
OpFamily RandomBitsOps();        // random_bits.cc
OpFamily StopGradientOps();      // stop_gradient.cc

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_FAMILIES_H_
