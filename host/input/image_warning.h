// Of damaged images that are read all the same: said once, as a data set may
// have thousands.
#ifndef PODSIM_HOST_INPUT_IMAGE_WARNING_H_
#define PODSIM_HOST_INPUT_IMAGE_WARNING_H_

#include <atomic>
#include <cstdint>
#include <string>

namespace podsim {

// Thread-safe. One of each data set.
class ImageWarning {
 public:
  // Logs the first `warning` that is not empty, with where the image lies.
  void Say(const std::string& file, std::int64_t offset,
           const std::string& warning);

 private:
  std::atomic<bool> said_{false};
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_IMAGE_WARNING_H_
