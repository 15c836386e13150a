#include "host/input/array_fields.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/input/eval_words.h"

namespace podsim {
namespace {

constexpr std::size_t kMostArrays = 1024;
constexpr std::size_t kElementsHashed = std::size_t{1} << 16;  // at a time
constexpr std::int64_t kMostArraySide = (std::int64_t{1} << 31) - 1;

absl::Status BadFields(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

// "float32 4 x 4", of an example.
std::string TypeText(const NpyHeader& header) {
  return absl::StrCat(
      ToString(header.dtype), header.shape.size() > 1 ? " " : "",
      absl::StrJoin(header.shape.begin() + 1, header.shape.end(), " x "));
}

absl::Status CheckSameFields(const ArrayFields& train,
                             const ArrayFields& eval) {
  for (const auto& [name, field] : eval)
    if (!train.contains(name))
      return BadFields(
          absl::StrCat("train/", name, ".npy is not there, but eval/", name,
                       ".npy is: save it for both, or for neither"));
  for (const auto& [name, field] : train) {
    const auto other = eval.find(name);
    if (other == eval.end())
      return BadFields(
          absl::StrCat("eval/", name, ".npy is not there, but train/", name,
                       ".npy is: save it for both, or take eval away"));
    const auto of_example = [](const ArrayField& of) {
      return std::vector<std::int64_t>(of.header.shape.begin() + 1,
                                       of.header.shape.end());
    };
    if (other->second.header.dtype != field.header.dtype ||
        of_example(other->second) != of_example(field))
      return BadFields(absl::StrCat(
          "the examples of eval/", name, ".npy are of another type or shape (",
          TypeText(other->second.header), ") than those of train/", name,
          ".npy (", TypeText(field.header), "): save both alike"));
  }
  return absl::OkStatus();
}

// The elements as they are read, whichever type holds them.
void AddElements(const ArrayField& field, Sha256& hash) {
  const auto stored = static_cast<std::size_t>(field.header.stored_bytes());
  const auto read = static_cast<std::size_t>(SizeOf(field.header.dtype));
  std::vector<std::byte> values(kElementsHashed * read);
  std::string_view rest = field.elements();
  while (!rest.empty()) {
    const std::string_view some = rest.substr(0, kElementsHashed * stored);
    const std::span<std::byte> to =
        std::span(values).first(some.size() / stored * read);
    ReadNpyElements(field.header, some, to);
    hash.Update(to);
    rest.remove_prefix(some.size());
  }
}

void AddTo(const ArrayFields& fields, const char* split, Sha256& hash) {
  for (const auto& [name, field] : fields) {
    hash.Update(
        absl::StrCat(split, "/", name, " ", ToString(field.header.dtype), " "));
    for (const std::int64_t side : field.header.shape)
      hash.Update(absl::StrCat(side, ","));
    AddElements(field, hash);
  }
}

DatasetConfig DescribeArrays(const std::string& name, const ArrayFields& train,
                             const ArrayFields& eval) {
  DatasetConfig config;
  config.set_name(name);
  config.set_classes(1);
  config.set_train_examples(train.begin()->second.header.shape[0]);
  if (!eval.empty())
    config.set_eval_examples(eval.begin()->second.header.shape[0]);
  for (const auto& [field_name, field] : train) {
    DataFieldConfig& to = *config.add_fields();
    to.set_name(field_name);
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

class ArrayDataset final : public Dataset {
 public:
  ArrayDataset(const std::string& name, ArrayFields train, ArrayFields eval,
               std::vector<std::string> notes)
      : train_(std::move(train)),
        eval_(std::move(eval)),
        config_(DescribeArrays(name, train_, eval_)),
        notes_(std::move(notes)) {}

  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples()
                                  : config_.eval_examples();
  }
  const DatasetConfig& config() const override { return config_; }
  std::vector<std::string> notes() const override { return notes_; }

  absl::Status Read(Split split, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    PODSIM_CHECK(index >= 0 && index < size(split));
    std::size_t i = 0;
    for (const auto& [name, field] : split == Split::kTrain ? train_ : eval_) {
      const std::span<std::byte> row = rows[i++];
      PODSIM_CHECK(row.size() == field.example_bytes());
      const std::size_t stored = field.stored_bytes();
      ReadNpyElements(field.header,
                      field.elements().substr(
                          static_cast<std::size_t>(index) * stored, stored),
                      row);
    }
    return absl::OkStatus();
  }

 private:
  const ArrayFields train_;
  const ArrayFields eval_;
  const DatasetConfig config_;
  const std::vector<std::string> notes_;
};

}  // namespace

HeldBytes OwnBytes(std::string bytes) {
  auto owned = std::make_shared<const std::string>(std::move(bytes));
  return {.holder = owned, .bytes = *owned};
}

absl::Status AddArrayField(const std::string& path, const std::string& name,
                           HeldBytes file, ArrayFields& fields) {
  PODSIM_ASSIGN_OR_RETURN(NpyHeader header, ParseNpy(file.bytes, path));
  if (header.shape.empty() || header.elements() == 0)
    return BadFields(absl::StrCat(
        path, ": its shape is (", absl::StrJoin(header.shape, ", "),
        "), with no examples along a first dimension: save an array with a row "
        "for each example"));
  for (const std::int64_t side : header.shape)
    if (side > kMostArraySide)
      return BadFields(
          absl::StrCat(path, ": a dimension is ", side,
                       ", at most 2^31 - 1: save fewer elements along it"));
  const std::int64_t count = header.shape[0];
  if (!fields.empty() && fields.begin()->second.header.shape[0] != count)
    return BadFields(
        absl::StrCat(path, " has ", count, " examples, ", fields.begin()->first,
                     ".npy beside it ", fields.begin()->second.header.shape[0],
                     ": save arrays of the same examples, as many rows in each "
                     "along the first axis"));
  if (fields.size() == kMostArrays)
    return BadFields(absl::StrCat(path, ": a data set has at most ",
                                  kMostArrays,
                                  " fields; this is one more: take it away"));
  PODSIM_RETURN_IF_ERROR(
      CheckNpyValues(header, file.bytes.substr(header.begin), path));
  fields.emplace(name, ArrayField{std::move(file), std::move(header)});
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Dataset>> NewArrayDataset(
    const std::string& name, ArrayFields train, ArrayFields eval,
    std::vector<std::string> notes) {
  if (!eval.empty()) PODSIM_RETURN_IF_ERROR(CheckSameFields(train, eval));
  return std::make_shared<ArrayDataset>(name, std::move(train), std::move(eval),
                                        std::move(notes));
}

std::vector<std::string> NotesOnEval(const std::string& directory,
                                     const std::string& end, ObjectStore& store,
                                     const ArrayFields& eval) {
  if (!eval.empty()) return {};
  const auto names = store.List(directory);
  if (!names.ok()) return {};
  for (const char* word : kEvalWords) {
    const std::string name = absl::StrCat(word, end);
    if (std::find(names->begin(), names->end(), name) != names->end())
      return {absl::StrCat("no eval split: ", directory, "/", name,
                           " is left out; call it eval", end)};
  }
  return {};
}

}  // namespace podsim
