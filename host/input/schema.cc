#include "host/input/schema.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} * 1024;
constexpr std::size_t kMostFields = 256;
// Of one field of one example.
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
constexpr std::int32_t kMostSide = 8192;
constexpr std::int32_t kMostPad = 256;

constexpr std::pair<std::string_view, FeatureType> kSchemaTypes[] = {
    {"float32", FeatureType::kFloat32}, {"int32", FeatureType::kInt32},
    {"int64", FeatureType::kInt64},     {"uint32", FeatureType::kUint32},
    {"uint16", FeatureType::kUint16},   {"uint8", FeatureType::kUint8},
    {"bool", FeatureType::kBool},       {"image", FeatureType::kImage},
};

absl::Status BadSchema(std::string_view item, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "features, '", PrintableLine(std::string(item)), "': ", why,
      "; an item is INPUT=KEY:TYPE[SHAPE], such as "
      "features=image_raw:uint8[28,28]/255 or labels=label:int64"));
}

std::string WithoutBlanks(std::string_view line) {
  std::string text;
  for (const char ch : line)
    if (!absl::ascii_isspace(static_cast<unsigned char>(ch))) text += ch;
  return text;
}

// Items are parted by commas, but for those in brackets.
std::vector<std::string> ItemsOf(const std::string& line) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (const char ch : line) {
    depth += ch == '[' ? 1 : ch == ']' ? -1 : 0;
    if (ch == ',' && depth == 0)
      items.emplace_back();
    else
      items.back() += ch;
  }
  return items;
}

absl::Status ParseShape(const std::string& item, const std::string& sides,
                        SchemaField& field) {
  std::int64_t elements = 1;
  for (const absl::string_view text : absl::StrSplit(sides, ',')) {
    std::int32_t side = 0;
    if (!absl::SimpleAtoi(text, &side) || side < 1 ||
        elements > kMostElements / side)
      return BadSchema(item,
                       absl::StrCat("[", sides,
                                    "] is no shape of sides of at least 1 and "
                                    "at most ",
                                    kMostElements, " values in all"));
    elements *= side;
    field.shape.push_back(side);
  }
  return absl::OkStatus();
}

absl::Status ParseNumbers(const std::string& item, const std::string& step,
                          absl::string_view text, SchemaField& field,
                          std::vector<float>& numbers) {
  for (const absl::string_view part :
       absl::StrSplit(absl::StripPrefix(text, ":"), ':')) {
    float number = 0;
    if (!absl::SimpleAtof(part, &number) || !(std::abs(number) < 1e30F))
      return BadSchema(item, absl::StrCat("'+", step,
                                          "' needs numbers, as in "
                                          "+mean:0.5:0.4:0.3 or +std:0.25"));
    numbers.push_back(number);
  }
  const auto channels =
      static_cast<std::size_t>(field.shape.empty() ? 0 : field.shape.back());
  if (numbers.size() == 1) numbers.resize(channels, numbers[0]);
  if (numbers.size() != channels)
    return BadSchema(
        item,
        absl::StrCat("'+", step, "' has ", numbers.size(), " numbers for ",
                     channels, " channels: give one for each, or one"));
  return absl::OkStatus();
}

absl::Status ParseStep(const std::string& item, const std::string& step,
                       SchemaField& field) {
  ImageSteps& steps = field.steps;
  absl::string_view rest = step;
  if (step == "crop") {
    steps.crop = true;
  } else if (step == "flip") {
    steps.flip = true;
  } else if (absl::ConsumePrefix(&rest, "pad")) {
    if (!absl::SimpleAtoi(rest, &steps.pad) || steps.pad < 1 ||
        steps.pad > kMostPad)
      return BadSchema(item, absl::StrCat("'+", step, "' must be pad and 1 to ",
                                          kMostPad, " pixels"));
  } else if (absl::ConsumePrefix(&rest, "mean")) {
    return ParseNumbers(item, step, rest, field, steps.mean);
  } else if (absl::ConsumePrefix(&rest, "std")) {
    PODSIM_RETURN_IF_ERROR(ParseNumbers(item, step, rest, field, steps.std));
    for (const float number : steps.std)
      if (!(number > 0))
        return BadSchema(item, absl::StrCat("'+", step,
                                            "': std must be above 0, as in "
                                            "+std:0.25"));
  } else {
    return BadSchema(item,
                     absl::StrCat("there is no step '+", step,
                                  "'; there are crop, padN, flip, mean:X:X:X "
                                  "and std:X:X:X"));
  }
  return absl::OkStatus();
}

