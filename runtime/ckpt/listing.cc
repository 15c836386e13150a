#include "runtime/ckpt/listing.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/text_layout.h"
#include "base/units.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/runs_below.h"
#include "host/storage/no_file.h"
#include "runtime/ckpt/ckpt_text.h"
#include "runtime/ckpt/looks.h"

namespace podsim {
namespace {

using Cells = std::vector<std::string>;

constexpr char kDamaged[] = "damaged: ";

Cells RowWithout(std::int64_t step, const std::string& state) {
  return {absl::StrCat(step), "", "", "", "", "", "", state};
}

Cells RowOf(const CheckpointManifest& manifest, const std::string& state,
            absl::Time now) {
  return {
      absl::StrCat(manifest.step()),  FormatCount(manifest.examples_consumed()),
      manifest.bits().slice(),        ShortHash(manifest.plan_hash()),
      FormatBytes(BytesOf(manifest)), WrittenText(manifest),
      AgeText(manifest, now),         state};
}

// A directory that has, or had, the name of a checkpoint.
Cells Describe(ObjectStore& store, const std::string& path, std::int64_t step,
               const char* good, absl::Time now) {
  const absl::StatusOr<CheckpointAt> found = ReadManifest(store, path);
  if (found.ok()) return RowOf(found->manifest, good, now);
  const std::string message(found.status().message());
  const std::string reason(absl::StripPrefix(message, path + ": "));
  return RowWithout(step, absl::IsDataLoss(found.status())
                              ? absl::StrCat(kDamaged, reason)
                              : reason);
}

// "20  committed: 5,120 examples on v3-32, ..."
std::string Sentence(const Cells& cells) {
  std::string text = absl::StrCat(cells[0], "  ", cells[7]);
  if (!cells[1].empty())
    absl::StrAppend(&text, ": ", cells[1], " examples on ", cells[2], ", plan ",
                    cells[3], ", ", cells[4], ", written ", cells[5], ", ",
                    cells[6], " ago");
  return PrintableLine(text);
}

// What a table has no room for: a sentence for each.
std::string Sentences(const std::vector<Cells>& rows, int width) {
  std::size_t steps = 0;
  for (const Cells& cells : rows) steps = std::max(steps, cells[0].size());
  std::string text;
  for (const Cells& cells : rows)
    absl::StrAppend(&text, std::string(steps - cells[0].size(), ' '),
                    Sentence(cells), "\n");
  return WrapText(text, width, LongWords::kOverflow);
}

bool Fits(const std::string& text, int width) {
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    if (ColumnsOf(std::string(line)) > width) return false;
  return true;
}

struct Entry {
  std::int64_t step = 0;
  Cells cells;
};

std::optional<Entry> EntryOf(ObjectStore& store, const std::string& model_dir,
                             const std::string& name, absl::Time now) {
  if (!MayBeDirectory(store, model_dir, name)) return std::nullopt;
  const std::string path =
      absl::StrCat(model_dir, "/", std::string(absl::StripSuffix(name, "/")));
  if (const auto step = ParseStep(name)) {
    Entry entry{*step, Describe(store, path, *step, "committed", now)};
    if (entry.cells.back() == "committed") return entry;
    // A running job deletes old ones while they are read.
    const auto names = store.List(path);
    if (absl::IsNotFound(names.status()) && name.back() == '/')
      return std::nullopt;
    if (!absl::StartsWith(entry.cells.back(), kDamaged)) return entry;
    const auto there = IsStillThere(store, model_dir, *step);
    return there.ok() && !*there ? std::nullopt : std::optional(entry);
  }
  if (const auto aside = ParseSetAside(name))
    return Entry{aside->step,
                 Describe(store, path, aside->step, "set aside", now)};
  if (const auto unfinished = ParseUnfinished(name))
    return Entry{unfinished->step, RowWithout(unfinished->step, "unfinished")};
  return std::nullopt;
}

std::vector<Entry> EntriesOf(ObjectStore& store, const std::string& model_dir,
                             const std::vector<std::string>& names,
                             absl::Time now) {
  std::vector<Entry> entries;
  for (const std::string& name : names)
    if (auto entry = EntryOf(store, model_dir, name, now))
      entries.push_back(*std::move(entry));
  return entries;
}

std::string TextOf(std::vector<Entry> entries, int width) {
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const Entry& a, const Entry& b) { return a.step < b.step; });
  std::vector<Cells> rows;
  rows.reserve(entries.size());
  for (Entry& entry : entries) rows.push_back(std::move(entry.cells));
  const std::string table = Table(
      {"step", "examples", "slice", "plan", "bytes", "written", "age", "state"},
      rows, {true, true, false, false, true, false, true, false});
  return width == 0 || Fits(table, width) ? table : Sentences(rows, width);
}

absl::StatusOr<std::string> TextOfNone(ObjectStore& store,
                                       const std::string& model_dir) {
  if (ReadManifest(store, model_dir).ok())
    return absl::InvalidArgumentError(absl::StrCat(
        model_dir,
        " is a checkpoint, not a model_dir: pod_ckpt show explains "
        "it, and pod_ckpt ls takes the folder above"));
  const std::vector<RunBelow> runs = RunsBelow(store, model_dir);
  if (!runs.empty())
    return absl::StrCat(model_dir, ButRunsDo(runs), ": pod_ckpt ls ",
                        runs[0].path, "\n");
  return absl::StrCat("no checkpoints in ", model_dir, "\n");
}

}  // namespace

absl::StatusOr<std::string> ListModelDir(ObjectStore& store,
                                         const std::string& model_dir,
                                         absl::Time now, int width) {
  std::vector<std::string> before;
  for (int look = 0; look < kLooks; ++look) {
    absl::StatusOr<std::vector<std::string>> names = store.List(model_dir);
    if (absl::IsNotFound(names.status()))
      return NoFolder(store, model_dir, "the folder of a run, its model_dir");
    PODSIM_RETURN_IF_ERROR(names.status());
    std::vector<Entry> entries = EntriesOf(store, model_dir, *names, now);
    if (!entries.empty()) return TextOf(std::move(entries), width);
    if (names->empty() || *names == before) return TextOfNone(store, model_dir);
    before = *std::move(names);
  }
  return DeletedEachTime(model_dir);
}

}  // namespace podsim
