#include "runtime/report/account.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "base/units.h"
#include "runtime/report/format.h"

namespace podsim {

void Savings::Add(const CheckpointSaved& saved) {
  ++count;
  bytes = saved.bytes();
  seconds_paused += saved.seconds_paused();
  seconds_written += saved.seconds_written();
  last = saved.path();
}

void Savings::Add(const CheckpointDeleted& deleted) {
  if (deleted.error().empty()) {
    undeleted.erase(deleted.step());
  } else {
    undeleted[deleted.step()] = deleted.error();
  }
}

std::string FormatLastSaved(const Savings& savings) {
  return absl::StrCat(FormatCount(savings.count), " saved, the last ",
                      savings.last, " (", FormatBytes(savings.bytes), ")");
}

std::string FormatSavings(const Savings& savings, absl::Duration training) {
  const auto each = static_cast<double>(savings.count);
  const double whole = absl::ToDoubleSeconds(training);
  return absl::StrFormat(
      "%s; a pause of %s each (%.2f%% of training), written in %s beside it",
      FormatLastSaved(savings),
      FormatWallTime(absl::Seconds(savings.seconds_paused / each)),
      whole > 0 ? 100 * savings.seconds_paused / whole : 0.0,
      FormatWallTime(absl::Seconds(savings.seconds_written / each)));
}

std::string FormatSkipped(const Savings& savings) {
  return absl::StrCat(FormatCounted(savings.skipped, "checkpoint"),
                      savings.skipped == 1 ? " was" : " were",
                      " skipped, as the store was silent while an earlier one "
                      "was being written");
}

std::string FormatUndeleted(const Savings& savings) {
  return PrintableLine(absl::StrCat(
      FormatCounted(static_cast<std::int64_t>(savings.undeleted.size()),
                    "old checkpoint"),
      " could not be deleted: ", savings.undeleted.begin()->second));
}

std::string FormatStints(const std::vector<Stint>& stints) {
  std::string text;
  for (const Stint& stint : stints) {
    absl::StrAppend(&text, text.empty() ? "" : ", then ",
                    FormatCount(stint.end_example() - stint.first_example()),
                    " on ", stint.slice(), " in ",
                    FormatCount(stint.last_step() - stint.first_step()),
                    " steps");
  }
  return text;
}

std::string FormatEpochs(std::int64_t examples, std::int64_t dataset_size) {
  const std::int64_t whole = examples / dataset_size;
  const bool even = examples % dataset_size == 0;
  return absl::StrFormat(
      "%.2f epochs of %s: each example %s times",
      static_cast<double>(examples) / static_cast<double>(dataset_size),
      FormatCount(dataset_size),
      even ? FormatCount(whole)
           : absl::StrCat(FormatCount(whole), " or ", FormatCount(whole + 1)));
}

}  // namespace podsim
