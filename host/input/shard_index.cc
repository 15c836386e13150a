#include "host/input/shard_index.h"

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/status.h"
#include "host/input/index_file.h"

namespace podsim {
namespace {

constexpr std::size_t kStartBytes = 16;  // that tell how a file is packed
// Bytes of shards whose records are in memory at a time, unless one is larger.
constexpr std::int64_t kBytesAtOnce = std::int64_t{1} << 30;

absl::StatusOr<ShardRecords> ScanShard(const ShardFormat& format,
                                       const ShardFile& file,
                                       std::int64_t span_bytes,
                                       ObjectStore& store) {
  ShardRecords records;
  records.restarts.span_bytes = span_bytes;
  PODSIM_ASSIGN_OR_RETURN(
      const std::string start,
      store.ReadRange(file.path, 0, static_cast<std::int64_t>(kStartBytes)));
  records.packing = format.PackingOfFile(start);
  const auto source =
      OpenSource(file, records.packing, store, &records.restarts);
  PODSIM_RETURN_IF_ERROR(format.Scan(*source, file.path, records));
  // To the end, which has checksums.
  if (records.packing == Packing::kPacked)
    PODSIM_RETURN_IF_ERROR(source->Skip(source->limit()));
  records.offsets.shrink_to_fit();
  return records;
}

using Take = std::function<void(ShardRecords)>;

// Gives `take` all shards in order.
absl::Status Scan(const ShardFormat& format,
                  const std::vector<ShardFile>& files, ObjectStore& store,
                  const Take& take) {
  std::int64_t all = 0;
  for (const ShardFile& file : files) all += file.bytes;
  for (std::size_t begin = 0; begin < files.size();) {
    std::size_t end = begin;
    for (std::int64_t bytes = 0;
         end < files.size() &&
         (end == begin || bytes + files[end].bytes <= kBytesAtOnce);
         ++end)
      bytes += files[end].bytes;
    std::vector<ShardRecords> shards(end - begin);
    PODSIM_RETURN_IF_ERROR(OnSomeThreads(
        static_cast<std::int64_t>(shards.size()), [&](std::int64_t i) {
          const auto at = static_cast<std::size_t>(i);
          PODSIM_ASSIGN_OR_RETURN(
              shards[at],
              ScanShard(format, files[begin + at], SpanBytes(all), store));
          return absl::OkStatus();
        }));
    for (ShardRecords& shard : shards) take(std::move(shard));
    begin = end;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const ShardIndex>> Open(const std::string& path,
                                                       const std::string& key,
                                                       std::size_t files) {
  PODSIM_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  PODSIM_ASSIGN_OR_RETURN(std::vector<IndexedShard> shards,
                          ParseIndex(key, file.bytes()));
  if (shards.size() != files) return absl::DataLossError("of other files");
  return std::make_shared<const ShardIndex>(std::move(file), std::move(shards));
}

std::vector<IndexedShard> ViewsOf(const std::vector<ShardRecords>& scanned) {
  std::vector<IndexedShard> shards;
  shards.reserve(scanned.size());
  for (const ShardRecords& of : scanned)
    shards.push_back({.packing = of.packing,
                      .offsets = of.offsets,
                      .end = of.end,
                      .spans = {.points = of.restarts.points,
                                .windows = of.restarts.windows,
                                .end = of.restarts.end}});
  return shards;
}

}  // namespace

ShardIndex::ShardIndex(std::vector<ShardRecords> scanned)
    : scanned_(std::move(scanned)), shards_(ViewsOf(scanned_)) {}

ShardIndex::ShardIndex(MappedFile file, std::vector<IndexedShard> shards)
    : file_(std::move(file)), shards_(std::move(shards)) {}

void ShardIndex::Forget() const {
  if (file_.has_value()) file_->Forget();
}

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
  hash.Update(absl::StrCat("podsim index 3\n", format.name(), "\n"));
  for (const ShardFile& file : files)
    hash.Update(
        absl::StrCat(file.path, "\n", file.bytes, "\n", file.version, "\n"));
  return hash.HexDigest();
}

absl::StatusOr<std::shared_ptr<const ShardIndex>> IndexOf(
    const ShardFormat& format, const std::vector<ShardFile>& files,
    const std::string& directory, ObjectStore& store) {
  if (!directory.empty()) {
    const std::string key = IndexKey(format, files);
    const std::string path = absl::StrCat(directory, "/", key, ".index");
    // Whatever is wrong with what is kept: it is made again.
    auto kept = Open(path, key, files.size());
    if (kept.ok()) return kept;
    IndexWriter writer(path, key);
    if (writer.ok())
      PODSIM_RETURN_IF_ERROR(
          Scan(format, files, store,
               [&](const ShardRecords& shard) { writer.Append(shard); }));
    const absl::Status written = writer.Finish();
    if (written.ok()) kept = Open(path, key, files.size());
    if (kept.ok()) return kept;
    Log(LogLevel::kWarning,
        absl::StrCat(
            "the index of the data set is not kept: ",
            std::string((written.ok() ? kept.status() : written).message())));
  }
  std::vector<ShardRecords> scanned;
  PODSIM_RETURN_IF_ERROR(Scan(format, files, store, [&](ShardRecords shard) {
    scanned.push_back(std::move(shard));
  }));
  return std::make_shared<const ShardIndex>(std::move(scanned));
}

}  // namespace podsim
