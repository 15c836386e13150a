// Data sets whose features are bytes held in memory: digits and MNIST.
#ifndef PODSIM_HOST_INPUT_BYTE_DATASET_H_
#define PODSIM_HOST_INPUT_BYTE_DATASET_H_

#include <cstddef>
#include <memory>
#include <string>

#include "host/input/dataset.h"

namespace podsim {

// Examples as bytes: example i's features are the F bytes at
// `begin` + i * F of `bytes`, its label is byte `labels_begin` + i of `labels`
// (files are kept as read, header included, rather than copied).
struct ByteSplit {
  std::string bytes;
  std::size_t begin = 0;
  std::string labels;
  std::size_t labels_begin = 0;
};

// A feature reads as byte * (1 / `full_scale`). If `config` lists fields, these
// are features and labels, and as a third one, int32, the bytes themselves.
// REQUIRES: both splits are as long as `config` says, labels below classes.
std::shared_ptr<const Dataset> NewByteDataset(DatasetConfig config,
                                              float full_scale, ByteSplit train,
                                              ByteSplit eval);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_BYTE_DATASET_H_
