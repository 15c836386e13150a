// Pieces of text that pod_ckpt's commands share. Pure.
#ifndef PODSIM_RUNTIME_CKPT_CKPT_TEXT_H_
#define PODSIM_RUNTIME_CKPT_CKPT_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

// Rows under a header, columns as wide as they must be; `right` says of each
// column whether its text stands at the right. Ends with a newline.
std::string Table(const std::vector<std::string>& header,
                  std::vector<std::vector<std::string>> rows,
                  const std::vector<bool>& right);

// "slice       v3-32: ...\n".
std::string Labelled(const std::string& label, const std::string& text);

// "2026-11-21 10:00:00 UTC".
std::string WrittenText(const CheckpointManifest& manifest);
// "5m03s", "2h07m", "12 days".
std::string AgeText(const CheckpointManifest& manifest, absl::Time now);
// Enough of a hash to tell plans apart.
std::string ShortHash(const std::string& hash);
// "784x512"; "scalar".
std::string ShapeText(const CheckpointTensor& tensor);
std::int64_t BytesOf(const CheckpointManifest& manifest);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_CKPT_TEXT_H_
