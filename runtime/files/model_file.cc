#include "runtime/files/model_file.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/bounded_read.h"
#include "host/storage/no_file.h"
#include "host/storage/uri_store.h"
#include "models/graph/serialize_model.h"
#include "runtime/files/file_kind.h"

namespace podsim {

absl::StatusOr<ModelProto> ReadModelFile(const std::string& path) {
  const auto store = NewUriStore();
  const absl::StatusOr<std::string> bytes =
      ReadAtMost(*store, path, kMostModelBytes);
  if (absl::IsOutOfRange(bytes.status()))
    return absl::InvalidArgumentError(
        absl::StrCat("model file ", std::string(bytes.status().message())));
  if (absl::IsNotFound(bytes.status()))
    return NoFile(*store, path, "model file");
  if (!bytes.ok()) return Annotate(bytes.status(), "model file");
  absl::StatusOr<ModelProto> model = ParseModel(*bytes);
  if (model.ok()) return model;
  return absl::InvalidArgumentError(absl::StrCat(
      "model file ", path, ": ",
      InPlaceOf(path, *bytes, std::string(model.status().message())),
      "a model file is written by pod_launch --write_model, pod_program import "
      "or podsim.export in Python"));
}

absl::Status WriteModelFile(const std::string& path, const ModelProto& model) {
  const auto store = NewUriStore();
  return Annotate(store->Write(path, ModelBytes(model)), "model file");
}

}  // namespace podsim
