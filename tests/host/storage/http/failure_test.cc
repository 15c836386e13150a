#include "host/storage/http/failure.h"

#include "base/status.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

TEST(Mending, GoesByTheCodeWhereNothingIsMarked) {
  EXPECT_EQ(MendingOf(absl::UnavailableError("reset"), false), Mending::kLater);
  EXPECT_EQ(MendingOf(absl::DataLossError("cut"), false), Mending::kSoon);
  EXPECT_EQ(MendingOf(absl::DeadlineExceededError("no name server"), false),
            Mending::kSoon);
  for (const auto& status :
       {absl::PermissionDeniedError("no"), absl::InvalidArgumentError("what?"),
        absl::UnauthenticatedError("who?"), absl::CancelledError("told to")})
    EXPECT_EQ(MendingOf(status, false), Mending::kNever) << status;
}

TEST(Mending, AMarkDecidesUntilTheServerHasAnsweredOnce) {
  const absl::Status unknown = Annotate(
      MarkMending(absl::UnavailableError("no such host"), Mending::kNever),
      "list");
  EXPECT_EQ(unknown.message(), "list: no such host");
  EXPECT_EQ(MendingOf(unknown, false), Mending::kNever);
  EXPECT_EQ(MendingOf(unknown, true), Mending::kLater);
  // Damage is no trouble of the network.
  EXPECT_EQ(MendingOf(absl::DataLossError("cut"), true), Mending::kSoon);
}

}  // namespace
}  // namespace podsim
