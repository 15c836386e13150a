// Writing objects: small ones in one request, large ones in a resumable upload
// (https://cloud.google.com/storage/docs/resumable-uploads), whose session says
// how far it is after any failure.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/storage/gcs/objects.h"
#include "host/storage/gcs/safe_url.h"

namespace podsim {
namespace {

// A multiple of 256 KiB, as the API wants.
constexpr std::int64_t kPiece = std::int64_t{8} << 20;
// Answers in a row after which no more had arrived, and how much counts.
constexpr int kMostIdle = 8;
constexpr std::int64_t kGrain = std::int64_t{256} << 10;

std::string Doing(const GcsName& name) { return "write " + name.uri(); }

std::string Metadata(const GcsName& name, std::uint32_t crc) {
  return nlohmann::json{{"name", name.object},
                        {"crc32c", Crc32cText(crc)},
                        {"contentType", "application/octet-stream"}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Target(const GcsName& name, std::string_view type,
                   std::int64_t expected) {
  return absl::StrCat("/upload/storage/v1/b/", PercentEncoded(name.bucket),
                      "/o?uploadType=", std::string(type),
                      "&ifGenerationMatch=", expected);
}

absl::Status Replaced(const GcsName& name) {
  return absl::AbortedError(
      absl::StrCat(Doing(name), ": another wrote it meanwhile"));
}

// What lies there is what was sent.
absl::Status CheckWritten(const HttpResponse& answer, std::int64_t size,
                          std::uint32_t crc) {
  if (answer.status != 200 && answer.status != 201) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const GcsObject object, ParseObject(answer.body));
  if (object.size != size || (object.crc32c && *object.crc32c != crc))
    return absl::DataLossError("the store has other bytes than were sent");
  return absl::OkStatus();
}

absl::StatusOr<GcsObject> Written(const GcsName& name,
                                  const GcsAnswer& answer) {
  if (answer.status() == 412) return Replaced(name);
  if (answer.status() == 404)
    return absl::NotFoundError(
        absl::StrCat(Doing(name), ": no bucket ", name.bucket));
  if (answer.status() != 200 && answer.status() != 201)
    return absl::DataLossError(
        absl::StrCat(Doing(name), ": the store answers ", answer.status()));
  return ParseObject(answer.http.body);
}

// A line that no bytes hold but by a chance of 2^-128.
std::string Boundary() {
  std::random_device random;
  std::string boundary = "podsim";
  for (int i = 0; i < 4; ++i)
    absl::StrAppendFormat(&boundary, "%08x", random());
  return boundary;
}

absl::StatusOr<GcsObject> UploadAtOnce(GcsClient& client, const GcsName& name,
                                       std::string_view bytes,
                                       std::uint32_t crc,
                                       std::int64_t expected) {
  const std::string boundary = Boundary();
  std::string body =
      absl::StrCat("--", boundary, "\r\nContent-Type: application/json\r\n\r\n",
                   Metadata(name, crc), "\r\n--", boundary,
                   "\r\nContent-Type: application/octet-stream\r\n\r\n");
  body.append(bytes);
  absl::StrAppend(&body, "\r\n--", boundary, "--\r\n");
  const auto size = static_cast<std::int64_t>(bytes.size());
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call(
          {.doing = Doing(name),
           .method = "POST",
           .target = Target(name, "multipart", expected),
           .headers = {"Content-Type: multipart/related; boundary=" + boundary},
           .body = body,
           .check = [&](const HttpResponse& http) {
             return CheckWritten(http, size, crc);
           }}));
  return Written(name, answer);
}

// The URL of a new session. One that is never used again costs nothing.
absl::StatusOr<std::string> BeginSession(GcsClient& client, const GcsName& name,
                                         std::int64_t size, std::uint32_t crc,
                                         std::int64_t expected) {
  const std::string metadata = Metadata(name, crc);
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call({.doing = Doing(name),
                   .method = "POST",
                   .target = Target(name, "resumable", expected),
                   .headers = {"Content-Type: application/json; charset=UTF-8",
                               absl::StrCat("X-Upload-Content-Length: ", size)},
                   .body = metadata}));
  if (answer.status() != 200) return Written(name, answer).status();
  std::string session(answer.http.Header("location"));
  // Whoever has it may write: it goes where the token went, and nowhere else.
  if (!SameOrigin(session, client.endpoint()))
    return absl::DataLossError(absl::StrCat(Doing(name),
                                            ": the upload's session is not at ",
                                            HostOf(client.endpoint())));
  return session;
}

// Of an answer 308: how many bytes the store has, by "bytes=0-41".
std::int64_t BytesThere(const HttpResponse& answer) {
  const std::string range(answer.Header("range"));
  const std::size_t dash = range.rfind('-');
  std::int64_t last = -1;
  if (dash == std::string::npos ||
      !absl::SimpleAtoi(range.substr(dash + 1), &last))
    return 0;
  return last + 1;
}

// One piece from `begin` on, or, with none, the question how far it is. The
// piece is not sent a second time by itself: the session is asked first.
absl::StatusOr<GcsAnswer> SendPiece(GcsClient& client, const GcsName& name,
                                    const std::string& session,
                                    std::string_view piece, std::int64_t begin,
                                    std::int64_t size, std::uint32_t crc) {
  const auto length = static_cast<std::int64_t>(piece.size());
  return client.Call(
      {.doing = Doing(name),
       .method = "PUT",
       .target = session,
       .headers = {piece.empty()
                       ? absl::StrCat("Content-Range: bytes */", size)
                       : absl::StrCat("Content-Range: bytes ", begin, "-",
                                      begin + length - 1, "/", size)},
       .body = piece,
       .once = !piece.empty(),
       .check = [&](const HttpResponse& http) {
         return CheckWritten(http, size, crc);
       }});
}

absl::StatusOr<GcsObject> UploadInPieces(GcsClient& client, const GcsName& name,
                                         std::string_view bytes,
                                         std::uint32_t crc,
                                         std::int64_t expected) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  PODSIM_ASSIGN_OR_RETURN(const std::string session,
                          BeginSession(client, name, size, crc, expected));
  std::int64_t there = 0;
  for (int idle = 0; idle < kMostIdle;) {
    absl::StatusOr<GcsAnswer> answer = SendPiece(
        client, name, session, bytes.substr(there, kPiece), there, size, crc);
    if (!answer.ok())  // how far did it come?
      answer = SendPiece(client, name, session, "", 0, size, crc);
    PODSIM_RETURN_IF_ERROR(answer.status());
    if (answer->status() != 308) return Written(name, *answer);
    const std::int64_t now = BytesThere(answer->http);
    if (now < there || now > size)
      return absl::DataLossError(absl::StrCat(Doing(name), ": the store has ",
                                              now, " of ", size, " bytes, ",
                                              there, " before"));
    idle = now >= std::min(there + kGrain, size) ? 0 : idle + 1;
    there = now;
  }
  return absl::UnavailableError(
      absl::StrCat(Doing(name), ": ", kMostIdle,
                   " times nothing arrived after byte ", there, " of ", size));
}

}  // namespace

absl::StatusOr<GcsObject> UploadGcs(GcsClient& client, const GcsName& name,
                                    std::string_view bytes,
                                    std::int64_t expected) {
  const std::uint32_t crc = Crc32cOf(bytes);
  return static_cast<std::int64_t>(bytes.size()) <= kUploadAtOnce
             ? UploadAtOnce(client, name, bytes, crc, expected)
             : UploadInPieces(client, name, bytes, crc, expected);
}

}  // namespace podsim