absl::Status CheckImage(const std::string& item, const SchemaField& field) {
  if (!field.is_image()) return absl::OkStatus();
  const bool fits = field.shape.size() == 3 && field.shape[0] <= kMostSide &&
                    field.shape[1] <= kMostSide &&
                    (field.shape[2] == 1 || field.shape[2] == 3);
  if (!fits)
    return BadSchema(item,
                     absl::StrCat("an image has the shape [rows, columns, 1 or "
                                  "3], sides of at most ",
                                  kMostSide));
  if (field.type != FeatureType::kImage && field.type != FeatureType::kUint8)
    return BadSchema(item,
                     "steps are for image and uint8: leave them out, or give "
                     "one of these types");
  if (field.steps.crop && field.steps.pad > 0)
    return BadSchema(item, "crop and pad exclude each other: leave one out");
  if (field.divisor == 0 &&
      (!field.steps.mean.empty() || !field.steps.std.empty()))
    return BadSchema(item,
                     "mean and std are of real numbers: say /255 (or /1) too");
  return absl::OkStatus();
}

// "<30522": takes it off the front of `rest`.
absl::Status ParseBound(const std::string& item, std::string& rest,
                        SchemaField& field) {
  if (rest.empty() || rest[0] != '<') return absl::OkStatus();
  const std::size_t end = std::min(rest.find_first_of("/+"), rest.size());
  const std::string text = rest.substr(1, end - 1);
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (!absl::SimpleAtoi(text, &field.below) || field.below < 1 ||
      field.below > kMost)
    return BadSchema(item, absl::StrCat("'<", text, "' is no bound of 1 to ",
                                        kMost, ", as in tokens=int32[128]<50"));
  rest = rest.substr(end);
  return absl::OkStatus();
}

// What follows the type: a shape, a bound, a divisor, steps.
absl::Status ParseRest(const std::string& item, std::string rest,
                       SchemaField& field) {
  if (!rest.empty() && rest[0] == '[') {
    const std::size_t end = rest.find(']');
    if (end == std::string::npos)
      return BadSchema(item, "[ without ]: close the shape");
    PODSIM_RETURN_IF_ERROR(ParseShape(item, rest.substr(1, end - 1), field));
    rest = rest.substr(end + 1);
  }
  PODSIM_RETURN_IF_ERROR(ParseBound(item, rest, field));
  const std::vector<std::string> parts = absl::StrSplit(rest, '+');
  if (parts[0].find('=') != std::string::npos)
    return BadSchema(
        item, absl::StrCat("a comma is missing in front of '", parts[0], "'"));
  if (!parts[0].empty() &&
      !(parts[0][0] == '/' &&
        absl::SimpleAtod(parts[0].substr(1), &field.divisor) &&
        field.divisor > 0 && field.divisor < 1e30))
    return BadSchema(
        item,
        absl::StrCat("'", parts[0], "' is no /NUMBER to divide by, above 0"));
  for (std::size_t i = 1; i < parts.size(); ++i)
    PODSIM_RETURN_IF_ERROR(ParseStep(item, parts[i], field));
  return CheckImage(item, field);
}

std::vector<std::string> TypeNames() {
  std::vector<std::string> names;
  for (const auto& [name, type] : kSchemaTypes) names.emplace_back(name);
  return names;
}

// "float32(64)", and "float" of C and NumPy.
std::string TypeHint(const std::string& type) {
  const std::size_t mark = type.find('(');
  const std::vector<std::string> names = TypeNames();
  if (mark != std::string::npos && type.ends_with(')') &&
      std::ranges::find(names, type.substr(0, mark)) != names.end())
    return absl::StrCat(": a shape stands in brackets, ", type.substr(0, mark),
                        "[", type.substr(mark + 1, type.size() - mark - 2),
                        "]");
  std::vector<std::string> longer;
  for (const std::string& name : names)
    if (!type.empty() && name.starts_with(type)) longer.push_back(name);
  return longer.empty() ? ""
                        : absl::StrCat(": did you mean ",
                                       absl::StrJoin(longer, " or "), "?");
}

// ", as in features=image:uint8" of "features:image:uint8", where a colon may
// stand for the =.
std::string WithEquals(const std::string& item) {
  const std::size_t first = item.find(':');
  if (first == std::string::npos || first == 0 ||
      item.find(':', first + 1) == std::string::npos)
    return "";
  return absl::StrCat(", as in ", item.substr(0, first), "=",
                      item.substr(first + 1));
}

