// Functions that JAX lowered: loss and gradients are as near to float64 as
// JAX's own in float32. imports/README.md says how the files were made.
#include "models/import/import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/checkpoint/safetensors.h"
#include "models/graph/serialize_model.h"
#include "runtime/program/run_model.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

std::string ReadWhole(const std::string& name) {
  std::ifstream file(absl::StrCat(PODSIM_IMPORTS_DIR "/", name),
                     std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<std::string, std::vector<float>> Floats(const std::string& file) {
  std::map<std::string, std::vector<float>> tensors;
  const auto header = ParseSafetensors(file);
  EXPECT_TRUE(header.ok()) << header.status();
  for (const SafetensorsEntry& entry : header->tensors) {
    if (entry.dtype != "F32") continue;
    std::vector<float>& values = tensors[entry.name];
    values.resize(static_cast<std::size_t>(entry.end - entry.begin) / 4);
    std::memcpy(values.data(), file.data() + entry.begin, values.size() * 4);
  }
  return tensors;
}

double DistanceOf(const std::vector<float>& ours,
                  const std::vector<float>& exact) {
  if (ours.size() != exact.size()) return INFINITY;
  double off = 0;
  double norm = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    off += std::pow(double{ours[i]} - exact[i], 2);
    norm += std::pow(double{exact[i]}, 2);
  }
  return std::sqrt(norm > 0 ? off / norm : off);
}

class ImportedFunction : public ::testing::TestWithParam<const char*> {};

TEST_P(ImportedFunction, IsAsNearToFloat64AsJax) {
  const std::string name = GetParam();
  ImportProto from;
  ASSERT_TRUE(from.ParseFromString(ReadWhole(name + ".import")));
  ASSERT_OK_AND_ASSIGN(const ModelProto model, Import(from));
  const std::string file = ReadWhole(name + ".safetensors");
  ASSERT_OK_AND_ASSIGN(const std::string results,
                       RunModel(model, /*bfloat16_products=*/false, file));
  auto ours = Floats(results);
  double loss = 0;
  for (const float each : ours["metric/loss"]) loss += each;
  const auto rows = static_cast<double>(ours["metric/loss"].size());
  ours["loss"] = {static_cast<float>(loss / rows)};
  const auto known = Floats(file);
  int compared = 0;
  for (const auto& [key, exact] : known) {
    if (key.rfind("exact/", 0) != 0) continue;
    const std::string tensor = key.substr(6);
    const double allowed = known.at("allowed/" + tensor).at(0);
    EXPECT_LE(DistanceOf(ours[tensor], exact), allowed) << tensor;
    ++compared;
  }
  EXPECT_EQ(compared, model.graph().gradients_size() + 1);
}

INSTANTIATE_TEST_SUITE_P(Functions, ImportedFunction,
                         ::testing::Values("mlp", "lstm", "bag_of_words",
                                           "custom_rules", "places", "orders",
                                           "flax_rnn", "small_wholes",
                                           "switches", "own_places", "segments",
                                           "bfloat16_mean", "mapped",
                                           "own_keys", "shared_draws"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace podsim::testing
