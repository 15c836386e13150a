#include "runtime/files/model_file.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/storage/bounded_read.h"
#include "host/storage/file_kind.h"
#include "host/storage/no_file.h"
#include "host/storage/uri_store.h"
#include "models/graph/serialize_model.h"
#include "models/zoo/zoo.h"

namespace podsim {
namespace {

// "mlp": the name of a model where a file is meant.
absl::Status NoModelFile(ObjectStore& store, const std::string& path) {
  const std::vector<std::string> models = ModelNames();
  if (std::find(models.begin(), models.end(), path) == models.end()) {
    const absl::Status none = NoFile(store, path, "model file");
    const bool is_step =
        store.Stat(absl::StrCat(path, "/", kManifestName)).ok();
    const auto steps = ListSteps(store, path);
    if (!is_step && (!steps.ok() || steps->empty())) return none;
    return absl::NotFoundError(absl::StrCat(
        std::string(none.message()), " of a model, as pod_launch ",
        "--write_model, pod_program import or podsim.export writes; this one ",
        is_step ? "is a checkpoint" : "has checkpoints", ": pod_ckpt show ",
        path, " says what it holds"));
  }
  return absl::NotFoundError(absl::StrCat(
      "there is no model file ", path, "; ", path,
      " is a model of podsim: --model=", path, " trains it, and pod_launch ",
      "--model=", path, " --write_model=", path, ".model writes it"));
}

}  // namespace

absl::StatusOr<ModelProto> ReadModelFile(const std::string& path) {
  const auto store = NewUriStore();
  const absl::StatusOr<std::string> bytes =
      ReadAtMost(*store, path, kMostModelBytes);
  if (absl::IsOutOfRange(bytes.status()))
    return absl::InvalidArgumentError(
        absl::StrCat("model file ", std::string(bytes.status().message())));
  if (absl::IsNotFound(bytes.status())) return NoModelFile(*store, path);
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
  const auto bytes = static_cast<std::int64_t>(model.ByteSizeLong());
  if (bytes > kMostModelBytes)
    return absl::InvalidArgumentError(absl::StrCat(
        "model file ", path, ": it would have ", FormatBytes(bytes),
        " with what the variables begin with; programs read at most ",
        FormatBytes(kMostModelBytes),
        ", so it is not written: podsim.train in Python hands weights of any "
        "size over, as a checkpoint"));
  const auto store = NewUriStore();
  return Annotate(store->Write(path, ModelBytes(model)), "model file");
}

}  // namespace podsim
