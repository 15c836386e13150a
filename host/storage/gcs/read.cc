// Reading objects: ranges of one generation, whole ones against their CRC32C.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/storage/gcs/objects.h"
#include "host/storage/gcs/reading.h"

namespace podsim {
namespace {

constexpr std::int64_t kRange = kGcsReadBytes;
// What an answer that is no bytes of the object may take.
constexpr std::int64_t kRefusal = std::int64_t{64} << 10;
// An object that is larger is looked at before there is room made for it.
constexpr std::int64_t kSurelyFits = kGcsReadsInFlight * kRange;
// How often a read begins anew because its object was replaced.
constexpr int kReplacements = 16;
// How often an object that is there may be answered 404.
constexpr int kDenials = 3;

GcsBytes BytesOf(const HttpResponse& answer) {
  GcsBytes read{.crc32c = Crc32cOfHeader(answer.Header("x-goog-hash"))};
  if (!absl::SimpleAtoi(std::string(answer.Header("x-goog-generation")),
                        &read.generation))
    read.generation = 0;
  read.total = answer.status == 206
                   ? TotalOfRange(answer.Header("content-range")).value_or(-1)
                   : static_cast<std::int64_t>(answer.body.size());
  return read;
}

// What is there of [offset, offset + length), and as it is said to be.
absl::Status CheckRange(const HttpResponse& answer, std::int64_t offset,
                        std::int64_t length) {
  if (answer.status != 200 && answer.status != 206)
    return CheckIsAnswer(answer, {404, 416});
  const GcsBytes read = BytesOf(answer);
  const auto got = static_cast<std::int64_t>(answer.body.size());
  if (answer.status == 200 && offset > 0)
    return absl::DataLossError("a range was asked for, the whole came");
  const std::int64_t due = std::min(length, read.total - offset);
  if (read.total < 0 || got != due)
    return absl::DataLossError(
        absl::StrCat(got, " bytes came instead of ", due));
  if (got == read.total && read.crc32c && Crc32cOf(answer.body) != *read.crc32c)
    return absl::DataLossError("its CRC32C differs from the store's");
  return absl::OkStatus();
}

// The ranges of `whole` from `begin` on, kGcsReadsInFlight at a time.
// False: the generation is gone.
absl::StatusOr<bool> ReadRest(GcsClient& client, const GcsName& name,
                              std::int64_t begin, std::int64_t generation,
                              std::string& whole) {
  const auto total = static_cast<std::int64_t>(whole.size());
  const auto ranges = (total - begin + kRange - 1) / kRange;
  const int readers =
      static_cast<int>(std::min<std::int64_t>(kGcsReadsInFlight, ranges));
  std::vector<absl::Status> statuses(readers);
  std::vector<char> gone(readers, 0);
  const auto read = [&](int reader) {
    for (std::int64_t at = begin + reader * kRange; at < total;
         at += readers * kRange) {
      auto part = ReadGcsRange(client, name, at, std::min(kRange, total - at),
                               generation);
      statuses[reader] = part.status();
      if (!part.ok()) return;
      if (!part->has_value() || (*part)->total != total) {
        gone[reader] = 1;
        return;
      }
      std::copy((*part)->bytes.begin(), (*part)->bytes.end(),
                whole.begin() + at);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < readers; ++i) threads.emplace_back(read, i);
    if (readers > 0) read(0);
  }
  for (const absl::Status& status : statuses) PODSIM_RETURN_IF_ERROR(status);
  return std::find(gone.begin(), gone.end(), 1) == gone.end();
}

absl::Status TooLarge(const GcsName& name, std::int64_t total) {
  return absl::ResourceExhaustedError(
      absl::StrCat("read ", name.uri(), ": the store says that it has ", total,
                   " bytes, more than this process has memory for"));
}

// Before there is room for all of a large object: the answer that said how
// large it is, against the object itself.
absl::Status CheckTotal(GcsClient& client, const GcsName& name,
                        const GcsBytes& first) {
  if (first.total <= kSurelyFits) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const auto object, StatGcs(client, name));
  // Another by now, or gone: its ranges will tell.
  if (object && object->size != first.total &&
      (first.generation == 0 || object->generation == first.generation))
    return absl::UnavailableError(
        absl::StrCat("read ", name.uri(), ": an answer says that it has ",
                     first.total, " bytes, it has ", object->size));
  const std::int64_t memory =
      static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
      sysconf(_SC_PAGESIZE);
  return first.total > memory ? TooLarge(name, first.total) : absl::OkStatus();
}

// The library says by an exception that there is none.
absl::Status MakeRoom(const GcsName& name, std::int64_t total,
                      std::string& whole) {
  try {
    whole.resize(static_cast<std::size_t>(total));
  } catch (const std::exception&) {
    return TooLarge(name, total);
  }
  return absl::OkStatus();
}

// 200, 206, 404 or 416.
absl::StatusOr<GcsAnswer> AskForRange(GcsClient& client, const GcsName& name,
                                      std::int64_t offset, std::int64_t length,
                                      std::int64_t generation) {
  std::string target =
      absl::StrCat("/download/storage/v1/b/", PercentEncoded(name.bucket),
                   "/o/", PercentEncoded(name.object), "?alt=media");
  if (generation != 0) absl::StrAppend(&target, "&generation=", generation);
  return client.Call({.doing = "read " + name.uri(),
                      .target = std::move(target),
                      // An object that is kept as gzip comes as it is kept.
                      .headers = {absl::StrCat("Range: bytes=", offset, "-",
                                               offset + length - 1),
                                  "Accept-Encoding: gzip"},
                      .most_bytes = std::max(length, kRefusal),
                      .check = [&](const HttpResponse& http) {
                        return CheckRange(http, offset, length);
                      }});
}

}  // namespace

