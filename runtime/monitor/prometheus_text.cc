#include "runtime/monitor/prometheus_text.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace podsim {
namespace {

std::string LabelText(const std::pair<std::string, std::string>& label) {
  return absl::StrCat(
      label.first, "=\"",
      absl::StrReplaceAll(label.second,
                          {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}),
      "\"");
}

// The shortest that reads back as the same number.
std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  for (const int digits : {6, 9, 15}) {
    std::string text = absl::StrFormat("%.*g", digits, value);
    double read = 0;
    if (absl::SimpleAtod(text, &read) && read == value) return text;
  }
  return absl::StrFormat("%.17g", value);
}

std::string SampleText(const std::string& name, const MetricSample& sample) {
  std::vector<std::string> labels;
  labels.reserve(sample.labels.size());
  for (const auto& label : sample.labels) labels.push_back(LabelText(label));
  return absl::StrCat(
      name,
      labels.empty() ? "" : absl::StrCat("{", absl::StrJoin(labels, ","), "}"),
      " ", NumberText(sample.value), "\n");
}

}  // namespace

std::string PrometheusText(const std::vector<MetricFamily>& families) {
  std::string text;
  for (const MetricFamily& family : families) {
    if (family.samples.empty()) continue;
    absl::StrAppend(
        &text, "# HELP ", family.name, " ",
        absl::StrReplaceAll(family.help, {{"\\", "\\\\"}, {"\n", "\\n"}}),
        "\n# TYPE ", family.name, family.counter ? " counter\n" : " gauge\n");
    for (const MetricSample& sample : family.samples)
      text += SampleText(family.name, sample);
  }
  return text;
}

}  // namespace podsim
