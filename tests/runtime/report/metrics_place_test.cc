#include "runtime/report/metrics_place.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(MetricsPathTest, IsInTheModelDirUnlessItIsSaid) {
  JobSpec spec;
  EXPECT_EQ(MetricsPath(spec), "");
  for (const char* model_dir : {"runs/a", "runs/a/"}) {
    spec.set_model_dir(model_dir);
    EXPECT_EQ(MetricsPath(spec), "runs/a/metrics.jsonl");
  }
  spec.set_metrics_file("gs://bucket/a.jsonl");
  EXPECT_EQ(MetricsPath(spec), "gs://bucket/a.jsonl");
  spec.set_metrics_file("");
  EXPECT_EQ(MetricsPath(spec), "");
}

// What cannot append gets one only if it is said; so does an evaluation, whose
// model_dir another job may train in.
TEST(MetricsPathTest, ABucketAndAnEvaluationHaveOneOnlyIfItIsSaid) {
  JobSpec bucket;
  bucket.set_model_dir("gs://bucket/a");
  JobSpec evaluation;
  evaluation.set_model_dir("runs/a");
  evaluation.set_mode(words::Mode::eval);
  for (JobSpec* spec : {&bucket, &evaluation}) {
    EXPECT_EQ(MetricsPath(*spec), "");
    spec->set_metrics_file("m.jsonl");
    EXPECT_EQ(MetricsPath(*spec), "m.jsonl");
  }
}

}  // namespace
}  // namespace podsim
