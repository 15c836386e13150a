#include "host/input/shard_room.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/input_memory.h"
#include "settings/byte_count.h"

namespace podsim {
namespace {

// What a window's records may take: the rest is for what else is in its blocks
// and for what is being read. The same wherever the shards lie, so that the
// plan says it.
constexpr std::int64_t WindowRoom(std::int64_t reader_bytes) {
  return reader_bytes / 2;
}

std::int64_t WindowBytes(const ShardSet& train, std::int64_t window) {
  return train.size() == 0 ? 0
                           : train.unpacked_bytes() / train.size() *
                                 std::min(window, train.size());
}

// What gives readers so many bytes: half of it is theirs at least.
std::string RaiseText(std::int64_t reader_bytes) {
  const std::int64_t mebibytes = (2 * reader_bytes + kMiB - 1) / kMiB;
  return absl::StrCat("raise --input_memory to ",
                      ByteCountText(mebibytes * kMiB));
}

absl::Status CheckWindow(const ShardSet& train, std::int64_t window,
                         std::int64_t reader_bytes) {
  const std::int64_t bytes = WindowBytes(train, window);
  const std::int64_t room = WindowRoom(reader_bytes);
  if (bytes <= room) return absl::OkStatus();
  const std::int64_t most = room / WindowBytes(train, 1);
  // Training has seven eighths of them (TrainReaderBytes), a window half.
  const std::int64_t enough = bytes / 7 * 16 + 32;
  return absl::ResourceExhaustedError(absl::StrCat(
      train.packed() ? "the shards are packed" : "the shuffle has a window",
      ", so that ", FormatCount(std::min(window, train.size())),
      " examples are in memory at a time, about ", FormatBytes(bytes),
      ", but readers have ", FormatBytes(room), ": ",
      most < 1 ? "" : absl::StrCat("lower --shuffle_window to ", most, ", or "),
      RaiseText(enough)));
}

// What is open and on its way in packed shards, and what is kept of them so
// that no span is begun twice: a window, or what others that read in order are
// at.
absl::Status CheckPacked(const char* what, const ShardSet& shards,
                         std::int64_t window, std::int64_t reader_bytes) {
  if (!shards.packed() || shards.unpacked_bytes() <= shards.kept_bytes())
    return absl::OkStatus();
  const ReaderParts& parts = shards.parts();
  const std::int64_t kept =
      window > 0 ? WindowBytes(shards, window) : parts.arriving_bytes;
  const std::int64_t needed = parts.open_bytes + parts.arriving_bytes + kept;
  if (needed <= reader_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      what, " are packed, and ",
      window > 0 ? "a window and what is being unpacked take "
                 : "what is being unpacked takes ",
      FormatBytes(needed), ", but readers have ", FormatBytes(reader_bytes),
      " for that: ", window > 0 ? "lower --shuffle_window, or " : "",
      "raise --input_memory"));
}

// A record is in memory as a whole.
absl::Status CheckRecords(const ShardSet& shards, std::int64_t bytes) {
  for (std::size_t i = 0; i < shards.files().size(); ++i) {
    const IndexedShard& records = shards.records()[i];
    for (std::int64_t at = 0; at < records.count(); ++at) {
      const std::int64_t begin = records.offsets[static_cast<std::size_t>(at)];
      if (records.EndOf(at) - begin > bytes)
        return absl::ResourceExhaustedError(absl::StrCat(
            shards.files()[i].path, ": offset ", begin, ": a record of ",
            FormatBytes(records.EndOf(at) - begin), ", but readers have ",
            FormatBytes(bytes), ": ", RaiseText(records.EndOf(at) - begin)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRoom(const ShardSet& train, const ShardSet& eval,
                       std::int64_t window, std::int64_t reader_bytes) {
  const std::int64_t of_train = TrainReaderBytes(reader_bytes);
  PODSIM_RETURN_IF_ERROR(CheckWindow(train, window, of_train));
  PODSIM_RETURN_IF_ERROR(CheckPacked("the shards", train, window, of_train));
  PODSIM_RETURN_IF_ERROR(CheckPacked("the shards of the eval split", eval,
                                     /*window=*/0, reader_bytes - of_train));
  PODSIM_RETURN_IF_ERROR(CheckRecords(train, reader_bytes));
  return CheckRecords(eval, reader_bytes);
}

}  // namespace podsim
