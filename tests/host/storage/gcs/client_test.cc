#include "host/storage/gcs/client.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Answers with what was laid out, the last again and again, and keeps what was
// asked.
class ScriptedHttp final : public Http {
 public:
  explicit ScriptedHttp(std::vector<absl::StatusOr<HttpResponse>> answers,
                        std::vector<HttpRequest>* asked)
      : answers_(answers.begin(), answers.end()), asked_(asked) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    asked_->push_back(request);
    absl::StatusOr<HttpResponse> answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }

 private:
  std::deque<absl::StatusOr<HttpResponse>> answers_;
  std::vector<HttpRequest>* const asked_;
};

// "token-1", "token-2", ..., an hour each.
class CountedTokens final : public TokenSource {
 public:
  explicit CountedTokens(int* fetched) : fetched_(fetched) {}
  absl::StatusOr<GcsToken> Fetch(const HttpWatch&) override {
    return GcsToken{.token = "token-" + std::to_string(++*fetched_),
                    .lasts = absl::Hours(1)};
  }
  std::string name() const override { return "a test"; }

 private:
  int* const fetched_;
};

HttpResponse Status(int status) {
  return {.status = status,
          .body = R"({"error":{"message":"So it is","errors":[]}})"};
}

class GcsClientTest : public ::testing::Test {
 protected:
  absl::StatusOr<GcsAnswer> Call(
      std::vector<absl::StatusOr<HttpResponse>> answers, GcsCall call = {},
      const std::string& endpoint = "https://store") {
    client_ = std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = endpoint,
                           .waiter = testing::VirtualWaiter(&clock_)},
        std::make_unique<ScriptedHttp>(std::move(answers), &asked_),
        std::make_unique<CountedTokens>(&fetched_));
    return Again(std::move(call));
  }
  absl::StatusOr<GcsAnswer> Again(GcsCall call = {}) {
    call.doing = "read gs://bucket/x";
    if (call.target.empty()) call.target = "/storage/v1/b/bucket/o/x";
    return client_->Call(call);
  }

  SimClock clock_;
  std::vector<HttpRequest> asked_;
  int fetched_ = 0;
  std::unique_ptr<GcsClient> client_;
};

TEST_F(GcsClientTest, SendsItsTokenAndFetchesItOnce) {
  ASSERT_THAT(Call({HttpResponse{.status = 200}}), IsOk());
  ASSERT_THAT(Again(), IsOk());
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[0].url, "https://store/storage/v1/b/bucket/o/x");
  EXPECT_THAT(asked_[1].headers, Contains("Authorization: Bearer token-1"));
  clock_.Advance(absl::Minutes(59));  // within the margin of its end
  ASSERT_THAT(Again(), IsOk());
  EXPECT_THAT(asked_[2].headers, Contains("Authorization: Bearer token-2"));
}

TEST_F(GcsClientTest, TriesAgainWhatMayComeLater) {
  ASSERT_OK_AND_ASSIGN(
      const GcsAnswer answer,
      Call({absl::UnavailableError("reset"), Status(503), Status(429),
            HttpResponse{.status = 200, .body = "x"}}));
  EXPECT_EQ(answer.http.body, "x");
  EXPECT_EQ(answer.attempts, 4);
  EXPECT_EQ(fetched_, 1);
}

TEST_F(GcsClientTest, GivesUpWhenItsBudgetIsSpentAndSaysAfterHowMuch) {
  const absl::Time begin = clock_.Now();
  const absl::Status status = Call({Status(503)}).status();
  EXPECT_THAT(
      status,
      StatusIs(
          absl::StatusCode::kUnavailable,
          AllOf(HasSubstr("read gs://bucket/x: "), HasSubstr("503: So it is"),
                HasSubstr(absl::StrCat("(attempt ", asked_.size(), ", ")))));
  EXPECT_GT(asked_.size(), 8u);
  const absl::Duration spent = clock_.Now() - begin;
  EXPECT_LE(spent, RetryLimits().budget);
  EXPECT_GT(spent, RetryLimits().budget - RetryLimits().longest);
}

