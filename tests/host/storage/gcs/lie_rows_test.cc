// The tables of lies: for reads, metadata, listings, writes, uploads in pieces,
// deletions and copies, what comes of a store that says something that is not
// so (status, length, sum, generation, page token, upload offset, redirect,
// drip, HTML). CheckLie says what is asked of each row.
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "host/storage/gcs/answers.h"
#include "host/storage/gcs/objects.h"
#include "nlohmann/json.hpp"
#include "tests/host/storage/gcs/lie_table.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using Json = nlohmann::json;

constexpr char kA[] = "gs://bucket/run/a";
constexpr char kLarge[] = "gs://bucket/run/large";
constexpr char kRun[] = "gs://bucket/run";
// Four attempts of what is damaged; those of two minutes.
constexpr int kFew = 4;
constexpr int kMany = 24;

// What a captive portal or a proxy says, whatever is asked, and what a store
// never does.
std::vector<LieRow> OfStrangers() {
  const std::string page = "\n<!-- login --><!DOCTYPE html><html>Hi</html>";
  std::vector<LieRow> rows;
  for (const int status : {200, 404, 412})
    rows.push_back(
        {.name = absl::StrCat("HTML, ", status),
         .lie = Always({.status = status, .body = page}),
         .answer = absl::StrCat("answered with HTML (status ", status,
                                ") by http://127.0.0.1:1; "
                                "is a proxy in between")});
  for (const int status : {301, 302, 307, 308})
    rows.push_back(
        {.name = absl::StrCat("redirect, ", status),
         .lie = Always({.status = status,
                        .headers = {{"location", "http://elsewhere/o?t=1"}}}),
         .answer = absl::StrCat("answered with a redirect (status ", status,
                                ") to http://elsewhere by")});
  rows.push_back(
      {.name = "redirect to itself",
       .lie =
           [](const HttpRequest& request, const Honest&) {
             return HttpResponse{.status = 302,
                                 .headers = {{"location", request.url}}};
           },
       .answer = "a redirect (status 302) to http://127.0.0.1:1 by"});
  rows.push_back({.name = "drip",
                  .lie = [](const HttpRequest&,
                            const Honest&) -> absl::StatusOr<HttpResponse> {
                    return absl::UnavailableError(
                        "fewer than 16384 bytes a second");
                  },
                  .answer = "fewer than 16384 bytes a second"});
  return rows;
}

LieRow OfStatus(int status) {
  return {.name = absl::StrCat("status ", status),
          .lie = Always({.status = status}),
          .answer = absl::StrCat("an answer ", status,
                                 ", which is none to this (attempt 4, ")};
}

std::vector<LieRow> With(std::vector<LieRow> a, std::vector<LieRow> b) {
  a.insert(a.end(), std::make_move_iterator(b.begin()),
           std::make_move_iterator(b.end()));
  return a;
}

// Each row with this act, where it has none of its own; `before`: requests that
// it makes besides, which are answered.
struct Act {
  bool (*lied_to)(const HttpRequest&);
  std::string object;
  std::function<absl::Status(ObjectStore&)> act;
  int before = 0;
};
void CheckAll(const Act& act, std::vector<LieRow> rows) {
  for (LieRow& row : rows) {
    if (row.lied_to == nullptr) row.lied_to = act.lied_to;
    if (row.object.empty()) row.object = act.object;
    if (row.act == nullptr) row.act = act.act;
    row.most_requests += act.before;
    CheckLie(row);
    if (::testing::Test::HasFailure()) return;
  }
}

// The rows of those who are not the store take as long as a call may, once the
// store has answered.
std::vector<LieRow> Long(std::vector<LieRow> rows) {
  for (LieRow& row : rows) row.most_requests = kMany;
  return rows;
}

Lie WithHeader(const std::string& name, const std::string& value) {
  return Changed([=](HttpResponse& answer) { answer.headers[name] = value; });
}

