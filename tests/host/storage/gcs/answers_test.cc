#include "host/storage/gcs/answers.h"

#include <string>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;

TEST(GcsAnswers, AnObjectIsItsNameSizeGenerationAndCrc) {
  ASSERT_OK_AND_ASSIGN(
      const GcsObject object,
      ParseObject(R"({"kind":"storage#object","name":"a/b","size":"12",
                      "generation":"1700000000000001","crc32c":"n03x6A=="})"));
  EXPECT_EQ(object.name, "a/b");
  EXPECT_EQ(object.size, 12);
  EXPECT_EQ(object.generation, 1700000000000001);
  EXPECT_EQ(object.crc32c, 0x9f4df1e8u);
}

TEST(GcsAnswers, AnObjectNeedNotHaveACrc) {
  ASSERT_OK_AND_ASSIGN(const GcsObject object,
                       ParseObject(R"({"name":"a","size":3,"generation":1})"));
  EXPECT_EQ(object.size, 3);
  EXPECT_FALSE(object.crc32c.has_value());
}

TEST(GcsAnswers, WhatIsMissingOrWrongIsNamed) {
  struct Case {
    std::string json, names;
  };
  for (const Case& c :
       {Case{R"({"size":"1","generation":"1"})", "name"},
        Case{R"({"name":"","size":"1","generation":"1"})", "name"},
        Case{R"({"name":7,"size":"1","generation":"1"})", "name"},
        Case{R"({"name":"a","generation":"1"})", "size"},
        Case{R"({"name":"a","size":"-1","generation":"1"})", "size"},
        Case{R"({"name":"a","size":-1,"generation":"1"})", "size"},
        Case{R"({"name":"a","size":"1e3","generation":"1"})", "size"},
        Case{R"({"name":"a","size":"1"})", "generation"},
        Case{R"({"name":"a","size":"1","generation":"0"})", "generation"},
        Case{R"({"name":"a","size":"1","generation":9223372036854775808})",
             "generation"},
        Case{R"({"name":"a","size":"1","generation":"9223372036854775808"})",
             "generation"},
        Case{R"({"name":"a","size":"1","generation":"1","crc32c":"n03x"})",
             "crc32c"},
        Case{R"({"name":"a","size":"1","generation":"1","crc32c":4})",
             "crc32c"},
        Case{"[]", "no JSON object"}, Case{"{", "no JSON object"},
        Case{"", "no JSON object"}})
    EXPECT_THAT(ParseObject(c.json), StatusIs(kDataLoss, HasSubstr(c.names)))
        << c.json;
}

TEST(GcsAnswers, APageHasObjectsPrefixesAndWhereItGoesOn) {
  ASSERT_OK_AND_ASSIGN(
      const GcsPage page,
      ParsePage(R"({"items":[{"name":"d/a","size":"0","generation":"5"}],
                    "prefixes":["d/x/","d/y/"],"nextPageToken":"t=="})"));
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.objects[0].name, "d/a");
  EXPECT_THAT(page.prefixes, ElementsAre("d/x/", "d/y/"));
  EXPECT_EQ(page.next, "t==");
  ASSERT_OK_AND_ASSIGN(const GcsPage empty, ParsePage("{}"));
  EXPECT_TRUE(empty.objects.empty() && empty.prefixes.empty());
  EXPECT_EQ(empty.next, "");
  for (const char* json :
       {R"({"items":[3]})", R"({"items":"x"})", R"({"prefixes":[1]})",
        R"({"nextPageToken":1})", R"({"items":[{"name":"a"}]})"})
    EXPECT_THAT(ParsePage(json), StatusIs(kDataLoss, HasSubstr(""))) << json;
}

TEST(GcsAnswers, ATokenIsNeverInAMessage) {
  ASSERT_OK_AND_ASSIGN(
      const GcsToken token,
      ParseToken(R"({"access_token":"secret","expires_in":3599})"));
  EXPECT_EQ(token.token, "secret");
  EXPECT_EQ(token.lasts, absl::Seconds(3599));
  for (const char* json : {R"({"access_token":"secret"})",
                           R"({"access_token":"secret","expires_in":"x"})",
                           R"(secret {"access_token":"secret")"})
    EXPECT_THAT(ParseToken(json),
                StatusIs(kDataLoss, Not(HasSubstr("secret"))));
}

