#include "runtime/ckpt/explanation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/part_file.h"
#include "interconnect/topology/slice.h"
#include "runtime/ckpt/ckpt_text.h"
#include "runtime/job/model_text.h"
#include "runtime/job/optimizer.h"

namespace podsim {
namespace {

// "mlp 64-256-10 on digits (1,498 examples)".
std::string TrainedText(const PlanBits& bits) {
  return absl::StrCat(ModelText(bits), " (",
                      FormatCount(bits.dataset().train_examples()),
                      " examples)");
}

std::string RateText(const PlanBits& bits) {
  const std::int64_t warmup = bits.learning_rate().warmup_examples();
  return absl::StrCat(
      bits.learning_rate().peak(),
      warmup > 0
          ? absl::StrCat(", reached after ", FormatCount(warmup), " examples")
          : " from the first example",
      bits.learning_rate().schedule().empty()
          ? ""
          : absl::StrCat(", then ", bits.learning_rate().schedule()),
      "; ",
      (bits.optimizer().empty() || bits.optimizer() == "sgd") &&
              !bits.has_update()
          ? absl::StrCat("momentum ", bits.momentum())
          : OptimizerText(bits));
}

std::string PlanText(const CheckpointManifest& manifest) {
  const PlanBits& bits = manifest.bits();
  const std::int64_t replicas =
      std::int64_t{bits.hosts()} * bits.cores_per_host();
  const std::string replica = ReplicaNameOf(bits.slice());
  return absl::StrCat(
      Labelled("plan", manifest.plan_hash()),
      Labelled("build", manifest.build_id()),
      Labelled("slice", absl::StrCat(bits.slice(), ": ",
                                     FormatCounted(bits.hosts(), "host"), " x ",
                                     bits.cores_per_host(), " ", replica,
                                     "s = ", FormatCount(replicas))),
      Labelled("model", TrainedText(bits)),
      Labelled("batch",
               absl::StrCat(
                   FormatCount(bits.batch_per_core()), " per ", replica, ", ",
                   FormatCount(bits.batch_per_core() * replicas), " global")),
      Labelled("rate", RateText(bits)),
      Labelled(
          "numerics",
          absl::StrCat(bits.precision(), " products, ", bits.gradient_dtype(),
                       " sums (", bits.reduction(), "), kernels ", bits.isa(),
                       " (", bits.kernel_library(), "), seed ", bits.seed())));
}

// How often each example was seen: every epoch has each once.
std::string AccountText(const CheckpointManifest& manifest) {
  const std::int64_t examples = manifest.bits().dataset().train_examples();
  const std::int64_t consumed = manifest.examples_consumed();
  if (examples < 1) return absl::StrCat(FormatCount(consumed), " in all");
  return absl::StrCat(FormatCount(consumed), " in all: each of ",
                      FormatCount(examples), " seen ",
                      FormatCount(consumed / examples), " times, ",
                      FormatCount(consumed % examples), " of them once more");
}

std::string StintsText(const CheckpointManifest& manifest) {
  std::string text = Labelled("examples", AccountText(manifest));
  const char* label = "stints";
  for (const Stint& stint : manifest.stints()) {
    text += Labelled(
        label,
        absl::StrCat("steps ", FormatCount(stint.first_step() + 1), " to ",
                     FormatCount(stint.last_step()), " on ", stint.slice(),
                     ", batch ", FormatCount(stint.global_batch()),
                     ": examples ", FormatCount(stint.first_example()),
                     " up to ", FormatCount(stint.end_example()), " (plan ",
                     ShortHash(stint.plan_hash()), ")"));
    label = "";
  }
  return text;
}

struct Values {
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -std::numeric_limits<float>::infinity();
  double sum = 0;
  std::int64_t finite = 0;
  std::int64_t others = 0;  // inf and nan
};

void Count(std::string_view bytes, Values& values) {
  for (; !bytes.empty(); bytes.remove_prefix(sizeof(float))) {
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    if (!std::isfinite(value)) {
      ++values.others;
      continue;
    }
    ++values.finite;
    values.sum += value;
    values.smallest = std::min(values.smallest, value);
    values.largest = std::max(values.largest, value);
  }
}

std::vector<std::string> TensorRow(const CheckpointTensor& tensor,
                                   const Values& values) {
  const auto number = [&](double value) {
    return values.finite == 0 ? "-" : absl::StrFormat("%.4g", value);
  };
  const double mean = values.sum / static_cast<double>(std::max<std::int64_t>(
                                       1, values.finite));
  return {tensor.name(),
          ShapeText(tensor),
          number(values.smallest),
          number(values.largest),
          number(mean),
          tensor.file(),
          values.others == 0 ? "" : FormatCount(values.others) + " not finite"};
}

}  // namespace

absl::StatusOr<std::string> Explain(ObjectStore& store,
                                    const CheckpointAt& checkpoint,
                                    absl::Time now) {
  const CheckpointManifest& manifest = checkpoint.manifest;
  std::map<std::string, Values> values;
  for (const CheckpointFile& file : manifest.files()) {
    PODSIM_RETURN_IF_ERROR(ReadPart(
        store, checkpoint.files, manifest, file,
        [&](const CheckpointTensor& tensor, std::int64_t,
            std::string_view bytes) { Count(bytes, values[tensor.name()]); }));
  }
  std::vector<std::vector<std::string>> rows;
  for (const CheckpointTensor& tensor : manifest.tensors())
    rows.push_back(TensorRow(tensor, values[tensor.name()]));
  return absl::StrCat(
      Labelled("checkpoint", checkpoint.path),
      Labelled("step", FormatCount(manifest.step())),
      Labelled("written", absl::StrCat(WrittenText(manifest), ", ",
                                       AgeText(manifest, now), " ago")),
      PlanText(manifest), StintsText(manifest),
      Labelled("files", absl::StrCat(manifest.files_size(), ", ",
                                     FormatBytes(BytesOf(manifest)),
                                     ", every byte verified")),
      "\n",
      Table({"tensor", "shape", "min", "max", "mean", "file", ""}, rows,
            {false, true, true, true, true, false, false}));
}

}  // namespace podsim
