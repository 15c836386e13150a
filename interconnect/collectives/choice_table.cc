#include "interconnect/collectives/choice_table.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

// "ring, bidir_ring, ...".
template <typename Named>
std::string NamesOf(std::span<const Named> all) {
  return absl::StrJoin(all, ", ", [](std::string* out, Named one) {
    absl::StrAppend(out, std::string(NameOf(one)));
  });
}

absl::Status Unknown(int row, const std::string& what, const std::string& name,
                     const std::string& allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      "table of algorithms, row ", row, ": no ", what, " is called '",
      PrintableLine(name), "'; there are ", allowed));
}

}  // namespace

absl::StatusOr<std::vector<ChoiceRow>> ChoiceRows(
    const AlgorithmChoiceRows& choices) {
  std::vector<ChoiceRow> table;
  for (const AlgorithmChoice& choice : choices) {
    const int row = static_cast<int>(table.size()) + 1;
    const auto collective = CollectiveNamed(choice.collective());
    if (!collective.has_value()) {
      return Unknown(row, "collective", choice.collective(),
                     NamesOf(AllCollectives()));
    }
    const auto algorithm = AlgorithmNamed(choice.algorithm());
    if (!algorithm.has_value()) {
      return Unknown(row, "algorithm", choice.algorithm(),
                     NamesOf(AllAlgorithms()));
    }
    table.push_back(
        {.collective = *collective,
         .most_ranks = choice.has_most_ranks() ? choice.most_ranks() : kNoLimit,
         .most_bytes = choice.has_most_bytes() ? choice.most_bytes() : kNoLimit,
         .algorithm = *algorithm});
  }
  PODSIM_RETURN_IF_ERROR(CheckChoices(table));
  return table;
}

absl::StatusOr<std::vector<ChoiceRow>> ChoiceTable(
    const AlgorithmChoiceRows& choices, Medium medium) {
  PODSIM_ASSIGN_OR_RETURN(std::vector<ChoiceRow> table, ChoiceRows(choices));
  const std::span<const ChoiceRow> shipped = ShippedChoices(medium);
  table.insert(table.end(), shipped.begin(), shipped.end());
  return table;
}

AlgorithmChoice MessageOf(const ChoiceRow& row) {
  AlgorithmChoice choice;
  choice.set_collective(std::string(NameOf(row.collective)));
  choice.set_algorithm(std::string(NameOf(row.algorithm)));
  if (row.most_ranks != kNoLimit) choice.set_most_ranks(row.most_ranks);
  if (row.most_bytes != kNoLimit) choice.set_most_bytes(row.most_bytes);
  return choice;
}

}  // namespace podsim
