#include "runtime/plan/largest_batch.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr char kFlag[] = "--batch_per_core";
constexpr char kLargest[] = "max";
constexpr std::int64_t kRowsOfTile = 8;  // 8 x 128: docs/timing-model.md

std::string WithUnderscores(const std::string& name) {
  return name.rfind("--", 0) == 0
             ? "--" + absl::StrReplaceAll(name.substr(2), {{"-", "_"}})
             : name;
}

// How many arguments from `at` on ask for the largest batch: 0, 1 or 2.
std::size_t AsksAt(const std::vector<std::string>& args, std::size_t at) {
  const std::string& arg = args[at];
  const std::size_t equals = arg.find('=');
  if (WithUnderscores(arg.substr(0, equals)) != kFlag) return 0;
  if (equals != std::string::npos)
    return arg.substr(equals + 1) == kLargest ? 1 : 0;
  return at + 1 < args.size() && args[at + 1] == kLargest ? 2 : 0;
}

}  // namespace

AskedBatch TakeLargestBatch(const std::vector<std::string>& args) {
  AskedBatch asked;
  for (std::size_t i = 0; i < args.size();) {
    const std::size_t taken = AsksAt(args, i);
    if (taken == 0) asked.args.push_back(args[i]);
    asked.largest = asked.largest || taken > 0;
    i += std::max<std::size_t>(1, taken);
  }
  return asked;
}

absl::Status CheckLargestBatch(const JobSpec& flags) {
  if (flags.has_batch_per_core())
    return absl::InvalidArgumentError(
        "--batch_per_core is given twice, as a number and as max; leave one of "
        "them out");
  if (flags.has_train_batch_size())
    return absl::InvalidArgumentError(
        "--train_batch_size and --batch_per_core=max both set the batch; leave "
        "one of them out");
  if (flags.reduction() == words::Reduction::tree ||
      flags.microbatch_size() > 0)
    return absl::InvalidArgumentError(
        "--batch_per_core=max is for a batch in one pass, but the job adds up "
        "microbatches, as many as it is given: give --batch_per_core a number, "
        "or leave --reduction and --microbatch_size out");
  return absl::OkStatus();
}

std::int64_t RoundedBatch(std::int64_t most) {
  if (most < kRowsOfTile) return std::max<std::int64_t>(1, most);
  return most / kRowsOfTile * kRowsOfTile;
}

absl::StatusOr<std::int64_t> LargestBatchOn(const JobSpec& spec,
                                            const PlanInputs& inputs) {
  PODSIM_CHECK(!spec.has_batch_per_core() && !spec.has_train_batch_size());
  JobSpec one = spec;
  one.set_batch_per_core(1);
  PODSIM_ASSIGN_OR_RETURN(const JobPlan plan, PlanJob(one, inputs));
  return RoundedBatch(plan.core_memory().largest_batch());
}

}  // namespace podsim
