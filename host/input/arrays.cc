#include "host/input/arrays.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "host/input/array_fields.h"
#include "host/storage/beside.h"
#include "host/storage/mapped_file.h"

namespace podsim {
namespace {

constexpr int kDeepest = 16;

absl::Status BadArrays(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

// Mapped where that can be, so that the hosts of a machine share it.
absl::StatusOr<HeldBytes> Hold(const std::string& path, ObjectStore& store) {
  if (!store.CanMap(path)) {
    PODSIM_ASSIGN_OR_RETURN(std::string bytes, store.Read(path));
    return OwnBytes(std::move(bytes));
  }
  PODSIM_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  auto mapped = std::make_shared<const MappedFile>(std::move(file));
  return HeldBytes{.holder = mapped, .bytes = mapped->bytes()};
}

absl::Status AddField(const std::string& path, const std::string& name,
                      ObjectStore& store, ArrayFields& fields) {
  PODSIM_ASSIGN_OR_RETURN(HeldBytes bytes, Hold(path, store));
  return AddArrayField(path, name, std::move(bytes), fields);
}

absl::Status AddFields(const std::string& directory, const std::string& prefix,
                       int depth, ObjectStore& store, ArrayFields& fields) {
  if (depth > kDeepest)
    return BadArrays(absl::StrCat(directory,
                                  ": folders are nested deeper than ", kDeepest,
                                  ": if a link there leads back, delete it"));
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
      PODSIM_RETURN_IF_ERROR(AddField(
          path, absl::StrCat(prefix, std::string(field)), store, fields));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ArrayFields> FieldsIn(const std::string& directory,
                                     ObjectStore& store) {
  ArrayFields fields;
  PODSIM_RETURN_IF_ERROR(AddFields(directory, "", 0, store, fields));
  if (fields.empty())
    return BadArrays(
        absl::StrCat(directory,
                     " has no .npy file; each field of the data set is one, as "
                     "numpy.save('",
                     directory, "/features.npy', x) writes it",
                     HoldsText(store, directory)));
  return fields;
}

// What lies where a folder train should: its arrays, if that is itself given.
std::string InPlaceOfTrain(const std::string& data_dir, ObjectStore& store) {
  const auto names = store.List(data_dir);
  if (absl::IsNotFound(names.status()))
    return BesideText(store, data_dir, Wanted::kFolder);
  if (!names.ok()) return "";
  const bool arrays = std::any_of(
      names->begin(), names->end(),
      [](const std::string& name) { return absl::EndsWith(name, ".npy"); });
  absl::string_view above = data_dir;
  if (arrays && data_dir == "train") return "; such as --data_dir=.";
  if (arrays && absl::ConsumeSuffix(&above, "/train"))
    return absl::StrCat("; such as --data_dir=", above);
  return absl::StrCat(HoldsText(*names),
                      arrays ? ": move the arrays into train" : "");
}

// As many examples as it is told, of the types and shapes of `one` of each
// split, for plans: there is nothing to read.
class CountedShapes final : public Dataset {
 public:
  CountedShapes(DatasetConfig one, std::int64_t train, std::int64_t eval)
      : config_(std::move(one)) {
    config_.set_train_examples(train);
    config_.set_eval_examples(eval);
    config_.clear_fingerprint();
  }
  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples()
                                  : config_.eval_examples();
  }
  const DatasetConfig& config() const override { return config_; }
  absl::Status Read(Split, std::int64_t, const ReadContext&,
                    ExampleRows) const override {
    return absl::FailedPreconditionError(absl::StrCat(
        "the data set is ", kArrayCounts, ", shapes for a plan alone"));
  }

 private:
  DatasetConfig config_;
};

absl::StatusOr<std::shared_ptr<const Dataset>> OnlyShapes(
    const std::string& path, ObjectStore& store, const DatasetConfig& one) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text, store.Read(path));
  std::int64_t counts[2] = {};
  int given = 0;
  for (const absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty()))
    if (given == 2 || !absl::SimpleAtoi(word, &counts[given++]) ||
        counts[given - 1] < 0)
      return BadArrays(path + ": it is not the examples of train and of eval");
  if (counts[0] == 0 || (counts[1] > 0) != (one.eval_examples() > 0))
    return BadArrays(path + ": a split has no examples, or no arrays");
  return std::make_shared<CountedShapes>(one, counts[0], counts[1]);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenArrays(
    const std::string& data_dir, ObjectStore& store) {
  if (data_dir.empty())
    return BadArrays(
        "data set arrays needs the path of its folder, with train/FIELD.npy "
        "and, to evaluate, eval/FIELD.npy, such as data/mine");
  auto found = FieldsIn(absl::StrCat(data_dir, "/train"), store);
  if (absl::IsNotFound(found.status()))
    return absl::NotFoundError(absl::StrCat(
        "there is no folder ", data_dir,
        "/train; data set arrays is a folder with train/FIELD.npy and, to "
        "evaluate, eval/FIELD.npy: give that",
        InPlaceOfTrain(data_dir, store)));
  PODSIM_ASSIGN_OR_RETURN(ArrayFields train, std::move(found));
  auto eval = FieldsIn(absl::StrCat(data_dir, "/eval"), store);
  if (absl::IsNotFound(eval.status())) eval = ArrayFields();
  PODSIM_RETURN_IF_ERROR(eval.status());
  std::vector<std::string> notes = NotesOnEval(data_dir, "/", store, *eval);
  PODSIM_ASSIGN_OR_RETURN(std::shared_ptr<const Dataset> dataset,
                          NewArrayDataset("arrays", std::move(train),
                                          *std::move(eval), std::move(notes)));
  const std::string counts = absl::StrCat(data_dir, "/", kArrayCounts);
  if (!store.CanMap(counts)) return dataset;  // written on this machine alone
  const absl::Status there = store.Stat(counts).status();
  if (absl::IsNotFound(there)) return dataset;
  PODSIM_RETURN_IF_ERROR(there);
  return OnlyShapes(counts, store, dataset->config());
}

}  // namespace podsim
