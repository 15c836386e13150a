// Reading ranges of objects.
#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/storage/gcs/headway.h"
#include "host/storage/gcs/objects.h"

namespace podsim {
namespace {

// What an answer that is no bytes of the object may take.
constexpr std::int64_t kRefusal = std::int64_t{64} << 10;

GcsBytes BytesOf(const HttpResponse& answer) {
  GcsBytes read{.crc32c = Crc32cOfHeader(answer.Header("x-goog-hash"))};
  if (!absl::SimpleAtoi(std::string(answer.Header("x-goog-generation")),
                        &read.generation) ||
      read.generation < 0)
    read.generation = 0;
  read.total = answer.status == 206
                   ? TotalOfRange(answer.Header("content-range")).value_or(-1)
                   : static_cast<std::int64_t>(answer.body.size());
  return read;
}

// The range that came begins elsewhere than at `offset`.
bool IsElsewhere(const HttpResponse& answer, std::int64_t offset) {
  const std::string_view range = answer.Header("content-range");
  const std::string due = absl::StrCat("bytes ", offset, "-");
  return answer.status == 206 && range.substr(0, due.size()) != due;
}

// What is there of [offset, offset + length) of the generation, which is any if
// it is 0, and as it is said to be.
absl::Status CheckRange(const HttpResponse& answer, std::int64_t offset,
                        std::int64_t length, std::int64_t generation) {
  if (answer.status != 200 && answer.status != 206)
    return CheckIsAnswer(answer, {404, 416});
  const GcsBytes read = BytesOf(answer);
  const auto got = static_cast<std::int64_t>(answer.body.size());
  if (answer.status == 200 && offset > 0)
    return absl::DataLossError("a range was asked for, the whole came");
  if (IsElsewhere(answer, offset))
    return absl::DataLossError(absl::StrCat(
        "another range came than from byte ", offset, " on, as asked"));
  if (generation != 0 && read.generation != 0 && read.generation != generation)
    return absl::DataLossError(absl::StrCat("generation ", read.generation,
                                            " came instead of ", generation));
  const std::int64_t due = std::min(length, read.total - offset);
  if (read.total < 0 || got != due)
    return absl::DataLossError(absl::StrCat(got, " bytes came instead of ",
                                            std::max<std::int64_t>(due, 0)));
  return got == read.total ? CheckGcsSum(answer.body, read.crc32c)
                           : absl::OkStatus();
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
                        return CheckRange(http, offset, length, generation);
                      }});
}

}  // namespace

absl::Status CheckGcsSum(std::string_view whole,
                         const std::optional<std::uint32_t>& told) {
  const std::uint32_t crc = Crc32cOf(whole);
  if (crc == told.value_or(crc)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("its CRC32C was ", Crc32cText(crc),
                                          ", and the store said ",
                                          Crc32cText(*told)));
}

absl::StatusOr<std::optional<GcsBytes>> ReadGcsRange(GcsClient& client,
                                                     const GcsName& name,
                                                     std::int64_t offset,
                                                     std::int64_t length,
                                                     std::int64_t generation) {
  int status = 0;
  for (int denied = 0; denied < kGcsDenials; ++denied) {
    PODSIM_ASSIGN_OR_RETURN(GcsAnswer answer, AskForRange(client, name, offset,
                                                          length, generation));
    status = answer.status();
    if (status != 404 && status != 416) {
      GcsBytes read = BytesOf(answer.http);
      read.bytes = std::move(answer.http.body);
      return std::optional(std::move(read));
    }
    // That it is missing, or ends before `offset`, is said in plain text even
    // by Google and decides nothing.
    PODSIM_ASSIGN_OR_RETURN(const auto there, StatGcs(client, name));
    if (!there || (generation != 0 && there->generation != generation))
      return std::optional<GcsBytes>();
    if (status == 416 && there->size <= offset)
      return std::optional(GcsBytes{.total = there->size,
                                    .generation = there->generation,
                                    .crc32c = there->crc32c});
    // Or it was written meanwhile.
  }
  return absl::UnavailableError(
      absl::StrCat("read ", name.uri(), ": the store has it and answers ",
                   status, ", ", kGcsDenials, " times"));
}

}  // namespace podsim