TEST(GcsAnswers, ABucketSaysWhereItIs) {
  ASSERT_OK_AND_ASSIGN(const std::string location,
                       ParseLocation(R"({"location":"EUROPE-WEST4"})"));
  EXPECT_EQ(location, "EUROPE-WEST4");
  EXPECT_THAT(ParseLocation("{}"), StatusIs(kDataLoss, HasSubstr("location")));
}

TEST(GcsAnswers, AnErrorIsToldInTheStoresWords) {
  EXPECT_EQ(ErrorText(R"({"error":{"code":412,"message":"Not so",
                          "errors":[{"reason":"conditionNotMet"}]}})"),
            "Not so (conditionNotMet)");
  EXPECT_EQ(ErrorText(R"({"error":{"message":"Plain"}})"), "Plain");
  EXPECT_EQ(ErrorText(R"({"error":"invalid_grant"})"), "");
  EXPECT_EQ(ErrorText("<html>no</html>"), "");
  const std::string hostile =
      ErrorText(R"({"error":{"message":"\u001b[2Ja\nb)" +
                std::string(5000, 'x') + R"("}})");
  EXPECT_LT(hostile.size(), 300u);
  EXPECT_THAT(hostile, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n"))));
}

TEST(GcsAnswers, Crc32cIsBase64OfItsBytesHighestFirst) {
  for (const std::uint32_t crc : {0u, 1u, 0x9f4df1e8u, 0xffffffffu})
    EXPECT_EQ(ParseCrc32c(Crc32cText(crc)), crc);
  EXPECT_EQ(Crc32cText(0x9f4df1e8), "n03x6A==");
  EXPECT_FALSE(ParseCrc32c("n03x6A").has_value() &&
               ParseCrc32c("n03x6A") != 0x9f4df1e8u);
  EXPECT_FALSE(ParseCrc32c("n03x6KA=").has_value()) << "five bytes";
  EXPECT_FALSE(ParseCrc32c("!").has_value());
  EXPECT_EQ(Crc32cOfHeader("crc32c=n03x6A==,md5=XrY7u+Ae7tCTyyK7j1rNww=="),
            0x9f4df1e8u);
  EXPECT_EQ(Crc32cOfHeader("md5=abc=, crc32c=n03x6A=="), 0x9f4df1e8u);
  EXPECT_FALSE(Crc32cOfHeader("md5=abc").has_value());
  EXPECT_FALSE(Crc32cOfHeader("").has_value());
}

TEST(GcsAnswers, ARangeSaysOfHowMuchItIs) {
  EXPECT_EQ(TotalOfRange("bytes 0-9/100"), 100);
  EXPECT_EQ(TotalOfRange("bytes */0"), 0);
  EXPECT_FALSE(TotalOfRange("bytes 0-9/*").has_value());
  EXPECT_FALSE(TotalOfRange("bytes 0-9").has_value());
  EXPECT_FALSE(TotalOfRange("bytes 0-9/-4").has_value());
}

TEST(GcsAnswers, APageForPeopleIsKnownByItsBegin) {
  for (const char* page :
       {"<html>", "\n\t<!DOCTYPE html>", "\xEF\xBB\xBF<!doctype HTML PUBLIC",
        "<?xml version=\"1.0\"?><!DOCTYPE html>", "<!-- x --><HTML lang=en>"})
    EXPECT_TRUE(IsHtml(page)) << page;
  for (const char* other :
       {"", "Not Found", "{\"a\": \"<html>\"}", "<Error><Code>NoSuchKey</Code>",
        "No such object: bucket/<html>"})
    EXPECT_FALSE(IsHtml(other)) << other;
}

}  // namespace
}  // namespace podsim
