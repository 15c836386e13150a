// Writing objects: small ones in one request, large ones in a resumable upload
// (https://cloud.google.com/storage/docs/resumable-uploads), whose session says
// how far it is after any failure.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/storage/gcs/headway.h"
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

// What is to be written.
struct Content {
  std::string_view bytes;
  std::uint32_t crc = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()); }
  bool Is(const GcsObject& object) const {
    return object.size == size() && object.crc32c.value_or(crc) == crc;
  }
};

// As GcsCall wants it. What was written is looked at by Written.
std::function<absl::Status(const HttpResponse&)> IsWritten(
    const GcsName& name, std::vector<int> others) {
  return [&name, others = std::move(others)](const HttpResponse& answer) {
    return answer.status == 200 || answer.status == 201
               ? CheckIsOf(name, answer)
               : CheckIsAnswer(answer, others);
  };
}

// That what lies there is what was sent; one answer that says otherwise decides
// nothing.
absl::StatusOr<GcsObject> Written(GcsClient& client, const GcsName& name,
                                  const GcsAnswer& answer,
                                  const Content& content) {
  if (answer.status() == 412) return Replaced(name);
  if (answer.status() == 404)
    return NoBucket(client, Doing(name), name, answer.http);
  PODSIM_ASSIGN_OR_RETURN(GcsObject said, ParseObject(answer.http.body));
  if (content.Is(said)) return said;
  PODSIM_ASSIGN_OR_RETURN(auto there, StatGcs(client, name));
  if (there && content.Is(*there)) return *std::move(there);
  if (there && there->generation != said.generation) return Replaced(name);
  return absl::UnavailableError(absl::StrCat(
      Doing(name), ": the store answers that it has ",
      SizeAndSum(said.size, said.crc32c), ", and when asked again ",
      there ? SizeAndSum(there->size, there->crc32c) : std::string("nothing"),
      "; ", SizeAndSum(content.size(), content.crc), " were sent"));
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
                                       const Content& content,
                                       std::int64_t expected) {
  const std::string boundary = Boundary();
  std::string body =
      absl::StrCat("--", boundary, "\r\nContent-Type: application/json\r\n\r\n",
                   Metadata(name, content.crc), "\r\n--", boundary,
                   "\r\nContent-Type: application/octet-stream\r\n\r\n");
  body.append(content.bytes);
  absl::StrAppend(&body, "\r\n--", boundary, "--\r\n");
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call(
          {.doing = Doing(name),
           .method = "POST",
           .target = Target(name, "multipart", expected),
           .headers = {"Content-Type: multipart/related; boundary=" + boundary},
           .body = body,
           .check = IsWritten(name, {404, 412})}));
  return Written(client, name, answer, content);
}

// The URL of a new session. One that is never used again costs nothing.
absl::StatusOr<std::string> BeginSession(GcsClient& client, const GcsName& name,
                                         const Content& content,
                                         std::int64_t expected) {
  const std::string metadata = Metadata(name, content.crc);
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call({.doing = Doing(name),
                   .method = "POST",
                   .target = Target(name, "resumable", expected),
                   .headers = {"Content-Type: application/json; charset=UTF-8",
                               absl::StrCat("X-Upload-Content-Length: ",
                                            content.size())},
                   .body = metadata,
                   .check = [](const HttpResponse& http) {
                     return CheckIsAnswer(http, {200, 201, 404, 412});
                   }}));
  if (answer.status() == 412) return Replaced(name);
  if (answer.status() == 404)
    return NoBucket(client, Doing(name), name, answer.http);
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
                                    std::int64_t size) {
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
       .check = IsWritten(name, {308, 404, 412})});
}

absl::Status Forgotten(const GcsName& name, std::int64_t there,
                       std::int64_t size) {
  return absl::UnavailableError(absl::StrCat(
      Doing(name),
      ": the store answers 404 to the upload that it began, after ", there,
      " of ", size, " bytes"));
}

absl::StatusOr<GcsObject> UploadInPieces(GcsClient& client, const GcsName& name,
                                         const Content& content,
                                         std::int64_t expected) {
  const std::int64_t size = content.size();
  PODSIM_ASSIGN_OR_RETURN(const std::string session,
                          BeginSession(client, name, content, expected));
  GcsHeadway headway(client, Doing(name));
  for (std::int64_t there = 0;;) {
    const std::string far = absl::StrCat("byte ", there, " of ", size);
    PODSIM_RETURN_IF_ERROR(headway.At(there, "it has come to " + far));
    absl::StatusOr<GcsAnswer> answer =
        SendPiece(client, name, session, content.bytes.substr(there, kPiece),
                  there, size);
    if (!answer.ok())  // how far did it come?
      answer = SendPiece(client, name, session, "", 0, size);
    PODSIM_RETURN_IF_ERROR(answer.status());
    if (answer->status() == 404) return Forgotten(name, there, size);
    if (answer->status() != 308) return Written(client, name, *answer, content);
    const std::int64_t now = BytesThere(answer->http);
    if (now < there || now > size)
      return absl::DataLossError(absl::StrCat(Doing(name), ": the store has ",
                                              now, " of ", size, " bytes, ",
                                              there, " before"));
    if (now >= std::min(there + kGrain, size)) {
      headway.CameOn();
    } else {
      PODSIM_RETURN_IF_ERROR(
          headway.Stuck("nothing arrived after " + far, kMostIdle));
    }
    there = now;
  }
}

}  // namespace

absl::StatusOr<GcsObject> UploadGcs(GcsClient& client, const GcsName& name,
                                    std::string_view bytes,
                                    std::int64_t expected) {
  const Content content = {.bytes = bytes, .crc = Crc32cOf(bytes)};
  GcsObject written;
  PODSIM_RETURN_IF_ERROR(
      ChangeGcs(client, name, Doing(name), expected, [&]() -> absl::Status {
        PODSIM_ASSIGN_OR_RETURN(
            written, content.size() <= kUploadAtOnce
                         ? UploadAtOnce(client, name, content, expected)
                         : UploadInPieces(client, name, content, expected));
        return absl::OkStatus();
      }));
  return written;
}

}  // namespace podsim