TEST_F(GcsClientTest, AStoreThatWasGivenUpHasLittleTimeUntilItAnswers) {
  std::vector<absl::StatusOr<HttpResponse>> answers(25, Status(503));
  answers.emplace_back(HttpResponse{.status = 200});
  answers.emplace_back(Status(503));
  ASSERT_FALSE(Call(answers).ok());
  const auto spent_by_another = [&] {
    const absl::Time begin = clock_.Now();
    EXPECT_THAT(Again(), StatusIs(absl::StatusCode::kUnavailable,
                                  HasSubstr("So it is")));
    return clock_.Now() - begin;
  };
  const absl::Duration second = spent_by_another();
  EXPECT_LE(second, RetryLimits().given_up);
  EXPECT_GT(second, absl::Seconds(1));
  while (!Again().ok()) {
  }
  EXPECT_GT(spent_by_another(), RetryLimits().given_up);
}

TEST_F(GcsClientTest, TriesNothingAgainThatWouldNotHelp) {
  const std::pair<int, absl::StatusCode> refusals[] = {
      {400, absl::StatusCode::kInvalidArgument},
      {403, absl::StatusCode::kPermissionDenied},
      {409, absl::StatusCode::kInvalidArgument}};
  for (const auto& [status, code] : refusals) {
    asked_.clear();
    EXPECT_THAT(Call({Status(status)}),
                StatusIs(code, AllOf(HasSubstr("So it is"),
                                     Not(HasSubstr("attempt")))));
    EXPECT_EQ(asked_.size(), 1u) << status;
  }
  for (const int status : {200, 204, 308, 404, 412, 416}) {
    ASSERT_OK_AND_ASSIGN(const GcsAnswer answer, Call({Status(status)}));
    EXPECT_EQ(answer.status(), status);
  }
}

TEST_F(GcsClientTest, FetchesATokenAnewWhenItIsRefusedOnce) {
  ASSERT_THAT(Call({Status(401), HttpResponse{.status = 200}}), IsOk());
  EXPECT_THAT(asked_[1].headers, Contains("Authorization: Bearer token-2"));
  EXPECT_THAT(Call({Status(401)}), StatusIs(absl::StatusCode::kUnauthenticated,
                                            HasSubstr("attempt 2")));
}

TEST_F(GcsClientTest, AsksAgainForWhatCameDamaged) {
  GcsCall call;
  call.check = [](const HttpResponse& answer) {
    return answer.body == "whole" ? absl::OkStatus()
                                  : absl::DataLossError("half of it");
  };
  ASSERT_OK_AND_ASSIGN(const GcsAnswer answer,
                       Call({HttpResponse{.status = 200, .body = "ha"},
                             HttpResponse{.status = 200, .body = "whole"}},
                            call));
  EXPECT_EQ(answer.attempts, 2);
  EXPECT_THAT(
      Call({HttpResponse{.status = 200, .body = "ha"}}, call),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("half of it")));
}

TEST_F(GcsClientTest, WhatStaysDamagedIsGivenUpSoon) {
  GcsCall call;
  call.check = [](const HttpResponse&) {
    return absl::DataLossError("an answer whose location is missing or wrong");
  };
  const absl::Time begin = clock_.Now();
  EXPECT_THAT(Call({HttpResponse{.status = 200, .body = "{}"}}, call),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("location")));
  EXPECT_EQ(asked_.size(), 4u);
  EXPECT_LT(clock_.Now() - begin, absl::Seconds(2));
}

TEST_F(GcsClientTest, AWebPageIsNoAnswerAndFinal) {
  const HttpResponse page = {
      .status = 200, .body = "\n<!DOCTYPE html><html>Welcome to Hotel</html>"};
  EXPECT_THAT(Call({page}), StatusIs(absl::StatusCode::kUnavailable,
                                     AllOf(HasSubstr("answered with HTML "),
                                           HasSubstr("want a login"))));
  EXPECT_EQ(asked_.size(), 1u);
  // The bytes of an object may be one, where the store says of which.
  GcsCall read;
  read.target = "/download/storage/v1/b/bucket/o/x?alt=media";
  EXPECT_THAT(Call({page}, read), StatusIs(absl::StatusCode::kUnavailable,
                                           HasSubstr("answered with HTML ")));
  HttpResponse object = page;
  object.headers["x-goog-generation"] = "17";
  EXPECT_THAT(Call({object}, read), IsOk());
  // Of a store that has answered, it is a trouble of the network.
  EXPECT_THAT(Call({HttpResponse{.status = 200, .body = "{}"}, page, page,
                    HttpResponse{.status = 200, .body = "{}"}}),
              IsOk());
  EXPECT_THAT(Again(), IsOk());
}

