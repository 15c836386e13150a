#include "tests/testing/gcs/gcs_double.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/hash.h"
#include "host/storage/gcs/answers.h"
#include "host/storage/gcs/objects.h"

namespace podsim::testing {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kQuantum = std::int64_t{256} << 10;

HttpResponse Answer(int status, const Json& json) {
  return {.status = status,
          .headers = {{"content-type", "application/json"}},
          .body = json.dump()};
}

HttpResponse Error(int status, const std::string& message,
                   const std::string& reason) {
  return Answer(status,
                {{"error",
                  {{"code", status},
                   {"message", message},
                   {"errors", {{{"reason", reason}, {"message", message}}}}}}});
}

HttpResponse NotFound() { return Error(404, "Not Found", "notFound"); }
HttpResponse ConditionNotMet() {
  return Error(412, "At least one of the pre-conditions did not hold.",
               "conditionNotMet");
}

bool Holds(const std::string& condition, std::int64_t generation) {
  return condition.empty() || condition == absl::StrCat(generation);
}

}  // namespace

void GcsDouble::MakeBucket(const std::string& bucket,
                           const std::string& location) {
  MutexLock lock(mutex_);
  buckets_[bucket].location = location;
}

std::optional<std::string> GcsDouble::Bytes(const std::string& bucket,
                                            const std::string& object) {
  MutexLock lock(mutex_);
  const auto found = buckets_[bucket].objects.find(object);
  if (found == buckets_[bucket].objects.end()) return std::nullopt;
  return found->second.bytes;
}

void GcsDouble::Put(const std::string& bucket, const std::string& object,
                    std::string bytes) {
  MutexLock lock(mutex_);
  Store(bucket, object, "", "", std::nullopt, std::move(bytes));
}

std::vector<std::string> GcsDouble::Names(const std::string& bucket) {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, object] : buckets_[bucket].objects)
    names.push_back(name);
  return names;
}

void GcsDouble::StopListings(bool stopped) {
  MutexLock lock(mutex_);
  for (auto& [name, bucket] : buckets_) {
    bucket.listed.reset();
    if (stopped) bucket.listed = bucket.objects;
  }
}

void GcsDouble::RefuseDeletions() {
  MutexLock lock(mutex_);
  refuses_deletions_ = true;
}

std::vector<Asked> GcsDouble::TakeAsked() {
  MutexLock lock(mutex_);
  std::vector<Asked> asked;
  if (log_) asked.swap(*log_);
  log_.emplace();
  return asked;
}

void GcsDouble::set_token(const std::string& token) {
  MutexLock lock(mutex_);
  options_.token = token;
}

HttpResponse GcsDouble::Handle(const HttpRequest& request) {
  const ApiCall call(request);
  MutexLock lock(mutex_);
  if (log_) log_->push_back(WhatIsAsked(call));
  if (!options_.token.empty() &&
      call.Header("authorization") != "Bearer " + options_.token)
    return Error(401, "Invalid Credentials", "authError");
  return Route(call);
}

// /storage/v1/b/B[/o[/O]], the same after /download and /upload.
HttpResponse GcsDouble::Route(const ApiCall& call) {
  std::size_t at = 0;
  const std::vector<std::string>& path = call.path;
  const bool upload = !path.empty() && path[0] == "upload";
  if (upload || (!path.empty() && path[0] == "download")) at = 1;
  if (path.size() < at + 4 || path[at] != "storage" || path[at + 2] != "b")
    return NotFound();
  if (upload && call.request.method == "PUT") {
    const auto session = sessions_.find(call.Query("upload_id"));
    return session == sessions_.end() ? NotFound()
                                      : Piece(call, session->second);
  }
  const auto bucket = buckets_.find(path[at + 3]);
  if (bucket == buckets_.end()) return NotFound();
  if (path.size() == at + 4)
    return Answer(200, {{"kind", "storage#bucket"},
                        {"name", bucket->first},
                        {"id", bucket->first},
                        {"location", bucket->second.location}});
  if (upload) return Upload(call, bucket->second);
  if (path.size() == at + 5) return List(call, bucket->second);
  if (path.size() == at + 11) return Rewrite(call, bucket->second);
  return OnObject(call, bucket->second);
}

HttpResponse GcsDouble::OnObject(const ApiCall& call, Bucket& bucket) {
  const std::string& name = call.path.back();
  const auto found = bucket.objects.find(name);
  if (found == bucket.objects.end()) return NotFound();
  const Object& object = found->second;
  if (!Holds(call.Query("ifGenerationMatch"), object.generation))
    return ConditionNotMet();
  if (!Holds(call.Query("generation"), object.generation)) return NotFound();
  if (call.request.method == "DELETE") {
    if (refuses_deletions_)
      return Error(403, "storage.objects.delete access is denied", "forbidden");
    bucket.objects.erase(found);
    return {.status = 204};
  }
  if (call.request.method != "GET")
    return Error(405, "Method Not Allowed", "methodNotAllowed");
  if (call.Query("alt") == "media") return Media(call, object);
  const std::string& bucket_name = call.path[call.path.size() - 3];
  return Answer(200, Resource(bucket_name, name, object));
}