TEST(GcsLieRows, OfReads) {
  const std::vector<LieRow> rows = {
      OfStatus(204),
      OfStatus(304),
      OfStatus(412),
      {.name = "404, though it is there",
       .lie = Always({.status = 404, .body = "Not Found"}),
       .answer = "the store has it and answers 404, 3 times",
       .most_requests = 6},
      {.name = "416, though it is not empty",
       .lie = Always({.status = 416}),
       .answer = "the store has it and answers 416, 3 times",
       .most_requests = 6},
      {.name = "an empty whole",
       .lie = Always({.status = 200}),
       .answer = "3 times 0 bytes came, and the store has 5",
       .most_requests = 6},
      {.name = "half of it",
       .lie = Changed([](HttpResponse& answer) { answer.body.resize(2); }),
       .answer = "2 bytes came instead of 5"},
      {.name = "more than there is",
       .lie = Changed([](HttpResponse& answer) { answer.body += "more"; }),
       .answer = "9 bytes came instead of 5"},
      {.name = "a larger whole",
       .lie = WithHeader("content-range", "bytes 0-8/9"),
       .answer = "5 bytes came instead of 9"},
      {.name = "another range",
       .lie = WithHeader("content-range", "bytes 3-7/8"),
       .answer = "another range came than from byte 0 on"},
      {.name = "sum",
       .lie = WithHeader("x-goog-hash", "crc32c=AAAAAA=="),
       .answer = "and the store said AAAAAA=="},
      {.name = "an endless answer",
       .lie = Always({.status = 200, .body = std::string(9 << 20, 'x')}),
       .answer = "an answer of more than 8388608 bytes",
       .most_requests = 1},
  };
  CheckAll({.lied_to = &IsMedia,
            .object = kA,
            .act = [](ObjectStore& store) { return store.Read(kA).status(); }},
           With(rows, OfStrangers()));
}

TEST(GcsLieRows, OfReadsOfLargeObjects) {
  const auto of_ranges = [](const HttpRequest& request) {
    return IsMedia(request) &&
           request.url.find("&generation=") != std::string::npos;
  };
  const std::vector<LieRow> rows = {
      {.name = "generation",
       .lied_to = of_ranges,
       .lie = WithHeader("x-goog-generation", "17"),
       .answer = "generation 17 came instead of 17000"},
      {.name = "size of a range",
       .lied_to = of_ranges,
       .lie = WithHeader("content-range", "bytes 8388608-9437183/9437190"),
       .answer = "3 times the store said another size than its 9437184 bytes",
       .most_requests = 12},
      {.name = "sum of the whole",
       .lie = WithHeader("x-goog-hash", "crc32c=AAAAAA=="),
       .answer = "3 times its CRC32C was ",
       .most_requests = 12},
      {.name = "a range is missing",
       .lied_to = of_ranges,
       .lie = Always({.status = 404, .body = "Not Found"}),
       .answer = "the store has it and answers 404",
       .most_requests = 7},
  };
  CheckAll(
      {.lied_to = &IsMedia,
       .object = kLarge,
       .act = [](ObjectStore& store) { return store.Read(kLarge).status(); },
       .before = 1},
      rows);
}

TEST(GcsLieRows, OfMetadata) {
  const auto field = [](const char* name, Json value) {
    return ChangedJson([=](Json& json) { json[name] = value; });
  };
  const std::vector<LieRow> rows = {
      OfStatus(204),
      OfStatus(304),
      OfStatus(412),
      {.name = "404, of whoever",
       .lie = Always({.status = 404}),
       .answer = "the store lists it and answers 404"},
      {.name = "nothing", .lie = Always({.status = 200}), .answer = "no JSON"},
      {.name = "another object",
       .lie = field("name", "run/b"),
       .answer = "an answer about run/b"},
      {.name = "size",
       .lie = field("size", "-5"),
       .answer = "whose size is missing or wrong"},
      {.name = "generation",
       .lie = field("generation", "0"),
       .answer = "whose generation is missing or wrong"},
      {.name = "sum",
       .lie = field("crc32c", "no sum"),
       .answer = "whose crc32c is missing or wrong"},
  };
  CheckAll({.lied_to = &IsMetadata,
            .object = kA,
            .act = [](ObjectStore& store) { return store.Stat(kA).status(); }},
           With(rows, OfStrangers()));
}

// Pages that have one name each, the next one after the last.
Lie EndlessPages(std::string name_of_all) {
  int page = 0;
  return [page, name_of_all](const HttpRequest&, const Honest&) mutable {
    Json json = {{"nextPageToken", absl::StrCat(++page)}};
    const std::string name = absl::StrCat(
        "run/",
        name_of_all.empty() ? absl::StrCat(1'000'000 + page) : name_of_all);
    json["items"] = {{{"name", name}, {"size", "1"}, {"generation", "1"}}};
    return HttpResponse{.status = 200, .body = json.dump()};
  };
}