TEST_F(GcsClientTest, ARedirectIsNotFollowedAndFinal) {
  for (const int status : {301, 302, 303, 307, 308}) {
    asked_.clear();
    EXPECT_THAT(
        Call({HttpResponse{
            .status = status,
            .headers = {{"location", "https://me:secret@elsewhere/x?t=1"}}}}),
        StatusIs(absl::StatusCode::kUnavailable,
                 AllOf(HasSubstr("to https://elsewhere by https://store, "),
                       HasSubstr("which is not followed"),
                       Not(HasSubstr("secret")))));
    EXPECT_EQ(asked_.size(), 1u);
  }
}

TEST_F(GcsClientTest, ARefusalThatIsAPageIsSaidToBeOne) {
  EXPECT_THAT(
      Call({HttpResponse{.status = 403, .body = "<html>Blocked</html>"}}),
      StatusIs(absl::StatusCode::kPermissionDenied,
               HasSubstr("403, with HTML; is a proxy in between?")));
}

TEST_F(GcsClientTest, ARefusalSaysHowToBeLetIn) {
  EXPECT_THAT(Call({Status(403)}),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       HasSubstr("403: So it is; give that account a role on "
                                 "the bucket, such as roles/storage.")));
  EXPECT_THAT(Call({Status(401)}),
              StatusIs(absl::StatusCode::kUnauthenticated,
                       HasSubstr("401: So it is; log in (gcloud auth")));
}

TEST_F(GcsClientTest, WhatNoAttemptMendsIsFinal) {
  const absl::Status unknown = MarkMending(
      absl::UnavailableError("there is no host of this name"), Mending::kNever);
  EXPECT_THAT(Call({unknown}),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("no host"), Not(HasSubstr("attempt")),
                             HasSubstr("; start the emulator there, or correct "
                                       "STORAGE_EMULATOR_HOST"))));
  EXPECT_EQ(asked_.size(), 1u);
  asked_.clear();
  EXPECT_THAT(Call({absl::DeadlineExceededError("no name server")}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("attempt 4")));
  EXPECT_EQ(asked_.size(), 4u);
}

TEST_F(GcsClientTest, NobodyWaitsLongerThanIsWanted) {
  StoreWaits waits(
      {.say = [](const std::string&) {}, .over = [](const std::string&) {}},
      testing::VirtualWaiter(&clock_));
  GcsClient client(
      {.endpoint = "https://store",
       .waiter = testing::VirtualWaiter(&clock_),
       .waits = &waits},
      std::make_unique<ScriptedHttp>(
          std::vector<absl::StatusOr<HttpResponse>>{Status(503)}, &asked_),
      NoTokens());
  const GcsCall call = {.doing = "read gs://bucket/x", .target = "/x"};
  const absl::Time begin = clock_.Now();
  const StoreWaits::Limit limit(waits, absl::Seconds(8), "a plan waits 8 s");
  EXPECT_THAT(client.Call(call),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("read gs://bucket/x: the store answers "
                                       "503: So it is"),
                             HasSubstr("attempts: a plan waits 8 s)"))));
  EXPECT_LT(clock_.Now() - begin, absl::Seconds(8.1));
  asked_.clear();
  EXPECT_THAT(client.Call(call),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("read gs://bucket/x: not asked; before it, "
                                 "the store answers 503: So it is (given up "
                                 "after 0 attempts: a plan waits 8 s)")));
  EXPECT_THAT(asked_, ::testing::IsEmpty());
}

TEST_F(GcsClientTest, WhatIsMeantOnceIsTriedOnce) {
  GcsCall call;
  call.once = true;
  EXPECT_THAT(Call({Status(503), HttpResponse{.status = 200}}, call),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("503")));
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(GcsClientTest, SendsNoTokenInTheClearNorElsewhere) {
  const auto denied =
      StatusIs(absl::StatusCode::kPermissionDenied,
               AllOf(HasSubstr("no token is sent"), Not(HasSubstr("token-1"))));
  const HttpResponse good{.status = 200};
  EXPECT_THAT(Call({good}, {}, "http://store.example"), denied);
  GcsCall elsewhere;
  elsewhere.target = "https://elsewhere/upload";
  EXPECT_THAT(Call({good}, elsewhere), denied);
  EXPECT_TRUE(asked_.empty());
  EXPECT_THAT(Call({good}, {}, "http://127.0.0.1:9000"), IsOk());
}

}  // namespace
}  // namespace podsim