// .../o/FROM/rewriteTo/b/BUCKET/o/TO
HttpResponse GcsDouble::Rewrite(const ApiCall& call, Bucket& bucket) {
  const std::size_t size = call.path.size();
  const auto found = bucket.objects.find(call.path[size - 6]);
  if (found == bucket.objects.end() || buckets_.count(call.path[size - 3]) == 0)
    return NotFound();
  HttpResponse stored =
      Store(call.path[size - 3], call.path[size - 1], found->second.type,
            call.Query("ifGenerationMatch"), std::nullopt, found->second.bytes);
  if (stored.status != 200) return stored;
  return Answer(200, {{"kind", "storage#rewriteResponse"},
                      {"done", true},
                      {"resource", Json::parse(stored.body)}});
}

HttpResponse GcsDouble::Media(const ApiCall& call, const Object& object) {
  const auto size = static_cast<std::int64_t>(object.bytes.size());
  HttpResponse answer{
      .status = 200,
      .headers = {
          {"content-type", "application/octet-stream"},
          {"x-goog-generation", absl::StrCat(object.generation)},
          {"x-goog-hash", "crc32c=" + Crc32cText(Crc32cOf(object.bytes))}}};
  const std::string range = call.Header("range");
  if (range.empty()) {
    answer.body = object.bytes;
    return answer;
  }
  const std::vector<std::string> ends =
      absl::StrSplit(range.substr(range.find('=') + 1), '-');
  std::int64_t first = 0;
  std::int64_t last = size - 1;
  if (!absl::SimpleAtoi(ends.at(0), &first) || first >= size) {
    answer.status = 416;
    answer.headers["content-range"] = absl::StrCat("bytes */", size);
    return answer;
  }
  if (!ends.at(1).empty() && absl::SimpleAtoi(ends.at(1), &last))
    last = std::min(last, size - 1);
  answer.status = 206;
  answer.headers["content-range"] =
      absl::StrCat("bytes ", first, "-", last, "/", size);
  answer.body = object.bytes.substr(first, last - first + 1);
  return answer;
}

HttpResponse GcsDouble::List(const ApiCall& call, const Bucket& bucket) {
  const std::string prefix = call.Query("prefix");
  const std::string delimiter = call.Query("delimiter");
  int most = options_.page;
  int asked = 0;
  if (absl::SimpleAtoi(call.Query("maxResults"), &asked))
    most = std::min(most, asked);
  const std::string& bucket_name = call.path[call.path.size() - 2];
  const Objects& objects = bucket.listed ? *bucket.listed : bucket.objects;
  Json items = Json::array();
  Json prefixes = Json::array();
  Json page = {{"kind", "storage#objects"}};
  std::string last = call.Query("pageToken");
  for (const auto& [name, object] : objects) {
    if (name.rfind(prefix, 0) != 0) continue;
    std::string shown = name;
    const std::size_t end = delimiter.empty()
                                ? std::string::npos
                                : name.find(delimiter, prefix.size());
    if (end != std::string::npos) shown = name.substr(0, end + 1);
    // A page's token is the last name it showed.
    if (!last.empty() && (shown <= last)) continue;
    if (static_cast<int>(items.size() + prefixes.size()) == most) {
      page["nextPageToken"] = last;
      break;
    }
    if (end != std::string::npos) {
      prefixes.push_back(shown);
    } else {
      items.push_back(Resource(bucket_name, name, object));
    }
    last = shown;
  }
  if (!items.empty()) page["items"] = items;
  if (!prefixes.empty()) page["prefixes"] = prefixes;
  return Answer(200, page);
}

HttpResponse GcsDouble::Upload(const ApiCall& call, Bucket& bucket) {
  const std::string type = call.Query("uploadType");
  if (type == "multipart") return Multipart(call, bucket);
  const std::string& bucket_name = call.path[call.path.size() - 2];
  if (type == "media")
    return Store(bucket_name, call.Query("name"), call.Header("content-type"),
                 call.Query("ifGenerationMatch"), std::nullopt,
                 std::string(call.request.body));
  const Json metadata =
      Json::parse(call.request.body.empty() ? "{}" : call.request.body);
  Session session{.bucket = bucket_name,
                  .object = metadata.value("name", call.Query("name")),
                  .type = metadata.value("contentType", ""),
                  .condition = call.Query("ifGenerationMatch")};
  if (metadata.contains("crc32c")) session.crc32c = metadata["crc32c"];
  const std::string id = absl::StrCat("session", sessions_.size() + 1);
  sessions_[id] = session;
  HttpResponse answer = Answer(200, Json::object());
  answer.headers["location"] =
      absl::StrCat(options_.endpoint, "/upload/storage/v1/b/", session.bucket,
                   "/o?uploadType=resumable&upload_id=", id);
  return answer;
}

