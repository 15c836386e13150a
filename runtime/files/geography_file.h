// What lies between places, and what it costs, as text: BucketLinks and
// BucketPrices in protobuf's text format, '#' begins a comment.
//
//   PODSIM_ASSIGN_OR_RETURN(*spec.mutable_links(), ReadLinks("links.txt"));
#ifndef PODSIM_RUNTIME_FILES_GEOGRAPHY_FILE_H_
#define PODSIM_RUNTIME_FILES_GEOGRAPHY_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/geography.pb.h"

namespace podsim {

// `name` stands for the text in messages.
// Errors: INVALID_ARGUMENT, one line that begins with NAME: what is no such
// text
//   (with the place), or what CheckLinks and CheckPrices refuse.
absl::StatusOr<BucketLinks> ParseLinks(const std::string& text,
                                       const std::string& name);
absl::StatusOr<BucketPrices> ParsePrices(const std::string& text,
                                         const std::string& name);

// Errors: the same; NOT_FOUND, PERMISSION_DENIED.
absl::StatusOr<BucketLinks> ReadLinks(const std::string& path);
absl::StatusOr<BucketPrices> ReadPrices(const std::string& path);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_GEOGRAPHY_FILE_H_
