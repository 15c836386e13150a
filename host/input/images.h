// A folder of images by class: DIR/train/CLASS/*.jpg, *.jpeg and *.png.
#ifndef PODSIM_HOST_INPUT_IMAGES_H_
#define PODSIM_HOST_INPUT_IMAGES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/storage/storage.h"

namespace podsim {

// A class is a folder with images (image_folders.h), its label its place among
// their names in order; `classes` may say more than there are. A schema may
// name the keys image and label:
//   features=image:image[224,224,3]/255+crop+flip,labels=label:int64
// Without one images are read in the size that some of them have, or in 224 x
// 224 if they differ.
// A file is read as a whole when its example is, or ahead of it where the store
// is far away, and then kept for a while. The fingerprint covers the
// schema and the names of all files, not their bytes; files of one name must be
// the same on all hosts.
// Errors: INVALID_ARGUMENT (no data_dir, another key, fewer
//   `classes` than there are, a class of the held-out images that training has
//   not), NOT_FOUND, the store's; of Read also DATA_LOSS (damaged, or of more
//   than 64 MiB).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenImages(
    const DatasetRequest& request, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_IMAGES_H_
