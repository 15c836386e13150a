#include "host/input/npz.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "host/input/array_fields.h"
#include "host/input/zip.h"
#include "host/storage/beside.h"
#include "host/storage/bounded_read.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{8} << 30;
constexpr char kAsArrays[] =
    ": save each array as DIR/train/NAME.npy, for --dataset=arrays";

absl::StatusOr<ArrayFields> FieldsOfZip(const std::string& path,
                                        ObjectStore& store) {
  absl::StatusOr<std::string> read = ReadAtMost(store, path, kMostBytes);
  if (absl::IsOutOfRange(read.status()))
    return absl::ResourceExhaustedError(
        absl::StrCat(read.status().message(), kAsArrays));
  PODSIM_ASSIGN_OR_RETURN(const std::string archive, std::move(read));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<ZipMember> members,
                          ReadZipDirectory(archive, path));
  std::int64_t unpacked = 0;
  ArrayFields fields;
  for (const ZipMember& member : members) {
    absl::string_view name = member.name;
    if (!absl::ConsumeSuffix(&name, ".npy")) continue;
    unpacked += member.unpacked;
    if (unpacked > kMostBytes)
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": its arrays have more than ", kMostBytes,
                       " bytes", kAsArrays));
    PODSIM_ASSIGN_OR_RETURN(std::string bytes,
                            ReadZipMember(archive, member, path));
    PODSIM_RETURN_IF_ERROR(AddArrayField(absl::StrCat(path, "/", member.name),
                                         std::string(name),
                                         OwnBytes(std::move(bytes)), fields));
  }
  if (fields.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     " has no array; each field of the data set is one, as "
                     "numpy.savez(path, features=x, labels=y) writes them"));
  return fields;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenNpz(
    const DatasetRequest& request, ObjectStore& store) {
  if (request.data_dir.empty())
    return absl::InvalidArgumentError(
        "data set npz needs the path of its folder, with train.npz and, to "
        "evaluate, eval.npz, such as data/mine");
  if (store.Stat(request.data_dir).ok())
    return absl::InvalidArgumentError(absl::StrCat(
        "data_dir is '", request.data_dir,
        "', but that is a file; data set npz needs the folder with train.npz "
        "and, to evaluate, eval.npz"));
  auto found = FieldsOfZip(absl::StrCat(request.data_dir, "/train.npz"), store);
  if (absl::IsNotFound(found.status()))
    return absl::NotFoundError(absl::StrCat(
        "there is no file ", request.data_dir,
        "/train.npz; data set npz is a folder with train.npz and, to evaluate, "
        "eval.npz: give that",
        HoldsText(store, request.data_dir)));
  PODSIM_ASSIGN_OR_RETURN(ArrayFields train, std::move(found));
  auto eval = FieldsOfZip(absl::StrCat(request.data_dir, "/eval.npz"), store);
  if (absl::IsNotFound(eval.status())) eval = ArrayFields();
  PODSIM_RETURN_IF_ERROR(eval.status());
  std::vector<std::string> notes =
      NotesOnEval(request.data_dir, ".npz", store, *eval);
  return NewArrayDataset("npz", std::move(train), *std::move(eval),
                         std::move(notes));
}

}  // namespace podsim