absl::StatusOr<SchemaField> ParseItem(const std::string& item) {
  SchemaField field;
  if (item.empty())
    return BadSchema(item,
                     "it names no input of the model: a comma is too many, or "
                     "all is missing");
  const std::size_t equals = item.find('=');
  if (equals == std::string::npos || equals == 0)
    return BadSchema(
        item,
        absl::StrCat("it names no input of the model: write INPUT= before it",
                     WithEquals(item)));
  field.input = item.substr(0, equals);
  std::string source = item.substr(equals + 1);
  // A key may have a colon and a slash, a type has neither; steps may have
  // both.
  const std::size_t bound = source.find_first_of("[+");
  const std::size_t colon = source.rfind(':', bound);
  field.key =
      colon == std::string::npos ? field.input : source.substr(0, colon);
  if (colon != std::string::npos) source = source.substr(colon + 1);
  if (field.key.empty())
    return BadSchema(item,
                     "it names no feature: write KEY between = and the colon");
  const std::size_t end = source.find_first_of("[</+");
  const std::string type = source.substr(0, end);
  if (type.find('=') != std::string::npos)
    return BadSchema(item,
                     "it has two =: a comma is missing between two items");
  const auto* const found =
      std::find_if(std::begin(kSchemaTypes), std::end(kSchemaTypes),
                   [&](const auto& each) { return each.first == type; });
  if (found == std::end(kSchemaTypes))
    return BadSchema(
        item, absl::StrCat("there is no type '", type, "'", TypeHint(type),
                           "; there are ", absl::StrJoin(TypeNames(), ", ")));
  field.type = found->second;
  PODSIM_RETURN_IF_ERROR(ParseRest(
      item, end == std::string::npos ? "" : source.substr(end), field));
  return field;
}

}  // namespace

std::int64_t SchemaField::elements() const {
  std::int64_t product = 1;
  for (const std::int32_t side : shape) product *= side;
  return product;
}

DType SchemaField::dtype() const {
  if (divisor > 0) return DType::kFloat32;
  switch (type) {
    case FeatureType::kFloat32:
      return DType::kFloat32;
    case FeatureType::kInt32:
    case FeatureType::kInt64:
    case FeatureType::kUint16:
      return DType::kInt32;
    case FeatureType::kUint32:
      return DType::kUint32;
    case FeatureType::kUint8:
    case FeatureType::kImage:
      return DType::kUint8;
    case FeatureType::kBool:
      return DType::kBool;
  }
  return DType::kFloat32;
}

absl::StatusOr<Schema> ParseSchema(std::string_view line) {
  if (line.size() > kLongestLine)
    return BadSchema(line.substr(0, 40), absl::StrCat("a line of ", line.size(),
                                                      " bytes is too long"));
  Schema schema;
  schema.line = WithoutBlanks(line);
  std::set<std::string> inputs;
  for (const std::string& item : ItemsOf(schema.line)) {
    PODSIM_ASSIGN_OR_RETURN(SchemaField field, ParseItem(item));
    if (!inputs.insert(field.input).second)
      return BadSchema(item, "this input is filled twice: leave one item out");
    schema.fields.push_back(std::move(field));
    if (schema.fields.size() > kMostFields)
      return BadSchema(item, absl::StrCat("more than ", kMostFields, " items"));
  }
  return schema;
}

absl::StatusOr<Schema> ParseFileSchema(std::string_view line) {
  PODSIM_ASSIGN_OR_RETURN(Schema schema, ParseSchema(line));
  for (const SchemaField& field : schema.fields)
    if (field.below > 0)
      return BadSchema(field.input,
                       absl::StrCat("<", field.below,
                                    " is of dataset=synthetic, which is made "
                                    "by it: leave it out"));
  return schema;
}

void DescribeSchema(const Schema& schema, DatasetConfig& config) {
  config.set_features(schema.line);
  for (const SchemaField& field : schema.fields) {
    DataFieldConfig& to = *config.add_fields();
    to.set_name(field.input);
    to.set_dtype(ToString(field.dtype()));
    to.mutable_shape()->Add(field.shape.begin(), field.shape.end());
    if (field.input == "features")
      config.mutable_example_shape()->Add(field.shape.begin(),
                                          field.shape.end());
  }
}

}  // namespace podsim
