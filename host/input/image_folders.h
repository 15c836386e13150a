// Which images a folder of classes has, CLASS/*.jpg, *.jpeg and *.png, and what
// becomes of those that lie elsewhere.
#ifndef PODSIM_HOST_INPUT_IMAGE_FOLDERS_H_
#define PODSIM_HOST_INPUT_IMAGE_FOLDERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

struct ImageFile {
  std::string path;
  std::int32_t label = 0;
};

struct ImageSplit {
  std::vector<std::string> classes;  // in order; each has an image
  std::vector<ImageFile> files;      // by class; their labels are its places
  std::int64_t direct = 0;  // files that lie in a class's folder itself
  std::string deeper;       // a folder in one that has images too; empty: none
  std::int64_t loose = 0;   // images beside the classes, which are left out
  std::int64_t unread = 0;  // images of other formats, which are left out
  std::string first_unread;
};

// Images in folders of a class, at most eight deep, are the class's, as
// torchvision's ImageFolder has it. Names that begin with . are passed over.
// Errors: INVALID_ARGUMENT (folders deeper than that), the store's.
absl::StatusOr<ImageSplit> ReadImageSplit(const std::string& folder,
                                          ObjectStore& store);

struct ImageSplits {
  ImageSplit train;
  ImageSplit eval;                 // labels are those of training
  std::vector<std::string> notes;  // what is not as expected, for people
};

// DIR/train/CLASS/*.jpg and the first of eval, validation, valid, val and test
// that is there beside it; without a train DIR/CLASS/*.jpg.
// Errors: NOT_FOUND (no image for training), INVALID_ARGUMENT (all images of
//   DIR/CLASS lie deeper, or all classes are called as splits are; a class of
//   the eval split that training has not), the store's.
absl::StatusOr<ImageSplits> FindImages(const std::string& folder,
                                       ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_IMAGE_FOLDERS_H_