absl::StatusOr<std::optional<GcsBytes>> ReadGcsRange(GcsClient& client,
                                                     const GcsName& name,
                                                     std::int64_t offset,
                                                     std::int64_t length,
                                                     std::int64_t generation) {
  for (int denied = 0; denied < kDenials; ++denied) {
    PODSIM_ASSIGN_OR_RETURN(GcsAnswer answer, AskForRange(client, name, offset,
                                                          length, generation));
    if (answer.status() == 416) {  // nothing is there from `offset` on
      GcsBytes none = BytesOf(answer.http);
      none.total =
          TotalOfRange(answer.http.Header("content-range")).value_or(0);
      return std::optional(std::move(none));
    }
    if (answer.status() != 404) {
      GcsBytes read = BytesOf(answer.http);
      read.bytes = std::move(answer.http.body);
      return std::optional(std::move(read));
    }
    // It is plain text even from Google and decides nothing.
    PODSIM_ASSIGN_OR_RETURN(const auto there, StatGcs(client, name));
    if (!there || (generation != 0 && there->generation != generation))
      return std::optional<GcsBytes>();
    // Or it was written meanwhile.
  }
  return absl::UnavailableError(
      absl::StrCat("read ", name.uri(), ": the store has it and answers 404"));
}

absl::StatusOr<std::optional<std::string>> ReadGcsObject(GcsClient& client,
                                                         const GcsName& name) {
  for (int begun = 0; begun < kReplacements; ++begun) {
    PODSIM_ASSIGN_OR_RETURN(std::optional<GcsBytes> first,
                            ReadGcsRange(client, name, 0, kRange, 0));
    if (!first) return std::optional<std::string>();
    std::string whole = std::move(first->bytes);
    const auto begin = static_cast<std::int64_t>(whole.size());
    if (begin == first->total) return std::optional(std::move(whole));
    PODSIM_RETURN_IF_ERROR(CheckTotal(client, name, *first));
    PODSIM_RETURN_IF_ERROR(MakeRoom(name, first->total, whole));
    PODSIM_ASSIGN_OR_RETURN(
        const bool same,
        ReadRest(client, name, begin, first->generation, whole));
    if (!same) continue;
    if (first->crc32c && Crc32cOf(whole) != *first->crc32c) continue;
    return std::optional(std::move(whole));
  }
  return absl::AbortedError(
      absl::StrCat("read ", name.uri(), ": ", kReplacements,
                   " times it was replaced meanwhile, or its CRC32C differed"));
}

}  // namespace podsim
