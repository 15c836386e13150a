#include "runtime/tensorboard/place.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(TensorBoardDirTest, IsInTheModelDirUnlessItIsSaid) {
  JobSpec spec;
  EXPECT_EQ(TensorBoardDir(spec), "");
  spec.set_model_dir("runs/a/");
  EXPECT_EQ(TensorBoardDir(spec), "runs/a/tensorboard");
  spec.set_model_dir("gs://bucket/a");
  EXPECT_EQ(TensorBoardDir(spec), "gs://bucket/a/tensorboard");
  spec.set_tensorboard_dir("tb/");
  EXPECT_EQ(TensorBoardDir(spec), "tb");
  spec.set_tensorboard_dir("");
  EXPECT_EQ(TensorBoardDir(spec), "");
}

// It would write the same figures again.
TEST(TensorBoardDirTest, AnEvaluationHasOneOnlyIfItIsSaid) {
  JobSpec spec;
  spec.set_model_dir("runs/a");
  spec.set_mode(words::Mode::eval);
  EXPECT_EQ(TensorBoardDir(spec), "");
  spec.set_tensorboard_dir("tb");
  EXPECT_EQ(TensorBoardDir(spec), "tb");
}

TEST(EventFileNameTest, HasTheWordAndSortsByTime) {
  EXPECT_EQ(EventFileName(1764450000, "host-1.x", 4711, 2),
            "events.out.tfevents.1764450000.host-1.x.4711.2");
  EXPECT_EQ(EventFileName(1, "", 2, 3), "events.out.tfevents.1.localhost.2.3");
  EXPECT_EQ(EventFileName(1, "a/b c", 2, 3), "events.out.tfevents.1.a_b_c.2.3");
}

}  // namespace
}  // namespace podsim
