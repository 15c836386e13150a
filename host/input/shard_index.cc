#include "host/input/shard_index.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/status.h"

namespace podsim {
namespace {

// Raise the number when the same shards get another index.
constexpr std::string_view kMagic = "podsim index 1\n";
constexpr std::size_t kStartBytes = 16;  // that tell how a file is packed

void Append(std::int64_t value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Numbers of an index's file, one after the other.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}
  // -1: there are no more.
  std::int64_t Next() {
    std::int64_t value = -1;
    if (bytes_.size() < sizeof(value)) return -1;
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_.remove_prefix(sizeof(value));
    return value;
  }
  std::size_t left() const { return bytes_.size() / sizeof(std::int64_t); }

 private:
  std::string_view bytes_;
};

absl::StatusOr<ShardRecords> ScanShard(const ShardFormat& format,
                                       const ShardFile& file,
                                       ObjectStore& store) {
  ShardRecords records;
  PODSIM_ASSIGN_OR_RETURN(
      const std::string start,
      store.ReadRange(file.path, 0, static_cast<std::int64_t>(kStartBytes)));
  records.packing = format.PackingOfFile(start);
  const auto source = OpenSource(file, records.packing, store);
  PODSIM_RETURN_IF_ERROR(format.Scan(*source, file.path, records));
  records.offsets.shrink_to_fit();
  return records;
}

absl::StatusOr<std::vector<ShardRecords>> ScanAll(
    const ShardFormat& format, const std::vector<ShardFile>& files,
    ObjectStore& store) {
  std::vector<ShardRecords> shards(files.size());
  PODSIM_RETURN_IF_ERROR(OnSomeThreads(
      static_cast<std::int64_t>(files.size()), [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        PODSIM_ASSIGN_OR_RETURN(shards[at],
                                ScanShard(format, files[at], store));
        return absl::OkStatus();
      }));
  return shards;
}

void Keep(const std::string& path, const std::string& bytes) {
  const absl::Status kept = NewLocalStore()->Write(path, bytes);
  if (!kept.ok())
    Log(LogLevel::kWarning,
        absl::StrCat("the index of the data set is not kept: ",
                     std::string(kept.message())));
}

}  // namespace

std::string IndexDirectory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME");
      cache != nullptr && cache[0] == '/')
    return absl::StrCat(cache, "/podsim");
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return absl::StrCat(home, "/.cache/podsim");
  return "";
}

std::string IndexKey(const ShardFormat& format,
                     const std::vector<ShardFile>& files) {
  Sha256 hash;
  hash.Update(absl::StrCat(std::string(kMagic), format.name(), "\n"));
  for (const ShardFile& file : files)
    hash.Update(absl::StrCat(file.path, "\n", file.bytes, "\n"));
  return hash.HexDigest();
}

std::string SerializeIndex(const std::string& key,
                           const std::vector<ShardRecords>& shards) {
  std::string bytes = absl::StrCat(std::string(kMagic), key, "\n");
  for (const ShardRecords& shard : shards) {
    Append(static_cast<std::int64_t>(shard.packing), bytes);
    Append(shard.end, bytes);
    Append(shard.count(), bytes);
    for (const std::int64_t offset : shard.offsets) Append(offset, bytes);
  }
  Append(Crc32cOf(bytes), bytes);
  return bytes;
}

absl::StatusOr<std::vector<ShardRecords>> ParseIndex(const std::string& key,
                                                     std::string_view bytes) {
  const absl::Status bad = absl::DataLossError("the index is damaged");
  const std::string begin = absl::StrCat(std::string(kMagic), key, "\n");
  if (bytes.size() < begin.size() + sizeof(std::int64_t) ||
      bytes.substr(0, begin.size()) != begin)
    return bad;
  const std::size_t end = bytes.size() - sizeof(std::int64_t);
  if (NumberReader(bytes.substr(end)).Next() != Crc32cOf(bytes.substr(0, end)))
    return bad;
  NumberReader numbers(bytes.substr(begin.size(), end - begin.size()));
  std::vector<ShardRecords> shards;
  while (numbers.left() > 0) {
    ShardRecords shard;
    shard.packing = static_cast<Packing>(numbers.Next());
    shard.end = numbers.Next();
    const std::int64_t count = numbers.Next();
    if (count < 0 || static_cast<std::size_t>(count) > numbers.left())
      return bad;
    shard.offsets.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t before =
          shard.offsets.empty() ? -1 : shard.offsets.back();
      shard.offsets.push_back(numbers.Next());
      if (shard.offsets.back() <= before || shard.offsets.back() >= shard.end)
        return bad;
    }
    shards.push_back(std::move(shard));
  }
  return shards;
}

absl::StatusOr<std::vector<ShardRecords>> IndexOf(
    const ShardFormat& format, const std::vector<ShardFile>& files,
    const std::string& directory, ObjectStore& store) {
  if (directory.empty()) return ScanAll(format, files, store);
  const std::string key = IndexKey(format, files);
  const std::string path = absl::StrCat(directory, "/", key, ".index");
  // Whatever is wrong with what is kept: it is made again.
  if (const auto bytes = NewLocalStore()->Read(path); bytes.ok()) {
    auto kept = ParseIndex(key, *bytes);
    if (kept.ok() && kept->size() == files.size()) return kept;
  }
  PODSIM_ASSIGN_OR_RETURN(std::vector<ShardRecords> shards,
                          ScanAll(format, files, store));
  Keep(path, SerializeIndex(key, shards));
  return shards;
}

}  // namespace podsim
