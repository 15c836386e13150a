#include "host/input/index_file.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/write_error.h"

namespace podsim {
namespace {

// Raise the number when the same shards get another index.
constexpr std::string_view kMagic = "podsim index 2\n";
constexpr std::size_t kNumber = sizeof(std::int64_t);
constexpr std::size_t kPointNumbers = 5;  // of a restart point
constexpr std::size_t kBuffer = std::size_t{64} << 10;

// Ends where a number may lie.
std::string StartOf(const std::string& key) {
  std::string start = absl::StrCat(std::string(kMagic), key, "\n");
  start.resize((start.size() + kNumber - 1) / kNumber * kNumber, '\n');
  return start;
}

std::atomic<std::uint64_t>& Counter() {
  static std::atomic<std::uint64_t> counter{0};
  return counter;
}

// In which so many bytes fit.
std::int64_t NumbersOf(std::int64_t bytes) {
  constexpr auto kBytes = static_cast<std::int64_t>(kNumber);
  return bytes / kBytes + (bytes % kBytes != 0 ? 1 : 0);
}

// Numbers of an index's file, one after the other.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes)
      : numbers_(reinterpret_cast<const std::int64_t*>(bytes.data()),
                 bytes.size() / kNumber) {}
  std::size_t left() const { return numbers_.size(); }
  // -1: there are no more.
  std::int64_t Next() {
    if (numbers_.empty()) return -1;
    const std::int64_t number = numbers_.front();
    numbers_ = numbers_.subspan(1);
    return number;
  }
  // REQUIRES: so many are left.
  std::span<const std::int64_t> Next(std::size_t count) {
    const auto first = numbers_.first(count);
    numbers_ = numbers_.subspan(count);
    return first;
  }
  // `bytes` bytes, and what fills the last number up. Empty: not so many are
  // left.
  std::optional<std::string_view> NextBytes(std::int64_t bytes) {
    const std::int64_t numbers = NumbersOf(bytes);
    if (bytes < 0 || numbers > static_cast<std::int64_t>(left()))
      return std::nullopt;
    const auto first = Next(static_cast<std::size_t>(numbers));
    return std::string_view(reinterpret_cast<const char*>(first.data()),
                            static_cast<std::size_t>(bytes));
  }

 private:
  std::span<const std::int64_t> numbers_;
};

bool Rises(std::span<const std::int64_t> offsets, std::int64_t end) {
  std::int64_t before = -1;
  for (const std::int64_t offset : offsets) {
    if (offset <= before || offset >= end) return false;
    before = offset;
  }
  return true;
}

// Whether these are restart points, as WriteRestarts wrote them.
bool ReadSpans(NumberReader& numbers, Packing packing, PackedSpans& spans) {
  spans.end = numbers.Next();
  const auto windows = numbers.NextBytes(numbers.Next());
  const std::int64_t count = numbers.Next();
  if (!windows.has_value() || count < 0 ||
      count > static_cast<std::int64_t>(numbers.left() / kPointNumbers))
    return false;
  spans.windows = *windows;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto each = numbers.Next(kPointNumbers);
    spans.points.push_back({.offset = each[0],
                            .packed = each[1],
                            .bits = each[2],
                            .crc = each[3],
                            .window_end = each[4]});
  }
  return spans.valid() && (packing == Packing::kPacked) == (count > 0);
}

}  // namespace

IndexWriter::IndexWriter(const std::string& path, const std::string& key)
    : path_(path) {
  std::error_code ignored;  // what cannot be made cannot be opened
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      ignored);
  absl::StatusOr<TemporaryFile> made = CreateTemporary(path, Counter());
  if (made.ok()) {
    temporary_.emplace(*std::move(made));
  } else {
    status_ = made.status();
  }
  Write(StartOf(key));
}

IndexWriter::~IndexWriter() {
  if (temporary_) std::remove(temporary_->name.c_str());
}

void IndexWriter::Keep(int error) {
  if (status_.ok()) status_ = ErrnoStatus(error, "writing", path_);
}

void IndexWriter::Write(std::string_view bytes) {
  if (!status_.ok()) return;
  crc_ = Crc32c(std::as_bytes(std::span(bytes)), crc_);
  buffer_.append(bytes);
  if (buffer_.size() >= kBuffer) Flush();
}

void IndexWriter::Flush() {
  if (!status_.ok()) return;
  if (const int error = WriteFully(temporary_->file.get(), buffer_); error != 0)
    Keep(error);
  buffer_.clear();
}

void IndexWriter::WriteNumbers(const std::vector<std::int64_t>& numbers) {
  Write({reinterpret_cast<const char*>(numbers.data()),
         numbers.size() * kNumber});
}

void IndexWriter::Append(const ShardRecords& shard) {
  WriteNumbers({static_cast<std::int64_t>(shard.packing), shard.end,
                static_cast<std::int64_t>(shard.offsets.size())});
  WriteNumbers(shard.offsets);
  WriteRestarts(shard.restarts);
}

void IndexWriter::WriteRestarts(const RestartPoints& restarts) {
  const auto bytes = static_cast<std::int64_t>(restarts.windows.size());
  WriteNumbers({restarts.end, bytes});
  Write(restarts.windows);
  Write(std::string(static_cast<std::size_t>(NumbersOf(bytes)) * kNumber -
                        restarts.windows.size(),
                    '\0'));
  WriteNumbers({static_cast<std::int64_t>(restarts.points.size())});
  for (const RestartPoint& each : restarts.points)
    WriteNumbers(
        {each.offset, each.packed, each.bits, each.crc, each.window_end});
}

absl::Status IndexWriter::Finish() {
  WriteNumbers({static_cast<std::int64_t>(crc_)});
  Flush();
  if (!status_.ok()) return status_;
  if (const int error = temporary_->file.Close(); error != 0) Keep(error);
  if (status_.ok() && std::rename(temporary_->name.c_str(), path_.c_str()) != 0)
    Keep(errno);
  if (status_.ok()) temporary_.reset();
  return status_;
}

absl::StatusOr<std::vector<IndexedShard>> ParseIndex(const std::string& key,
                                                     std::string_view bytes) {
  const absl::Status bad = absl::DataLossError("the index is damaged");
  PODSIM_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % kNumber == 0);
  const std::string start = StartOf(key);
  if (bytes.size() < start.size() + kNumber || bytes.size() % kNumber != 0 ||
      bytes.substr(0, start.size()) != start)
    return bad;
  const std::size_t end = bytes.size() - kNumber;
  if (NumberReader(bytes.substr(end)).Next() != Crc32cOf(bytes.substr(0, end)))
    return bad;
  NumberReader numbers(bytes.substr(start.size(), end - start.size()));
  std::vector<IndexedShard> shards;
  while (numbers.left() > 0) {
    IndexedShard shard;
    const std::int64_t packing = numbers.Next();
    if (packing != static_cast<std::int64_t>(Packing::kPlain) &&
        packing != static_cast<std::int64_t>(Packing::kPacked))
      return bad;
    shard.packing = static_cast<Packing>(packing);
    shard.end = numbers.Next();
    const std::int64_t count = numbers.Next();
    if (count < 0 || static_cast<std::size_t>(count) > numbers.left())
      return bad;
    shard.offsets = numbers.Next(static_cast<std::size_t>(count));
    if (shard.end > kMostUnpackedBytes || !Rises(shard.offsets, shard.end) ||
        !ReadSpans(numbers, shard.packing, shard.spans) ||
        (shard.packing == Packing::kPacked && shard.end > shard.spans.end))
      return bad;
    shards.push_back(std::move(shard));
  }
  return shards;
}

}  // namespace podsim
