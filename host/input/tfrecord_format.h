// Data sets of TFRecord files, each record a tf.train.Example.
#ifndef PODSIM_HOST_INPUT_TFRECORD_FORMAT_H_
#define PODSIM_HOST_INPUT_TFRECORD_FORMAT_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/input/schema.h"
#include "host/input/shard_format.h"
#include "host/storage/storage.h"

namespace podsim {

// INVALID_ARGUMENT: a file with these first bytes (kOtherFileBytes) is none of
// TFRecords, but looks like another that is known.
absl::Status CheckIsTfRecord(std::string_view start, const std::string& file);

// Of plain files Scan reads no more than it must to get from header to header.
std::unique_ptr<const ShardFormat> NewTfRecordFormat(const Schema& schema);

// Errors: INVALID_ARGUMENT (no data_dir, no schema for files that are there),
// those of OpenShards.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenTfRecord(
    const DatasetRequest& request, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_TFRECORD_FORMAT_H_
