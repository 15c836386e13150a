// The kernels on arrays (array.h), one per op, for the list in op_kernels.cc.
#ifndef PODSIM_HOST_CORE_ARRAY_KERNELS_H_
#define PODSIM_HOST_CORE_ARRAY_KERNELS_H_

#include "host/core/array.h"

namespace podsim {

void DotGeneral(const ArrayCall& call);          // dot_kernels.cc
void Convolution(const ArrayCall& call);         // convolution_kernels.cc
void Reduce(const ArrayCall& call);              // reduce_kernels.cc
void ArgMax(const ArrayCall& call);              // reduce_kernels.cc
void ReduceMultiplyGrad(const ArrayCall& call);  // reduce_kernels.cc
void ReduceWindow(const ArrayCall& call);        // window_kernels.cc
void SelectAndScatter(const ArrayCall& call);    // window_kernels.cc

// movement_kernels.cc
void Iota(const ArrayCall& call);
void BroadcastInDim(const ArrayCall& call);
void Transpose(const ArrayCall& call);
void Reverse(const ArrayCall& call);
void Slice(const ArrayCall& call);
void Pad(const ArrayCall& call);
void Concatenate(const ArrayCall& call);
void DynamicSlice(const ArrayCall& call);
void DynamicUpdateSlice(const ArrayCall& call);

void Gather(const ArrayCall& call);       // gather_kernels.cc
void GatherGrad(const ArrayCall& call);   // gather_kernels.cc
void Scatter(const ArrayCall& call);      // gather_kernels.cc
void ScatterGrad(const ArrayCall& call);  // gather_kernels.cc

void ArgSort(const ArrayCall& call);  // sort_kernels.cc

// typed_kernels.cc
void Compare(const ArrayCall& call);
void Select(const ArrayCall& call);
void Convert(const ArrayCall& call);
void BitcastConvert(const ArrayCall& call);
void IsFinite(const ArrayCall& call);
void And(const ArrayCall& call);
void Or(const ArrayCall& call);
void Scale(const ArrayCall& call);
void Xor(const ArrayCall& call);
void Not(const ArrayCall& call);
void ShiftLeft(const ArrayCall& call);
void ShiftRightArithmetic(const ArrayCall& call);
void ShiftRightLogical(const ArrayCall& call);
void PopCount(const ArrayCall& call);
void CountLeadingZeros(const ArrayCall& call);
void Constant(const ArrayCall& call);

void RandomBits(const ArrayCall& call);        // random_kernels.cc
void SharedRandomBits(const ArrayCall& call);  // random_kernels.cc

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_ARRAY_KERNELS_H_
