#include "runtime/report/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Stint MakeStint(const std::string& slice, std::int64_t batch,
                std::int64_t first_step, std::int64_t last_step,
                std::int64_t first_example) {
  Stint stint;
  stint.set_slice(slice);
  stint.set_global_batch(batch);
  stint.set_first_step(first_step);
  stint.set_last_step(last_step);
  stint.set_first_example(first_example);
  stint.set_end_example(first_example + (last_step - first_step) * batch);
  return stint;
}

TEST(AccountTest, StintsAreToldInOrder) {
  EXPECT_EQ(FormatStints({MakeStint("v3-8", 64, 0, 800, 0),
                          MakeStint("v3-32", 256, 800, 1000, 51200)}),
            "51,200 on v3-8 in 800 steps, then 51,200 on v3-32 in 200 steps");
}

TEST(AccountTest, EpochsSayHowOftenAnExampleCame) {
  EXPECT_EQ(FormatEpochs(102400, 1498),
            "68.36 epochs of 1,498: each example 68 or 69 times");
  EXPECT_EQ(FormatEpochs(3000, 1000),
            "3.00 epochs of 1,000: each example 3 times");
}

TEST(AccountTest, SavingsTellThePauseAsPartOfTraining) {
  Savings savings;
  for (int step = 1; step <= 2; ++step) {
    CheckpointSaved saved;
    saved.set_step(step);
    saved.set_path("m/" + std::to_string(step));
    saved.set_bytes(2048 * step);
    saved.set_seconds_paused(0.5 * step);
    saved.set_seconds_written(3 * step);
    savings.Add(saved);
  }
  const std::string text = FormatSavings(savings, absl::Seconds(100));
  EXPECT_THAT(text, HasSubstr("2 saved, the last m/2 (4.00 KiB)"));
  EXPECT_THAT(text, HasSubstr("a pause of 750.0 ms"));
  EXPECT_THAT(text, HasSubstr("(1.50% of training)"));
  EXPECT_THAT(text, HasSubstr("written in 4.500 s"));
}

TEST(AccountTest, CheckpointsStayUndeletedUntilTheyAreGone) {
  Savings savings;
  const auto deleted = [&](std::int64_t step, const std::string& error) {
    CheckpointDeleted event;
    event.set_step(step);
    event.set_error(error);
    savings.Add(event);
  };
  deleted(5, "");
  EXPECT_TRUE(savings.undeleted.empty());
  deleted(10, "403");
  deleted(10, "403");
  EXPECT_EQ(FormatUndeleted(savings),
            "1 old checkpoint could not be deleted: 403");
  deleted(20, "the bucket\nrefuses");
  EXPECT_EQ(FormatUndeleted(savings),
            "2 old checkpoints could not be deleted: 403");
  deleted(10, "");
  EXPECT_THAT(FormatUndeleted(savings),
              AllOf(HasSubstr("1 old checkpoint could not be deleted: the "),
                    Not(HasSubstr("\n"))));
  deleted(20, "");
  EXPECT_TRUE(savings.undeleted.empty());
}

}  // namespace
}  // namespace podsim
