// The matrix products of kernels_bench.
#ifndef PODSIM_BENCH_PRODUCT_BENCH_H_
#define PODSIM_BENCH_PRODUCT_BENCH_H_

#include "models/kernels/kernel_table.h"

namespace podsim {

// Every product of a training step of the MLP 784-512-512-10 on 1,024 rows, in
// float32 and bfloat16, by one level's kernels: GFLOP/s with the right side
// packed, and apart from that the packing. Each is checked against the slow
// reference first. The table must outlive the run.
void RegisterProducts(const PodsimKernels& table);

}  // namespace podsim

#endif  // PODSIM_BENCH_PRODUCT_BENCH_H_
