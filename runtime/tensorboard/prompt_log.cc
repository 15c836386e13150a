#include "runtime/tensorboard/prompt_log.h"

namespace podsim {
namespace {

// An object of a bucket, which cannot append, has so much.
constexpr std::size_t kPieceBytes = 4 << 20;

}  // namespace

void PromptBoardLog::StartFiles() {
  for (std::size_t run = 0; run < kEventRuns; ++run) {
    Flush(run);
    files_[run]->StartFile();
  }
}

void PromptBoardLog::Add(EventRun run, const tensorboard::Event& event) {
  const auto place = static_cast<std::size_t>(run);
  records_[place].append(EventRecord(event.SerializeAsString()));
  if (records_[place].size() >= kPieceBytes) Flush(place);
}

absl::Status PromptBoardLog::Close() {
  for (std::size_t run = 0; run < kEventRuns; ++run) Flush(run);
  return status_;
}

void PromptBoardLog::Flush(std::size_t run) {
  const std::string records = std::exchange(records_[run], {});
  if (status_.ok() && !records.empty()) status_ = files_[run]->Append(records);
}

}  // namespace podsim
