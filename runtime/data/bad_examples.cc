#include "runtime/data/bad_examples.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/units.h"

namespace podsim {

bool BadExamples::Add(const absl::Status& status) {
  MutexLock lock(mutex_);
  ++count_;
  // Lines of one file most often say the same.
  const std::string file(
      status.message().substr(0, status.message().find(": ")));
  if (lines_.size() < kMostLines && files_.insert(file).second)
    lines_.push_back(status);
  return absl::IsDataLoss(status) || absl::IsInvalidArgument(status);
}

absl::Status BadExamples::Result() {
  MutexLock lock(mutex_);
  if (lines_.empty()) return absl::OkStatus();
  std::vector<std::string> texts;
  for (const absl::Status& line : lines_) texts.emplace_back(line.message());
  const auto said = static_cast<std::int64_t>(texts.size());
  if (count_ > said)
    absl::StrAppend(&texts.back(), "; and ",
                    FormatCounted(count_ - said, "example"),
                    " more cannot be read");
  return absl::Status(lines_.front().code(), absl::StrJoin(texts, "\n"));
}

}  // namespace podsim
