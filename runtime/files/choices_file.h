// Tables of algorithms as text: AlgorithmChoices in protobuf's text format, a
// row a line, '#' begins a comment. Rows of several files may follow one
// another in one, smaller numbers of ranks first.
//
//   PODSIM_ASSIGN_OR_RETURN(*spec.mutable_choices(), ReadChoices("x.txt"));
#ifndef PODSIM_RUNTIME_FILES_CHOICES_FILE_H_
#define PODSIM_RUNTIME_FILES_CHOICES_FILE_H_

#include <google/protobuf/repeated_field.h>

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "interconnect/collectives/choose.h"
#include "proto/choices.pb.h"

namespace podsim {

// `name` stands for the text in messages.
// Errors: INVALID_ARGUMENT, one line that begins with NAME: what is no table
//   (with the place), has no row, or has a row that ChoiceRows refuses.
absl::StatusOr<google::protobuf::RepeatedPtrField<AlgorithmChoice>>
ParseChoices(const std::string& text, const std::string& name);

// Errors: those of ParseChoices; NOT_FOUND, PERMISSION_DENIED.
absl::StatusOr<google::protobuf::RepeatedPtrField<AlgorithmChoice>> ReadChoices(
    const std::string& path);

// Text that ParseChoices reads back as these rows.
std::string PrintChoices(std::span<const ChoiceRow> table);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_CHOICES_FILE_H_
