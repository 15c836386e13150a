#include "host/input/arrays.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "host/input/array_fields.h"
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
    return BadArrays(absl::StrCat(directory, ": folders are nested too deep"));
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
                     " has no .npy file; each field of the data set "
                     "is one"));
  return fields;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenArrays(
    const std::string& data_dir, ObjectStore& store) {
  if (data_dir.empty())
    return BadArrays(
        "data set arrays needs --data_dir=DIR, the directory with "
        "train/<field>.npy and, to evaluate, eval/<field>.npy");
  PODSIM_ASSIGN_OR_RETURN(ArrayFields train,
                          FieldsIn(absl::StrCat(data_dir, "/train"), store));
  auto eval = FieldsIn(absl::StrCat(data_dir, "/eval"), store);
  if (absl::IsNotFound(eval.status())) eval = ArrayFields();
  PODSIM_RETURN_IF_ERROR(eval.status());
  return NewArrayDataset("arrays", std::move(train), *std::move(eval));
}

}  // namespace podsim
