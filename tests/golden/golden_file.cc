#include "tests/golden/golden_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "google/protobuf/util/json_util.h"
#include "host/checkpoint/safetensors.h"

namespace podsim::testing {
namespace {

using Json = nlohmann::json;

constexpr double kDistancesPerAllowed = 4;
constexpr double kLeastDistance = 2e-7;

absl::StatusOr<std::string> ReadAll(const std::string& name) {
  std::ifstream file(absl::StrCat(PODSIM_GOLDEN_DIR "/", name),
                     std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("no file ", name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

GoldenVariable VariableOf(const Json& json) {
  return {.name = json.at("name").get<std::string>(),
          .shape = json.at("shape").get<std::vector<std::int64_t>>(),
          .centre = json.at("centre").get<double>(),
          .spread = json.at("spread").get<double>()};
}

// Fields of PlanBits under their names.
absl::StatusOr<PlanBits> BitsOf(Json json, const Json& model) {
  json["model"] = model;
  PlanBits bits;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(json.dump(), &bits);
  if (!parsed.ok()) return absl::DataLossError(parsed.ToString());
  return bits;
}

absl::Status ReadTensors(const std::string& name, GoldenCase& golden) {
  PODSIM_ASSIGN_OR_RETURN(const std::string file, ReadAll(name));
  PODSIM_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                          ParseSafetensors(file));
  for (const SafetensorsEntry& entry : header.tensors) {
    if (entry.dtype != "F64")
      return absl::DataLossError(
          absl::StrCat(name, ": ", entry.name, " is ", entry.dtype));
    GoldenTensor& tensor = golden.tensors[entry.name];
    tensor.shape = entry.shape;
    const auto bytes = static_cast<std::size_t>(entry.end - entry.begin);
    tensor.values.resize(bytes / sizeof(double));
    std::memcpy(tensor.values.data(), file.data() + entry.begin, bytes);
  }
  return absl::OkStatus();
}

absl::StatusOr<GoldenCase> ReadCase(const Json& json, const Json& model) {
  GoldenCase golden;
  PODSIM_ASSIGN_OR_RETURN(golden.bits, BitsOf(json.at("bits"), model));
  PODSIM_RETURN_IF_ERROR(
      ReadTensors(json.at("file").get<std::string>(), golden));
  const Json strides = json.value("strides", Json::object());
  for (auto& [name, tensor] : golden.tensors) {
    tensor.distances = json.at("distances").at(name).get<std::vector<double>>();
    tensor.stride = strides.value(name, std::int64_t{0});
  }
  return golden;
}

}  // namespace

double GoldenTensor::allowed() const {
  double largest = kLeastDistance;
  for (const double distance : distances) largest = std::max(largest, distance);
  return kDistancesPerAllowed * largest;
}

double GoldenTensor::DistanceOf(std::span<const double> part) const {
  if (part.size() != values.size())
    return std::numeric_limits<double>::infinity();
  double gap = 0;
  double size = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    gap += (part[i] - values[i]) * (part[i] - values[i]);
    size += values[i] * values[i];
  }
  return std::sqrt(gap / size);
}

std::vector<double> GoldenTensor::PartOf(std::span<const float> tensor) const {
  if (stride == 0) return {tensor.begin(), tensor.end()};
  std::vector<double> part;
  for (std::size_t i = 0; i < values.size(); ++i)
    part.push_back(
        tensor[i * static_cast<std::size_t>(stride) % tensor.size()]);
  return part;
}

absl::StatusOr<GoldenModel> ReadGolden(const std::string& model) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          ReadAll(absl::StrCat(model, ".json")));
  const Json json = Json::parse(text);
  GoldenModel golden = {
      .seed = json.at("seed").get<std::uint64_t>(),
      .steps = json.at("steps").get<std::int64_t>(),
      .batch = json.at("batch").get<std::int64_t>(),
      .inputs = json.at("inputs").get<std::vector<std::string>>(),
      .variables = {},
      .weights_sha256 = json.at("weights_sha256").get<std::string>(),
      .inputs_sha256 = json.at("inputs_sha256").get<std::string>(),
      .cases = {}};
  for (const Json& each : json.at("variables"))
    golden.variables.push_back(VariableOf(each));
  for (const Json& each : json.at("cases")) {
    PODSIM_ASSIGN_OR_RETURN(GoldenCase made, ReadCase(each, json.at("model")));
    const std::string rule = made.bits.optimizer();
    golden.cases[rule] = std::move(made);
  }
  return golden;
}

}  // namespace podsim::testing
