// The table that `auto` goes by, as messages: rows by the names of collectives
// and algorithms, for files, jobs and plans. Pure.
//
//   PODSIM_ASSIGN_OR_RETURN(
//       const std::vector<ChoiceRow> table,
//       ChoiceTable(spec.choices(), MediumOf("shm")));
//   ... ChooseAlgorithm(Collective::kAllReduce, bytes, world, table) ...
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_CHOICE_TABLE_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_CHOICE_TABLE_H_

#include <google/protobuf/repeated_field.h>

#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/choose.h"
#include "proto/choices.pb.h"

namespace podsim {

using AlgorithmChoiceRows = google::protobuf::RepeatedPtrField<AlgorithmChoice>;

// The rows of `choices` alone.
// Errors: INVALID_ARGUMENT, one line: the row, from 0, and what it may say (a
//   name that there is not); those of CheckChoices.
absl::StatusOr<std::vector<ChoiceRow>> ChoiceRows(
    const AlgorithmChoiceRows& choices);

// The rows of `choices`, then those that ship for `medium`: for larger groups
// and other collectives than were measured. Without any, the shipped table.
// Errors: those of ChoiceRows.
absl::StatusOr<std::vector<ChoiceRow>> ChoiceTable(
    const AlgorithmChoiceRows& choices, Medium medium);

// What ChoiceRows makes `row` of.
AlgorithmChoice MessageOf(const ChoiceRow& row);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_CHOICE_TABLE_H_
