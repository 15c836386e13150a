// Sums the gradients of a host's microbatches in one balanced binary tree over
// the microbatch's number: neighbours first, then pairs of pairs. Which rows a
// host has then decides nothing about the rounding inside a subtree, so that
// the same microbatches give the same bits on any slice.
//
//   TreeSum sum(program.gradient_elements, /*leaves=*/16);
//   for (int leaf = 0; leaf < 16; ++leaf) {
//     ...  // fill `gradients` with the leaf's
//     sum.Add(leaf, bucket.begin, bucket_of(gradients));
//   }      // now `gradients` holds the whole sum
#ifndef PODSIM_HOST_CORE_TREE_SUM_H_
#define PODSIM_HOST_CORE_TREE_SUM_H_

#include <cstdint>
#include <span>
#include <vector>

namespace podsim {

// A binary counter: level l holds the sum of 2^l finished neighbours while the
// sum of the 2^l after them is awaited. One thread at a time; can be used for
// sum after sum.
class TreeSum {
 public:
  // REQUIRES: `leaves` is a power of two; elements >= 0.
  TreeSum(std::int64_t elements, std::int64_t leaves);

  // Takes in elements [begin, begin + values.size()) of the next leaf. With the
  // last leaf `values` becomes the sum over all; before, it is left with a
  // partial sum. Ranges of elements are independent of each other.
  // REQUIRES: for every element, leaves come in the order 0 ... leaves - 1.
  void Add(std::int64_t leaf, std::int64_t begin, std::span<float> values);

  // Buffers of `elements` floats that a sum over `leaves` takes.
  static int Levels(std::int64_t leaves);

 private:
  const std::int64_t leaves_;
  std::vector<std::vector<float>> levels_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_TREE_SUM_H_