TEST(GcsLieRows, OfListings) {
  int page = 0;
  const std::vector<LieRow> rows = {
      OfStatus(204),
      OfStatus(304),
      OfStatus(412),
      {.name = "404, of whoever",
       .lie = Always({.status = 404}),
       .answer = "is there a bucket bucket, and"},
      {.name = "the token it was asked with",
       .lie = ChangedJson([](Json& json) { json["nextPageToken"] = "run/b"; }),
       .answer = "page 2 names itself as the next",
       .most_requests = 2},
      {.name = "ever new tokens, no names",
       .lie =
           [&](const HttpRequest&, const Honest&) {
             return HttpResponse{.status = 200,
                                 .body = absl::StrCat(R"({"nextPageToken":")",
                                                      ++page, R"("})")};
           },
       .answer = "16 pages in a row have no name, and each another next",
       .most_requests = 16},
      {.name = "ever new tokens, the same name",
       .lie = EndlessPages("a"),
       .answer = "the name run/a, which does not follow",
       .most_requests = 1 + kFew},
      {.name = "ever new tokens, ever new names",
       .lie = EndlessPages(""),
       .answer = "page 10000 is not the last",
       .most_requests = 10'000},
      {.name = "a token that is none",
       .lie = ChangedJson([](Json& json) { json["nextPageToken"] = 7; }),
       .answer = "whose nextPageToken is missing or wrong"},
      {.name = "names of others",
       .lie = ChangedJson([](Json& json) {
         for (Json& item : json["items"]) item["name"] = "precious/a";
       }),
       .answer = "the name precious/a, which was not asked for"},
      {.name = "a name longer than any",
       .lie = ChangedJson([](Json& json) {
         json["items"][0]["name"] = "run/" + std::string(2000, 'x');
       }),
       .answer = "is longer than any can be"},
      {.name = "size",
       .lie = ChangedJson([](Json& json) { json["items"][0]["size"] = "x"; }),
       .answer = "whose size is missing or wrong"},
  };
  CheckAll(
      {.lied_to = &IsListing,
       .object = kRun,
       .act = [](ObjectStore& store) { return store.List(kRun).status(); }},
      With(rows, OfStrangers()));
}

TEST(GcsLieRows, OfWrites) {
  const auto field = [](const char* name, Json value) {
    return ChangedJson([=](Json& json) { json[name] = value; });
  };
  const auto always_sum = [](const HttpRequest& request) {
    return IsUpload(request) || IsMetadata(request);
  };
  const std::vector<LieRow> rows = {
      OfStatus(204),
      OfStatus(304),
      OfStatus(308),
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
  CheckAll({.lied_to = &IsUpload,
            .object = kA,
            .act = [](ObjectStore& store) { return store.Write(kA, "new"); },
            .before = 1},
           With(rows, Long(OfStrangers())));
}

TEST(GcsLieRows, OfUploadsInPieces) {
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
      OfStatus(204),
  };
  CheckAll({.lied_to = &IsPiece,
            .object = kA,
            .act =
                [](ObjectStore& store) {
                  return store.Write(kA, std::string(3 * kUploadAtOnce, 'y'));
                },
            .before = 3},
           With(rows, Long(OfStrangers())));
}

TEST(GcsLieRows, OfDeletions) {
  const std::vector<LieRow> rows = {
      OfStatus(304),
      {.name = "412, of the generation that is there",
       .lie = Always({.status = 412}),
       .answer = "3 times the store answered 412",
       .most_requests = 6},
      {.name = "404, of whoever",
       .lie = Always({.status = 404}),
       .answer = "the store lists it and answers 404"},
  };
  CheckAll({.lied_to = &IsDelete,
            .object = kA,
            .act = [](ObjectStore& store) { return store.Delete(kA); },
            .before = 1},
           With(rows, Long(OfStrangers())));
}

TEST(GcsLieRows, OfDeletionsOfTrees) {
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
       .lie = ChangedJson([](Json& json) {
         for (Json& item : json["items"]) item["name"] = "precious/a";
       }),
       .answer = "the name precious/a, which was not asked for"},
  };
  CheckAll({.lied_to = &IsDelete,
            .object = kRun,
            .act = [](ObjectStore& store) { return store.DeleteTree(kRun); }},
           With(rows, Long(OfStrangers())));
}

TEST(GcsLieRows, OfCopies) {
  const std::vector<LieRow> rows = {
      OfStatus(204),
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
  CheckAll({.lied_to = &IsCopy,
            .object = kA,
            .act =
                [](ObjectStore& store) {
                  return store.Conditional(kA)->CopyIf(kA, "gs://bucket/run/d",
                                                       0);
                }},
           With(rows, Long(OfStrangers())));
}

}  // namespace
}  // namespace podsim::testing
