// The tables of lies to reads, looks at metadata and listings: what comes of a
// store that says something that is not so (status, length, sum, generation,
// page token, redirect, drip, HTML). CheckLie says what is asked of each row.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/host/storage/gcs/lie_table.h"

namespace podsim::testing {
namespace {

using Json = nlohmann::json;

TEST(GcsLieRows, OfReads) {
  const std::vector<LieRow> rows = {
      LieOfStatus(204),
      LieOfStatus(304),
      LieOfStatus(412),
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
       .lie = HeaderLie("content-range", "bytes 0-8/9"),
       .answer = "5 bytes came instead of 9"},
      {.name = "another range",
       .lie = HeaderLie("content-range", "bytes 3-7/8"),
       .answer = "another range came than from byte 0 on"},
      {.name = "sum",
       .lie = HeaderLie("x-goog-hash", "crc32c=AAAAAA=="),
       .answer = "and the store said AAAAAA=="},
      {.name = "an endless answer",
       .lie = Always({.status = 200, .body = std::string(9 << 20, 'x')}),
       .answer = "an answer of more than 8388608 bytes",
       .most_requests = 1},
  };
  CheckLies(
      {.lied_to = &IsMedia,
       .object = kLieObject,
       .act =
           [](ObjectStore& store) { return store.Read(kLieObject).status(); }},
      Joined(rows, LiesOfStrangers()));
}

TEST(GcsLieRows, OfReadsOfLargeObjects) {
  const auto of_ranges = [](const HttpRequest& request) {
    return IsMedia(request) &&
           request.url.find("&generation=") != std::string::npos;
  };
  const std::vector<LieRow> rows = {
      {.name = "generation",
       .lied_to = of_ranges,
       .lie = HeaderLie("x-goog-generation", "17"),
       .answer = "generation 17 came instead of 17000"},
      {.name = "size of a range",
       .lied_to = of_ranges,
       .lie = HeaderLie("content-range", "bytes 8388608-9437183/9437190"),
       .answer = "3 times the store said another size than its 9437184 bytes",
       .most_requests = 12},
      {.name = "sum of the whole",
       .lie = HeaderLie("x-goog-hash", "crc32c=AAAAAA=="),
       .answer = "3 times its CRC32C was ",
       .most_requests = 12},
      {.name = "a range is missing",
       .lied_to = of_ranges,
       .lie = Always({.status = 404, .body = "Not Found"}),
       .answer = "the store has it and answers 404",
       .most_requests = 7},
  };
  CheckLies(
      {.lied_to = &IsMedia,
       .object = kLieLarge,
       .act = [](ObjectStore& store) { return store.Read(kLieLarge).status(); },
       .before = 1},
      rows);
}

TEST(GcsLieRows, OfMetadata) {
  const auto field = [](const char* name, Json value) {
    return ChangedJson([=](Json& json) { json[name] = value; });
  };
  const std::vector<LieRow> rows = {
      LieOfStatus(204),
      LieOfStatus(304),
      LieOfStatus(412),
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
  CheckLies(
      {.lied_to = &IsMetadata,
       .object = kLieObject,
       .act =
           [](ObjectStore& store) { return store.Stat(kLieObject).status(); }},
      Joined(rows, LiesOfStrangers()));
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
      LieOfStatus(204),
      LieOfStatus(304),
      LieOfStatus(412),
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
       .most_requests = 1 + kFewAttempts},
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
  CheckLies(
      {.lied_to = &IsListing,
       .object = kLieFolder,
       .act =
           [](ObjectStore& store) { return store.List(kLieFolder).status(); }},
      Joined(rows, LiesOfStrangers()));
}

}  // namespace
}  // namespace podsim::testing
