#include "runtime/ckpt/ckpt_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "runtime/report/format.h"

namespace podsim {
namespace {

constexpr int kMargin = 12;
constexpr std::size_t kShortHash = 12;

// A row, without blanks at its end.
std::string Row(const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths,
                const std::vector<bool>& right) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string blanks(widths[i] - cells[i].size(), ' ');
    absl::StrAppend(&line, i == 0 ? "" : "  ", right[i] ? blanks : "", cells[i],
                    right[i] ? "" : blanks);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

absl::Time WrittenTime(const CheckpointManifest& manifest) {
  return absl::UnixEpoch() + absl::Seconds(manifest.wall_time());
}

}  // namespace

std::string Table(const std::vector<std::string>& header,
                  std::vector<std::vector<std::string>> rows,
                  const std::vector<bool>& right) {
  // A manifest's words stay in their cells.
  for (auto& row : rows)
    for (std::string& cell : row) cell = PrintableLine(cell);
  std::vector<std::size_t> widths(header.size());
  for (std::size_t i = 0; i < header.size(); ++i) {
    widths[i] = header[i].size();
    for (const auto& row : rows) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text = Row(header, widths, right);
  for (const auto& row : rows) text += Row(row, widths, right);
  return text;
}

std::string Labelled(const std::string& label, const std::string& text) {
  return absl::StrFormat("%-*s%s\n", kMargin, label, PrintableLine(text));
}

std::string WrittenText(const CheckpointManifest& manifest) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", WrittenTime(manifest),
                          absl::UTCTimeZone());
}

std::string AgeText(const CheckpointManifest& manifest, absl::Time now) {
  constexpr absl::Duration kDay = absl::Hours(24);
  const absl::Duration age =
      std::max(now - WrittenTime(manifest), absl::ZeroDuration());
  if (age < 2 * kDay) return FormatTimeLeft(age);
  return absl::StrCat(age / kDay, " days");
}

std::string ShortHash(const std::string& hash) {
  return hash.substr(0, kShortHash);
}

std::string ShapeText(const CheckpointTensor& tensor) {
  return tensor.shape().empty() ? "scalar" : absl::StrJoin(tensor.shape(), "x");
}

std::int64_t BytesOf(const CheckpointManifest& manifest) {
  std::int64_t bytes = 0;
  for (const CheckpointFile& file : manifest.files()) bytes += file.bytes();
  return bytes;
}

}  // namespace podsim
