#include "runtime/coordinator/corruption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;

PlanBits TwoBuckets() {
  PlanBits bits;
  Bucket& last = *bits.add_buckets();
  last.add_variables("dense_1/bias");
  last.add_variables("dense_1/kernel");
  bits.add_buckets()->add_variables("dense_0/kernel");
  return bits;
}

std::map<int, StepReport> Step12(int hosts) {
  std::map<int, StepReport> reports;
  for (int host = 0; host < hosts; ++host) {
    StepReport& report = reports[host];
    report.set_host(host);
    report.set_step(12);
    for (const std::uint64_t hash : {10, 11, 12}) {
      report.add_gradient_hashes(hash);
      report.add_weights_hashes(hash + 10);
    }
  }
  return reports;
}

TEST(CorruptionTest, EqualHashesAreWell) {
  EXPECT_TRUE(CheckReplicas(TwoBuckets(), Step12(4)).status.ok());
  EXPECT_TRUE(CheckAudit(Step12(4)).status.ok());
}

TEST(CorruptionTest, TheOddGradientIsNamedWithItsTensor) {
  for (const int odd : {0, 2, 3}) {
    auto reports = Step12(4);
    reports[odd].set_gradient_hashes(1, 99);
    const Corruption found = CheckReplicas(TwoBuckets(), reports);
    EXPECT_EQ(found.host, odd);
    EXPECT_THAT(
        found.status,
        StatusIs(kDataLoss, AllOf(HasSubstr("all-reduce of step 12 host " +
                                            std::to_string(odd)),
                                  HasSubstr("gradients of dense_1/kernel "),
                                  HasSubstr("(0000000000000063)"))));
  }
}

TEST(CorruptionTest, TheOddWeightIsNamedWithItsTensor) {
  auto reports = Step12(4);
  reports[1].set_weights_hashes(2, 99);
  const Corruption found = CheckReplicas(TwoBuckets(), reports);
  EXPECT_EQ(found.host, 1);
  EXPECT_THAT(
      found.status,
      StatusIs(kDataLoss, AllOf(HasSubstr("the update of step 12 host 1"),
                                HasSubstr("weights of dense_0/kernel "))));
}

TEST(CorruptionTest, AHostThatSendsNoHashesDiffers) {
  auto reports = Step12(3);
  reports[2].clear_weights_hashes();
  EXPECT_EQ(CheckReplicas(TwoBuckets(), reports).host, 2);
}

void Vote(std::map<int, StepReport>& reports, int voter, int audited,
          std::uint64_t hash) {
  GradientAudit& audit = *reports[voter].add_audits();
  audit.set_host(audited);
  audit.set_hash(hash);
}

TEST(CorruptionTest, TwoAuditorsOutvoteTheHostThatComputesWrongly) {
  auto reports = Step12(4);
  Vote(reports, 1, 1, 0xbad);
  Vote(reports, 2, 1, 0x600d);
  Vote(reports, 3, 1, 0x600d);
  const Corruption found = CheckAudit(reports);
  EXPECT_EQ(found.host, 1);
  EXPECT_THAT(found.status,
              StatusIs(kDataLoss, HasSubstr("host 1 computes wrongly")));
}

TEST(CorruptionTest, AnAuditorMayBeTheOneThatIsWrong) {
  auto reports = Step12(4);
  Vote(reports, 1, 1, 0x600d);
  Vote(reports, 2, 1, 0xbad);
  Vote(reports, 3, 1, 0x600d);
  EXPECT_EQ(CheckAudit(reports).host, 2);
}

TEST(CorruptionTest, WithOneAuditorItStaysOpenWhoIsWrong) {
  auto reports = Step12(2);
  Vote(reports, 0, 0, 1);
  Vote(reports, 1, 0, 2);
  EXPECT_THAT(CheckAudit(reports).status,
              StatusIs(kDataLoss, HasSubstr("hosts 0 and 1")));
}

TEST(FindDissenterTest, TheMajorityIsRightAndTiesGoToTheFirst) {
  EXPECT_EQ(FindDissenter({}), std::nullopt);
  EXPECT_EQ(FindDissenter({"a"}), std::nullopt);
  EXPECT_EQ(FindDissenter({"a", "a", "a"}), std::nullopt);
  EXPECT_EQ(FindDissenter({"a", "b"}), 1);
  EXPECT_EQ(FindDissenter({"a", "b", "b"}), 0);
  EXPECT_EQ(FindDissenter({"b", "b", "c", "a"}), 2);
}

}  // namespace
}  // namespace podsim
