#include "runtime/report_page/remade.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/status.h"
#include "runtime/report/run_line.h"
#include "runtime/tensorboard/file_board.h"
#include "runtime/tensorboard/prompt_log.h"
#include "runtime/trace/file_trace.h"

namespace podsim {
namespace {

constexpr std::int64_t kLinesPiece = 4 << 20;

absl::Status ReadLines(ObjectStore& store, const std::string& path,
                       RunLines::OnLine on_line) {
  RunLines lines(std::move(on_line));
  for (std::int64_t offset = 0;;) {
    PODSIM_ASSIGN_OR_RETURN(const std::string piece,
                            store.ReadRange(path, offset, kLinesPiece));
    lines.Add(piece);
    offset += static_cast<std::int64_t>(piece.size());
    if (static_cast<std::int64_t>(piece.size()) < kLinesPiece) break;
  }
  lines.Finish();
  return absl::OkStatus();
}

}  // namespace

absl::Status RemakeBoard(ObjectStore& store, const std::string& metrics_file,
                         const std::string& folder) {
  const SystemClock clock;
  FileBoard board(
      std::make_unique<PromptBoardLog>(EventFilesIn(folder, clock)));
  PODSIM_RETURN_IF_ERROR(
      ReadLines(store, metrics_file,
                [&board](const RunLine& line) { board.OnLine(line); }));
  PODSIM_RETURN_IF_ERROR(Annotate(board.Close(), "--tensorboard_dir"));
  if (board.has_run()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "--tensorboard_dir: ", metrics_file,
      " has no plan with its event, which this version of pod_launch writes "
      "once a pod has formed"));
}

absl::StatusOr<std::string> RemakeTrace(ObjectStore& store,
                                        const std::string& metrics_file,
                                        const TracePlaces& places,
                                        const std::string& steps) {
  FileTrace file(steps);
  PODSIM_RETURN_IF_ERROR(
      ReadLines(store, metrics_file,
                [&file](const RunLine& line) { file.OnLine(line); }));
  PODSIM_ASSIGN_OR_RETURN(const Trace made, file.Make());
  if (!places.trace.empty())
    PODSIM_RETURN_IF_ERROR(
        Annotate(WriteTraceFile(places.trace, made), "--trace"));
  if (!places.profile_dir.empty())
    PODSIM_RETURN_IF_ERROR(
        Annotate(WriteProfiles(places.profile_dir, made), "--profile_dir"));
  std::string text;
  for (const TextRow& row : TraceRows(
           places.trace.empty() ? places.profile_dir : places.trace, made))
    absl::StrAppend(&text, row.label.empty() ? "  " : "", row.text, "\n");
  if (!places.profile_dir.empty())
    absl::StrAppend(&text, "profile: tensorboard --logdir ", places.profile_dir,
                    ", on its page Profile\n");
  return text;
}

}  // namespace podsim
