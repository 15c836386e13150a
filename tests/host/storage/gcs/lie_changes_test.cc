// The tables of lies to writes, uploads in pieces, deletions and copies: what
// comes of a store that says something that is not so (status, sum, size,
// generation, upload offset, redirect, drip, HTML). CheckLie says what is asked
// of each row.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "host/storage/gcs/answers.h"
#include "host/storage/gcs/objects.h"
#include "nlohmann/json.hpp"
#include "tests/host/storage/gcs/lie_table.h"

namespace podsim::testing {
namespace {

TEST(GcsLieChanges, OfWrites) {
  const auto field = [](const char* name, nlohmann::json value) {
    return ChangedJson([=](nlohmann::json& json) { json[name] = value; });
  };
  const auto always_sum = [](const HttpRequest& request) {
    return IsUpload(request) || IsMetadata(request);
  };
  const std::vector<LieRow> rows = {
      LieOfStatus(204),
      LieOfStatus(304),
      LieOfStatus(308),
      {.name = "412, of the generation that is there",
       .lie = Always({.status = 412}),
       .answer = "3 times the store answered 412",
       .most_requests = 6},
      {.name = "404, of whoever",
       .lie = Always({.status = 404}),
       .answer = "is there a bucket bucket, and"},
      {.name = "sum", .lie = field("crc32c", "AAAAAA=="), .most_requests = 2},
      {.name = "size", .lie = field("size", "7"), .most_requests = 2},
      {.name = "sum, when asked again, too",
       .lied_to = always_sum,
       .lie = field("crc32c", "AAAAAA=="),
       .answer = absl::StrCat(
           "the store answers that it has 3 bytes, CRC32C AAAAAA==, and when "
           "asked again 3 bytes, CRC32C AAAAAA==; 3 bytes, CRC32C ",
           Crc32cText(Crc32cOf("new")), " were sent"),
       .most_requests = 2},
      {.name = "another object",
       .lie =
           [](const HttpRequest&, const Honest&) {
             return HttpResponse{
                 .status = 200,
                 .body = R"({"name":"run/b","size":"3","generation":"7"})"};
           },
       .answer = "an answer about run/b"},
      {.name = "generation",
       .lie =
           [](const HttpRequest&, const Honest&) {
             return HttpResponse{
                 .status = 200,
                 .body = R"({"name":"run/a","size":"3","generation":"0"})"};
           },
       .answer = "whose generation is missing or wrong"},
  };
  CheckLies(
      {.lied_to = &IsUpload,
       .object = kLieObject,
       .act = [](ObjectStore& store) { return store.Write(kLieObject, "new"); },
       .before = 1},
      Joined(rows, ForLong(LiesOfStrangers())));
}

TEST(GcsLieChanges, OfUploadsInPieces) {
  const auto begins = [](const HttpRequest& request) {
    return IsUpload(request) && request.method == "POST";
  };
  const auto has = [](std::int64_t bytes) {
    return Always(
        {.status = 308,
         .headers = {{"range", absl::StrCat("bytes=0-", bytes - 1)}}});
  };
  const std::vector<LieRow> rows = {
      {.name = "it begins elsewhere",
       .lied_to = begins,
       .lie = Always({.status = 200,
                      .headers = {{"location", "https://elsewhere/upload"}}}),
       .answer = "session is not at http://127.0.0.1:1"},
      {.name = "more than was sent",
       .lie = has(std::int64_t{1} << 40),
       .answer = "the store has 1099511627776 of 25165824 bytes"},
      {.name = "it does not come on",
       .lie = Always({.status = 308}),
       .answer = "8 times nothing arrived after byte 0 of 25165824",
       .most_requests = 8},
      {.name = "it stands still",
       .lie = has(kUploadAtOnce),
       .answer = "8 times nothing arrived after byte 8388608 of 25165824",
       .most_requests = 10},
      {.name = "it is forgotten",
       .lie = Always({.status = 404}),
       .answer = "answers 404 to the upload that it began"},
      {.name = "412 at its end",
       .lie = Always({.status = 412}),
       .answer = "3 times the store answered 412",
       .most_requests = 9},
      LieOfStatus(204),
  };
  CheckLies({.lied_to = &IsPiece,
             .object = kLieObject,
             .act =
                 [](ObjectStore& store) {
                   return store.Write(kLieObject,
                                      std::string(3 * kUploadAtOnce, 'y'));
                 },
             .before = 3},
            Joined(rows, ForLong(LiesOfStrangers())));
}

TEST(GcsLieChanges, OfDeletions) {
  const std::vector<LieRow> rows = {
      LieOfStatus(304),
      {.name = "412, of the generation that is there",
       .lie = Always({.status = 412}),
       .answer = "3 times the store answered 412",
       .most_requests = 6},
      {.name = "404, of whoever",
       .lie = Always({.status = 404}),
       .answer = "the store lists it and answers 404"},
  };
  CheckLies({.lied_to = &IsDelete,
             .object = kLieObject,
             .act = [](ObjectStore& store) { return store.Delete(kLieObject); },
             .before = 1},
            Joined(rows, ForLong(LiesOfStrangers())));
}

TEST(GcsLieChanges, OfDeletionsOfTrees) {
  const std::vector<LieRow> rows = {
      {.name = "done, and it is not",
       .lie = Always({.status = 204}),
       .answer = "the store listed what it does not delete, or has deleted",
       .most_requests = 27},
      {.name = "412",
       .lie = Always({.status = 412}),
       .answer = "3 times the store answered 412",
       .most_requests = 7},
      {.name = "a listing of others",
       .lied_to = &IsListing,
       .lie = ChangedJson([](nlohmann::json& json) {
         for (nlohmann::json& item : json["items"]) item["name"] = "precious/a";
       }),
       .answer = "the name precious/a, which was not asked for"},
  };
  CheckLies(
      {.lied_to = &IsDelete,
       .object = kLieFolder,
       .act = [](ObjectStore& store) { return store.DeleteTree(kLieFolder); }},
      Joined(rows, ForLong(LiesOfStrangers())));
}

TEST(GcsLieChanges, OfCopies) {
  const std::vector<LieRow> rows = {
      LieOfStatus(204),
      {.name = "412, and there is none",
       .lie = Always({.status = 412}),
       .answer = "3 times the store answered 412",
       .most_requests = 6},
      {.name = "404, of whoever",
       .lie = Always({.status = 404}),
       .answer = "the store lists it and answers 404"},
      {.name = "never done",
       .lie = Always(
           {.status = 200, .body = R"({"done": false, "rewriteToken": "x"})"}),
       .answer = "8 times it came no further than 0 bytes",
       .most_requests = 8},
      {.name = "done, or not",
       .lie = Always({.status = 200, .body = "{}"}),
       .answer = "whose done is missing or wrong"},
  };
  CheckLies({.lied_to = &IsCopy,
             .object = kLieObject,
             .act =
                 [](ObjectStore& store) {
                   return store.Conditional(kLieObject)
                       ->CopyIf(kLieObject, "gs://bucket/run/d", 0);
                 }},
            Joined(rows, ForLong(LiesOfStrangers())));
}

}  // namespace
}  // namespace podsim::testing
