#include "host/checkpoint/layout.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace podsim {
namespace {

constexpr std::string_view kUnfinishedMark = ".orbax-checkpoint-tmp-";
constexpr std::string_view kSetAsideMark = ".set-aside-";
// A directory, so that what a kill leaves of the file's writing goes with it.
constexpr std::string_view kWitness = ".podsim-pod-";

// Decimal digits as they are printed: no sign, no zero in front.
std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 ||
      std::to_string(value) != text)
    return std::nullopt;
  return value;
}

std::string_view WithoutSlash(std::string_view name) {
  if (!name.empty() && name.back() == '/') name.remove_suffix(1);
  return name;
}

std::optional<StampedStep> ParseStamped(std::string_view name,
                                        std::string_view mark) {
  name = WithoutSlash(name);
  const std::size_t at = name.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto step = ParseNumber(name.substr(0, at));
  const auto stamp = ParseNumber(name.substr(at + mark.size()));
  if (!step || !stamp) return std::nullopt;
  return StampedStep{*step, *stamp};
}

std::string StampedPath(const std::string& model_dir, std::int64_t step,
                        std::string_view mark, std::int64_t stamp) {
  return absl::StrCat(StepPath(model_dir, step), std::string(mark), stamp);
}

}  // namespace

std::string StepPath(const std::string& model_dir, std::int64_t step) {
  const bool slash = !model_dir.empty() && model_dir.back() == '/';
  return absl::StrCat(model_dir, slash ? "" : "/", step);
}

std::string UnfinishedPath(const std::string& model_dir, std::int64_t step,
                           std::int64_t stamp) {
  return StampedPath(model_dir, step, kUnfinishedMark, stamp);
}

std::string SetAsidePath(const std::string& model_dir, std::int64_t step,
                         std::int64_t stamp) {
  return StampedPath(model_dir, step, kSetAsideMark, stamp);
}

std::string StampPath(const std::string& model_dir, std::int64_t step,
                      std::int64_t stamp) {
  return absl::StrCat(StepPath(model_dir, step), "/", stamp);
}

std::string WitnessPath(const std::string& model_dir, std::int64_t stamp) {
  return absl::StrCat(model_dir, "/", std::string(kWitness), stamp);
}

std::optional<std::int64_t> ParseMarker(std::string_view text) {
  return ParseNumber(text.substr(0, text.find('\n')));
}

std::string PartName(int part, int parts) {
  return absl::StrFormat("model-%05d-of-%05d.safetensors", part, parts);
}

std::optional<std::int64_t> ParseStep(std::string_view name) {
  return ParseNumber(WithoutSlash(name));
}

std::optional<StampedStep> ParseUnfinished(std::string_view name) {
  return ParseStamped(name, kUnfinishedMark);
}

std::optional<StampedStep> ParseSetAside(std::string_view name) {
  return ParseStamped(name, kSetAsideMark);
}

std::optional<std::int64_t> ParseWitness(std::string_view name) {
  name = WithoutSlash(name);
  if (name.substr(0, kWitness.size()) != kWitness) return std::nullopt;
  return ParseNumber(name.substr(kWitness.size()));
}

std::optional<PartNumber> ParsePartName(std::string_view name) {
  constexpr std::string_view kHead = "model-";
  PartNumber number;
  if (name.substr(0, kHead.size()) != kHead) return std::nullopt;
  const char* const end = name.data() + name.size();
  const char* at = name.data() + kHead.size();
  at = std::from_chars(at, end, number.part).ptr;
  constexpr std::string_view kMiddle = "-of-";
  if (std::string_view(at, end).substr(0, kMiddle.size()) != kMiddle)
    return std::nullopt;
  std::from_chars(at + kMiddle.size(), end, number.parts);
  // What is printed again as the same name was read right to its end.
  if (number.part < 1 || number.part > number.parts ||
      PartName(number.part, number.parts) != name)
    return std::nullopt;
  return number;
}

std::string NameOf(std::string_view path) {
  path = WithoutSlash(path);
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace podsim
