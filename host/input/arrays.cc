#include "host/input/arrays.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/input/npy.h"
#include "host/storage/mapped_file.h"

namespace podsim {
namespace {

constexpr std::size_t kMostFields = 1024;
constexpr int kDeepest = 16;
constexpr std::int64_t kMostSide = (std::int64_t{1} << 31) - 1;

struct Field {
  MappedFile file;
  NpyHeader header;

  std::size_t example_bytes() const {
    return static_cast<std::size_t>(header.elements() / header.shape[0] *
                                    SizeOf(header.dtype));
  }
  std::string_view elements() const {
    return file.bytes().substr(header.begin);
  }
};
using Fields = std::map<std::string, Field>;

absl::Status Bad(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

absl::Status AddField(const std::string& path, const std::string& name,
                      Fields& fields) {
  PODSIM_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  PODSIM_ASSIGN_OR_RETURN(NpyHeader header, ParseNpy(file.bytes(), path));
  if (header.shape.empty() || header.elements() == 0)
    return Bad(absl::StrCat(path,
                            ": it has no examples along a first "
                            "dimension"));
  for (const std::int64_t side : header.shape)
    if (side > kMostSide)
      return Bad(
          absl::StrCat(path, ": a dimension is ", side, ", at most 2^31 - 1"));
  const std::int64_t count = header.shape[0];
  if (!fields.empty() && fields.begin()->second.header.shape[0] != count)
    return Bad(absl::StrCat(path, " has ", count, " examples, ",
                            fields.begin()->first, ".npy beside it ",
                            fields.begin()->second.header.shape[0]));
  if (fields.size() == kMostFields)
    return Bad(absl::StrCat(path, ": more than ", kMostFields, " fields"));
  fields.emplace(name, Field{std::move(file), std::move(header)});
  return absl::OkStatus();
}

absl::Status AddFields(const std::string& directory, const std::string& prefix,
                       int depth, ObjectStore& store, Fields& fields) {
  if (depth > kDeepest)
    return Bad(absl::StrCat(directory, ": folders are nested too deep"));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          store.List(directory));
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(directory, "/", name);
    if (!name.empty() && name.back() == '/') {
      PODSIM_RETURN_IF_ERROR(AddFields(path.substr(0, path.size() - 1),
                                       absl::StrCat(prefix, name), depth + 1,
                                       store, fields));
    } else if (absl::string_view field = name;
               absl::ConsumeSuffix(&field, ".npy")) {
      PODSIM_RETURN_IF_ERROR(
          AddField(path, absl::StrCat(prefix, std::string(field)), fields));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Fields> FieldsIn(const std::string& directory,
                                ObjectStore& store) {
  Fields fields;
  PODSIM_RETURN_IF_ERROR(AddFields(directory, "", 0, store, fields));
  if (fields.empty())
    return Bad(absl::StrCat(directory,
                            " has no .npy file; each field of the data set "
                            "is one"));
  return fields;
}

absl::Status CheckSameFields(const Fields& train, const Fields& eval) {
  for (const auto& [name, field] : eval)
    if (!train.contains(name))
      return Bad(absl::StrCat("train/", name, ".npy is not there, but eval/",
                              name, ".npy is"));
  for (const auto& [name, field] : train) {
    const auto other = eval.find(name);
    if (other == eval.end())
      return Bad(absl::StrCat("eval/", name, ".npy is not there, but train/",
                              name, ".npy is"));
    const auto of_example = [](const Field& of) {
      return std::vector<std::int64_t>(of.header.shape.begin() + 1,
                                       of.header.shape.end());
    };
    if (other->second.header.dtype != field.header.dtype ||
        of_example(other->second) != of_example(field))
      return Bad(absl::StrCat("the examples of eval/", name,
                              ".npy are of another type or shape than those "
                              "of train/",
                              name, ".npy"));
  }
  return absl::OkStatus();
}

void AddTo(const Fields& fields, const char* split, Sha256& hash) {
  for (const auto& [name, field] : fields) {
    hash.Update(
        absl::StrCat(split, "/", name, " ", ToString(field.header.dtype), " "));
    for (const std::int64_t side : field.header.shape)
      hash.Update(absl::StrCat(side, ","));
    hash.Update(field.elements());
  }
}

DatasetConfig Describe(const Fields& train, const Fields& eval) {
  DatasetConfig config;
  config.set_name("arrays");
  config.set_classes(1);
  config.set_train_examples(train.begin()->second.header.shape[0]);
  if (!eval.empty())
    config.set_eval_examples(eval.begin()->second.header.shape[0]);
  for (const auto& [name, field] : train) {
    DataFieldConfig& to = *config.add_fields();
    to.set_name(name);
    to.set_dtype(ToString(field.header.dtype));
    for (std::size_t i = 1; i < field.header.shape.size(); ++i)
      to.add_shape(static_cast<std::int32_t>(field.header.shape[i]));
  }
  Sha256 hash;
  AddTo(train, "train", hash);
  AddTo(eval, "eval", hash);
  config.set_fingerprint(hash.HexDigest());
  return config;
}

class ArraysDataset final : public Dataset {
 public:
  ArraysDataset(Fields train, Fields eval)
      : train_(std::move(train)),
        eval_(std::move(eval)),
        config_(Describe(train_, eval_)) {}

  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples()
                                  : config_.eval_examples();
  }
  const DatasetConfig& config() const override { return config_; }

  absl::Status Read(Split split, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    PODSIM_CHECK(index >= 0 && index < size(split));
    std::size_t i = 0;
    for (const auto& [name, field] : split == Split::kTrain ? train_ : eval_) {
      const std::span<std::byte> row = rows[i++];
      PODSIM_CHECK(row.size() == field.example_bytes());
      std::memcpy(row.data(),
                  field.elements().data() +
                      static_cast<std::size_t>(index) * row.size(),
                  row.size());
    }
    return absl::OkStatus();
  }

 private:
  const Fields train_;
  const Fields eval_;
  const DatasetConfig config_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenArrays(
    const std::string& data_dir, ObjectStore& store) {
  if (data_dir.empty())
    return Bad(
        "data set arrays needs --data_dir=DIR, the directory with "
        "train/<field>.npy and, to evaluate, eval/<field>.npy");
  PODSIM_ASSIGN_OR_RETURN(Fields train,
                          FieldsIn(absl::StrCat(data_dir, "/train"), store));
  auto eval = FieldsIn(absl::StrCat(data_dir, "/eval"), store);
  if (absl::IsNotFound(eval.status())) eval = Fields();
  PODSIM_RETURN_IF_ERROR(eval.status());
  if (!eval->empty()) PODSIM_RETURN_IF_ERROR(CheckSameFields(train, *eval));
  return std::make_shared<ArraysDataset>(std::move(train), *std::move(eval));
}

}  // namespace podsim
