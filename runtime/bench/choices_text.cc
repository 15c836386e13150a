#include "runtime/bench/choices_text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/units.h"
#include "runtime/bench/calibration.h"
#include "runtime/files/choices_file.h"
#include "runtime/job/format_plan.h"

namespace podsim {
namespace {

std::string MeasuredText(const BenchRecord& record) {
  const JobPlan& plan = record.plan;
  const std::string how =
      record.external_hosts
          ? "started elsewhere"
          : absl::StrCat("in ",
                         FormatCounted(plan.spec().processes(), "process"),
                         " over ", TransportText(plan));
  return absl::StrCat("# measured ", record.start_time, " to ", record.end_time,
                      " by podsim ", record.build, "\n# on ", record.hostname,
                      ": ", record.cpu, ", ", record.cpus, " CPUs\n# ranks: ",
                      FormatCounted(plan.bits().hosts(), "host"), " of ",
                      plan.bits().slice(), " ", how, "\n");
}

}  // namespace

std::string ChoicesText(const BenchRecord& record,
                        std::span<const ChoiceRow> table) {
  // An argument with a new line in it would end the comment.
  const std::string command =
      absl::Utf8SafeCHexEscape(absl::StrJoin(record.arguments, " "));
  return absl::StrCat(
      "# The algorithms that --algo=auto takes with --choices=THIS_FILE\n# ",
      command, "\n", MeasuredText(record),
      "# by wall time (median, in place); a row begins where its algorithm is\n"
      "# more than ",
      absl::StrFormat("%.0f%%", 100 * (kLead - 1)),
      " faster than the row's before; bounds are geometric means of\n"
      "# neighbouring sizes. More ranks than most_ranks, and other "
      "collectives,\n# go by the table that ships.\n",
      PrintChoices(table));
}

std::string ChoicesSummary(std::span<const ChoiceRow> table) {
  return absl::StrJoin(table, ", ", [](std::string* out, const ChoiceRow& row) {
    absl::StrAppend(out, std::string(NameOf(row.algorithm)));
    if (row.most_bytes == kNoLimit) return;
    absl::StrAppend(out, " up to ", FormatBytes(row.most_bytes));
  });
}

}  // namespace podsim
