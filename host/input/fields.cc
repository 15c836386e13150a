#include "host/input/fields.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "host/input/dataset_kinds.h"
#include "models/graph/compile.h"

namespace podsim {
namespace {

constexpr DType kTypes[] = {DType::kFloat32, DType::kBFloat16, DType::kInt32,
                            DType::kUint32,  DType::kUint8,    DType::kBool};

std::optional<int> MadeByStream(const ProgramInput& input) {
  if (input.is_example_weight) return kExampleWeight;
  if (input.is_example_key) return kExampleKey;
  if (input.is_step_key) return kStepKey;
  return std::nullopt;
}

absl::StatusOr<DType> TypeNamed(const std::string& name) {
  for (const DType type : kTypes)
    if (ToString(type) == name) return type;
  return absl::InvalidArgumentError(absl::StrCat(
      "no type is called '", name, "'; there are ",
      absl::StrJoin(kTypes, ", ", [](std::string* out, DType type) {
        out->append(ToString(type));
      })));
}

absl::StatusOr<DataField> FieldOf(const DataFieldConfig& config) {
  DataField field = {config.name(), {}};
  PODSIM_ASSIGN_OR_RETURN(field.type.dtype, TypeNamed(config.dtype()));
  Shape example;
  for (const std::int32_t side : config.shape()) {
    if (side < 1)
      return absl::InvalidArgumentError(
          absl::StrCat("a side is ", side, " but must be at least 1"));
    example.dims.push_back(side);
  }
  field.type.shape = WithBatch(example);
  return field;
}

// "features (float32 [B, 8, 8])"
std::string DescribeFields(const std::string& name, const ValueType& type) {
  return absl::StrCat(name, " (",
                      type.dtype == DType::kFloat32 ? "float32 " : "",
                      ToString(type), ")");
}

std::string DescribeAll(const std::vector<DataField>& fields) {
  return absl::StrJoin(fields, ", ",
                       [](std::string* out, const DataField& field) {
                         out->append(DescribeFields(field.name, field.type));
                       });
}

// The one field of the input's type that the program reads by no name of its
// own; nullptr: there is none, or several.
const DataField* Misnamed(const Program& program, const ValueType& type,
                          const std::vector<DataField>& fields) {
  const DataField* found = nullptr;
  for (const DataField& field : fields) {
    const bool is_read =
        std::ranges::any_of(program.inputs, [&](const ProgramInput& input) {
          return program.tensor(input.tensor).name == field.name;
        });
    if (is_read || field.type != type) continue;
    if (found != nullptr) return nullptr;
    found = &field;
  }
  return found;
}

// "label=x:int64" as "labels=x:int64", and "label=int64", whose key is the
// name, as "labels=label:int64"; empty: no feature is called so.
std::string Renamed(const std::string& features, const std::string& from,
                    const std::string& to) {
  std::vector<std::string> parts = absl::StrSplit(features, ',');
  for (std::string& part : parts) {
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(part);
    if (!absl::ConsumePrefix(&rest, absl::StrCat(from, "="))) continue;
    const std::string key =
        absl::StrContains(rest, ':') ? "" : absl::StrCat(from, ":");
    part = absl::StrCat(to, "=", key, rest);
    return absl::StrJoin(parts, ",");
  }
  return "";
}

// "; give features and labels there, as in numpy.savez(FILE, features=...,
// labels=...)": all inputs that no field of an .npz has the name of.
std::string MissingAdvice(const Program& program,
                          const std::vector<DataField>& fields) {
  std::vector<std::string> names;
  for (const ProgramInput& input : program.inputs) {
    const std::string& name = program.tensor(input.tensor).name;
    if (!MadeByStream(input) &&
        std::ranges::find(fields, name, &DataField::name) == fields.end())
      names.push_back(name);
  }
  return absl::StrCat("; give ", absl::StrJoin(names, " and "),
                      " there, as in numpy.savez(FILE, ",
                      absl::StrJoin(names, "=..., "), "=...)");
}

// Of a field that is missing, or of another type.
std::string TypeAdvice(const DatasetConfig& config, const std::string& name,
                       const std::vector<DataField>& fields) {
  const bool is_there = std::ranges::any_of(
      fields, [&](const DataField& field) { return field.name == name; });
  const DatasetKind* const kind = FindDatasetKind(config.name());
  const std::string data =
      kind == nullptr || kind->files == nullptr
          ? std::string("take another data set")
          : absl::StrCat("give ", name,
                         is_there ? " that type and shape" : " too",
                         kind->shards ? " in --features" : " there");
  return absl::StrCat("; ",
                      is_there && config.name() == "synthetic"
                          ? std::string("give --example_shape so")
                          : data,
                      ", or a model that reads what is offered");
}

std::string NameAdvice(const DataField& misnamed, const std::string& name,
                       const std::string& features) {
  const std::string line = Renamed(features, misnamed.name, name);
  return line.empty()
             ? absl::StrCat("; call ", misnamed.name, " ", name, " there")
             : absl::StrCat("; call it ", name, ": --features='", line, "'");
}

// Of an input that no field fills.
std::string Advice(const Program& program, const ProgramTensor& tensor,
                   const DatasetConfig& config,
                   const std::vector<DataField>& fields,
                   const std::string& features) {
  const DataField* const misnamed = Misnamed(program, TypeOf(tensor), fields);
  const bool is_there =
      std::ranges::find(fields, tensor.name, &DataField::name) != fields.end();
  if (config.name() == "npz" && misnamed == nullptr && !is_there)
    return MissingAdvice(program, fields);
  return misnamed == nullptr ? TypeAdvice(config, tensor.name, fields)
                             : NameAdvice(*misnamed, tensor.name, features);
}

}  // namespace

absl::StatusOr<std::vector<DataField>> FieldsOf(const DatasetConfig& config) {
  std::vector<DataField> fields;
  if (config.fields().empty()) {
    Shape example;
    for (const std::int32_t side : config.example_shape())
      example.dims.push_back(side);
    return std::vector<DataField>{
        {"features", {DType::kFloat32, WithBatch(example)}},
        {"labels", {DType::kInt32, WithBatch({})}}};
  }
  std::set<std::string> names;
  for (const DataFieldConfig& each : config.fields()) {
    absl::StatusOr<DataField> field = FieldOf(each);
    PODSIM_RETURN_IF_ERROR(Annotate(
        field.status(),
        absl::StrCat("data set ", config.name(), ", field ", each.name())));
    if (!names.insert(each.name()).second)
      return absl::InvalidArgumentError(absl::StrCat(
          "data set ", config.name(), " has two fields ", each.name()));
    fields.push_back(*std::move(field));
  }
  return fields;
}

bool IsOfShards(const std::string& dataset) {
  const DatasetKind* const kind = FindDatasetKind(dataset);
  return kind != nullptr && kind->shards;
}

std::int64_t RowBytes(const DataField& field) {
  return field.type.shape.elements() * SizeOf(field.type.dtype);
}

std::int64_t BatchBytes(const DatasetConfig& config, std::int64_t rows) {
  const auto fields = FieldsOf(config);
  PODSIM_CHECK(fields.ok());
  // Weight and key of each row.
  std::int64_t bytes = sizeof(float) + 2 * sizeof(std::uint32_t);
  for (const DataField& field : *fields) bytes += RowBytes(field);
  return rows * bytes;
}

absl::StatusOr<std::vector<int>> InputFields(const Program& program,
                                             const DatasetConfig& config,
                                             const std::string& features) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<DataField> fields,
                          FieldsOf(config));
  std::vector<int> filled_by;
  for (const ProgramInput& input : program.inputs) {
    const ProgramTensor& tensor = program.tensor(input.tensor);
    if (const auto made = MadeByStream(input)) {
      filled_by.push_back(*made);
      continue;
    }
    std::size_t field = 0;
    while (field < fields.size() && (fields[field].name != tensor.name ||
                                     fields[field].type != TypeOf(tensor)))
      ++field;
    if (field == fields.size())
      return absl::InvalidArgumentError(absl::StrCat(
          "model ", program.name, " reads input ",
          DescribeFields(tensor.name, TypeOf(tensor)), ", but data set ",
          config.name(), " offers ", DescribeAll(fields),
          Advice(program, tensor, config, fields, features)));
    filled_by.push_back(static_cast<int>(field));
  }
  return filled_by;
}

}  // namespace podsim
