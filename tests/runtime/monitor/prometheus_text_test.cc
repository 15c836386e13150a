// Our page beside that of prometheus-cpp, which Debian has as shared libraries
// alone: tests may load it, the programs of a wheel may not.
#include "runtime/monitor/prometheus_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "runtime/monitor/job_metrics.h"
#include "tests/runtime/monitor/watched_job.h"

namespace podsim {
namespace {

using ::podsim::testing::TrainingState;

prometheus::ClientMetric TheirSample(const MetricSample& sample, bool counter) {
  prometheus::ClientMetric theirs;
  for (const auto& [name, value] : sample.labels)
    theirs.label.push_back({name, value});
  (counter ? theirs.counter.value : theirs.gauge.value) = sample.value;
  return theirs;
}

// They write a family without samples too.
std::string TheirText(const std::vector<MetricFamily>& families) {
  std::vector<prometheus::MetricFamily> theirs;
  for (const MetricFamily& family : families) {
    if (family.samples.empty()) continue;
    prometheus::MetricFamily& added = theirs.emplace_back();
    added.name = family.name;
    added.help = family.help;
    added.type = family.counter ? prometheus::MetricType::Counter
                                : prometheus::MetricType::Gauge;
    for (const MetricSample& sample : family.samples)
      added.metric.push_back(TheirSample(sample, family.counter));
  }
  return prometheus::TextSerializer().Serialize(theirs);
}

// A line of a sample without its number, which stands behind the last space.
struct SampleLine {
  explicit SampleLine(const std::string& line)
      : name(line.substr(0, line.rfind(' '))) {
    EXPECT_TRUE(absl::SimpleAtod(line.substr(line.rfind(' ') + 1), &value))
        << line;
  }
  std::string name;
  double value = 0;
};

// Names, labels, order and comments byte by byte. They write 16 digits, of
// which some doubles do not come back: numbers are compared as read.
void ExpectSamePage(const std::vector<MetricFamily>& families) {
  const std::vector<std::string> ours =
      absl::StrSplit(PrometheusText(families), '\n');
  const std::vector<std::string> theirs =
      absl::StrSplit(TheirText(families), '\n');
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].empty() || absl::StartsWith(ours[i], "#")) {
      EXPECT_EQ(ours[i], theirs[i]);
      continue;
    }
    const SampleLine our(ours[i]);
    const SampleLine their(theirs[i]);
    EXPECT_EQ(our.name, their.name);
    EXPECT_TRUE(our.value == their.value ||
                std::abs(our.value - their.value) <=
                    1e-15 * std::abs(our.value) ||
                (std::isnan(our.value) && std::isnan(their.value)))
        << ours[i] << " beside " << theirs[i];
  }
}

TEST(PrometheusTextTest, FamiliesLabelsAndNumbers) {
  EXPECT_EQ(
      PrometheusText(
          {{.name = "a_total",
            .help = "With \\ and\na line",
            .counter = true,
            .samples = {{.labels = {}, .value = 3}}},
           {.name = "none", .help = "No sample", .samples = {}},
           {.name = "b",
            .help = "Gauges",
            .samples = {{.labels = {{"x", "q\"\\\n"}, {"y", ""}}, .value = 0.1},
                        {.labels = {}, .value = 1610612736},
                        {.labels = {}, .value = 1700000000.25},
                        {.labels = {}, .value = std::nan("")},
                        {.labels = {},
                         .value = -std::numeric_limits<double>::infinity()}}}}),
      "# HELP a_total With \\\\ and\\na line\n"
      "# TYPE a_total counter\n"
      "a_total 3\n"
      "# HELP b Gauges\n"
      "# TYPE b gauge\n"
      "b{x=\"q\\\"\\\\\\n\",y=\"\"} 0.1\n"
      "b 1610612736\n"
      "b 1700000000.25\n"
      "b NaN\n"
      "b -Inf\n");
}

TEST(PrometheusTextTest, IsThatOfPrometheusCpp) {
  std::vector<MetricSample> samples = {
      {.labels = {{"x", "q\"\\\n"}, {"y", ""}, {"z", "\xC3\xA9"}}}};
  for (const double value :
       {0.0, 0.1, 1.0 / 3, -2.5e-7, 1700000000.25, 17179869184.0, 1e300,
        std::nan(""), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()})
    samples.push_back({.labels = {}, .value = value});
  ExpectSamePage(
      {{.name = "a_total",
        .help = "Counted",
        .counter = true,
        .samples = {{.labels = {{"k", "v"}}, .value = 3}}},
       {.name = "none", .help = "No sample", .samples = {}},
       {.name = "b", .help = "Gauges", .counter = false, .samples = samples}});
}

TEST(PrometheusTextTest, AJobsPageIsThatOfPrometheusCpp) {
  ExpectSamePage(JobMetrics(TrainingState(), 0.0042));
  ExpectSamePage(JobMetrics({}, std::nullopt));
}

}  // namespace
}  // namespace podsim
