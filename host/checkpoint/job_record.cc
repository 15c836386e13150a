#include "host/checkpoint/job_record.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "proto/checkpoint.pb.h"

namespace podsim {
namespace {

namespace pbutil = google::protobuf::util;

constexpr int kRecordFormat = 1;
// A generation of a job has one; of those a restart or two may still write.
constexpr std::size_t kMostStamps = 256;

bool IsPositive(std::int64_t number) { return number > 0; }

}  // namespace

const OwnStep* JobRecord::Find(std::int64_t step) const {
  const auto found = steps_.find(step);
  return found == steps_.end() ? nullptr : &found->second;
}

bool JobRecord::IsLeftOver(std::int64_t step, std::int64_t stamp) const {
  const OwnStep* const own = Find(step);
  if (own != nullptr && own->stamp == stamp) return own->retiring;
  return HasBegun(stamp);
}

bool JobRecord::IsLeftOver(std::string_view name) const {
  if (const auto witness = ParseWitness(name)) return HasBegun(*witness);
  const auto unfinished = ParseUnfinished(name);
  if (!unfinished) return false;
  const OwnStep* const own = Find(unfinished->step);
  const bool retired =
      unfinished->stamp == kRetiredStamp && own != nullptr && own->retiring;
  return retired || HasBegun(unfinished->stamp);
}

void JobRecord::Begin(std::int64_t stamp) {
  stamps_.insert(stamp);
  const auto has_step = [&](std::int64_t old) {
    return std::any_of(steps_.begin(), steps_.end(), [&](const auto& entry) {
      return entry.second.stamp == old;
    });
  };
  for (auto it = stamps_.begin();
       stamps_.size() > kMostStamps && it != stamps_.end();)
    it = has_step(*it) ? std::next(it) : stamps_.erase(it);
}

void JobRecord::Put(const OwnStep& step) { steps_[step.step] = step; }

void JobRecord::Retire(std::int64_t step) {
  const auto found = steps_.find(step);
  if (found != steps_.end()) found->second.retiring = true;
}

void JobRecord::Drop(std::int64_t step) { steps_.erase(step); }

std::string RecordJson(const JobRecord& record) {
  ModelDirRecord message;
  message.set_format(kRecordFormat);
  for (const std::int64_t stamp : record.stamps()) message.add_stamps(stamp);
  for (const auto& [step, own] : record.steps()) {
    RecordedStep& added = *message.add_steps();
    added.set_step(step);
    added.set_stamp(own.stamp);
    added.set_manifest_sha256(own.manifest_sha256);
    added.set_retiring(own.retiring);
  }
  pbutil::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  PODSIM_CHECK(pbutil::MessageToJsonString(message, &text, options).ok());
  return text;
}

absl::StatusOr<JobRecord> ParseRecord(std::string_view json) {
  ModelDirRecord message;
  // What a newer podsim adds says so by its format.
  pbutil::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto parsed = pbutil::JsonStringToMessage({json.data(), json.size()},
                                                  &message, options);
  if (!parsed.ok() || message.format() < 1)
    return absl::DataLossError("not a record that podsim writes");
  if (message.format() > kRecordFormat)
    return absl::FailedPreconditionError(absl::StrCat(
        "of format ", message.format(), "; this podsim reads up to ",
        kRecordFormat, ": go on with a newer one"));
  JobRecord record;
  for (const RecordedStep& step : message.steps()) {
    if (step.step() < 0 || step.stamp() < 0)
      return absl::DataLossError("a step or stamp of it is negative");
    record.Put({.step = step.step(),
                .stamp = step.stamp(),
                .manifest_sha256 = step.manifest_sha256(),
                .retiring = step.retiring()});
  }
  if (!std::all_of(message.stamps().begin(), message.stamps().end(),
                   IsPositive))
    return absl::DataLossError("a stamp of it is not positive");
  for (const std::int64_t stamp : message.stamps()) record.Begin(stamp);
  return record;
}

}  // namespace podsim
