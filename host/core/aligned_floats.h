// Memory for packed operands: aligned as kernels want it, unlike a vector's.
#ifndef PODSIM_HOST_CORE_ALIGNED_FLOATS_H_
#define PODSIM_HOST_CORE_ALIGNED_FLOATS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "models/kernels/kernel_table.h"

namespace podsim {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::int64_t count) { Reserve(count); }

  // At least `count` floats; what was there may be lost. Never shrinks.
  void Reserve(std::int64_t count) {
    if (count <= count_) return;
    data_.reset(static_cast<float*>(
        ::operator new (static_cast<std::size_t>(count) * sizeof(float),
                        std::align_val_t{kPackedAlignment})));
    count_ = count;
  }

  float* data() const { return data_.get(); }
  std::int64_t size() const { return count_; }

 private:
  struct Free {
    void operator()(float* floats) const {
      ::operator delete (floats, std::align_val_t{kPackedAlignment});
    }
  };
  std::unique_ptr<float, Free> data_;
  std::int64_t count_ = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_ALIGNED_FLOATS_H_
