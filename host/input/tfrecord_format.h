// Data sets of TFRecord files, each record a tf.train.Example.
#ifndef PODSIM_HOST_INPUT_TFRECORD_FORMAT_H_
#define PODSIM_HOST_INPUT_TFRECORD_FORMAT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/input/schema.h"
#include "host/input/shard_format.h"
#include "host/storage/storage.h"

namespace podsim {

// Of plain files Scan reads no more than it must to get from header to header.
std::unique_ptr<const ShardFormat> NewTfRecordFormat(const Schema& schema);

// Errors: INVALID_ARGUMENT (no data_dir, no schema), those of OpenShards.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenTfRecord(
    const DatasetRequest& request, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_TFRECORD_FORMAT_H_