// Two parts: what the object is, and its bytes.
HttpResponse GcsDouble::Multipart(const ApiCall& call, Bucket&) {
  const std::string type = call.Header("content-type");
  std::string boundary = type.substr(type.find("boundary=") + 9);
  boundary.erase(std::remove(boundary.begin(), boundary.end(), '"'),
                 boundary.end());
  boundary = "--" + boundary.substr(0, boundary.find(';'));
  const std::string_view body = call.request.body;
  const std::size_t first = body.find("\r\n\r\n");
  const std::size_t middle = body.find("\r\n" + boundary, first);
  const std::size_t second = body.find("\r\n\r\n", middle);
  const std::size_t end = body.rfind("\r\n" + boundary + "--");
  if (end == std::string_view::npos || second == std::string_view::npos ||
      end < second + 4)
    return Error(400, "Bad multipart body", "badRequest");
  const Json metadata =
      Json::parse(body.substr(first + 4, middle - first - 4), nullptr, false);
  if (!metadata.is_object()) return Error(400, "Bad metadata", "badRequest");
  std::optional<std::string> crc;
  if (metadata.contains("crc32c")) crc = metadata["crc32c"];
  return Store(call.path[call.path.size() - 2],
               metadata.value("name", call.Query("name")),
               metadata.value("contentType", ""),
               call.Query("ifGenerationMatch"), crc,
               std::string(body.substr(second + 4, end - second - 4)));
}

HttpResponse GcsDouble::Piece(const ApiCall& call, Session& session) {
  const auto have = [&] {
    HttpResponse more{.status = 308};
    if (!session.bytes.empty())
      more.headers["range"] =
          absl::StrCat("bytes=0-", session.bytes.size() - 1);
    return more;
  };
  if (session.done) {
    const auto& objects = buckets_[session.bucket].objects;
    const auto found = objects.find(session.object);
    return found == objects.end()
               ? NotFound()
               : Answer(200, Resource(session.bucket, session.object,
                                      found->second));
  }
  std::string range = call.Header("content-range");  // "bytes 0-9/20"
  const std::size_t slash = range.find('/');
  std::int64_t total = -1;
  if (slash == std::string::npos) {
    total = static_cast<std::int64_t>(call.request.body.size());
    session.bytes.clear();
  } else if (range.substr(slash + 1) != "*" &&
             !absl::SimpleAtoi(range.substr(slash + 1), &total)) {
    return Error(400, "Bad Content-Range", "badRequest");
  }
  if (slash != std::string::npos && range.rfind("bytes */", 0) == 0 &&
      static_cast<std::int64_t>(session.bytes.size()) != total)
    return have();
  std::int64_t begin = 0;
  if (slash != std::string::npos && range.rfind("bytes */", 0) != 0 &&
      (!absl::SimpleAtoi(range.substr(6, range.find('-') - 6), &begin) ||
       begin > static_cast<std::int64_t>(session.bytes.size())))
    return Error(400, "A piece beyond what is there", "badRequest");
  const auto length = static_cast<std::int64_t>(call.request.body.size());
  const bool last = begin + length == total;
  std::int64_t taken = std::min(length, options_.most_of_a_piece);
  if (!last || taken < length) taken -= taken % kQuantum;
  if (begin + taken > static_cast<std::int64_t>(session.bytes.size())) {
    session.bytes.resize(begin);
    session.bytes += call.request.body.substr(0, taken);
  }
  if (static_cast<std::int64_t>(session.bytes.size()) != total) return have();
  HttpResponse answer = Store(session.bucket, session.object, session.type,
                              session.condition, session.crc32c, session.bytes);
  session.done = answer.status == 200;
  return answer;
}

HttpResponse GcsDouble::Store(const std::string& bucket,
                              const std::string& object,
                              const std::string& type,
                              const std::string& condition,
                              const std::optional<std::string>& crc32c,
                              std::string bytes) {
  Objects& objects = buckets_[bucket].objects;
  const auto found = objects.find(object);
  if (!Holds(condition, found == objects.end() ? 0 : found->second.generation))
    return ConditionNotMet();
  if (crc32c && *crc32c != Crc32cText(Crc32cOf(bytes)))
    return Error(400, "Provided CRC32C does not match", "invalid");
  Object& written = objects[object];
  written = {.bytes = std::move(bytes),
             .generation = ++generation_,
             .type = type.empty() ? "application/octet-stream" : type};
  return Answer(200, Resource(bucket, object, written));
}

Json GcsDouble::Resource(const std::string& bucket, const std::string& name,
                         const Object& object) const {
  return {{"kind", "storage#object"},
          {"id", absl::StrCat(bucket, "/", name, "/", object.generation)},
          {"name", name},
          {"bucket", bucket},
          {"generation", absl::StrCat(object.generation)},
          {"metageneration", "1"},
          {"contentType", object.type},
          {"size", absl::StrCat(object.bytes.size())},
          {"crc32c", Crc32cText(Crc32cOf(object.bytes))}};
}

}  // namespace podsim::testing
