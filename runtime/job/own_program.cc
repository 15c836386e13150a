#include "runtime/job/own_program.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "settings/words.h"

namespace podsim {
namespace {

using google::protobuf::FieldDescriptor;

// What the plan, the trainer and the network in memory go by.
constexpr std::string_view kObeyed[] = {"topology",
                                        "dataset",
                                        "train_steps",
                                        "epochs",
                                        "train_batch_size",
                                        "batch_per_core",
                                        "reference_topology",
                                        "reference_batch_size",
                                        "learning_rate",
                                        "base_learning_rate",
                                        "lr_scaling",
                                        "warmup_steps",
                                        "warmup_init",
                                        "lr_schedule",
                                        "lr_end",
                                        "lr_power",
                                        "lr_decay_at",
                                        "lr_decay_factor",
                                        "momentum",  // if it is the program's
                                        "seed",
                                        "shuffle",
                                        "precision",  // if it is the program's
                                        "eval_batch_size",
                                        "steps_per_eval",
                                        "reduction",
                                        "microbatch_size",
                                        "processes",
                                        "chunk_bytes",
                                        "isa",
                                        "wrap",
                                        "algo",
                                        "wire_dtype",
                                        "choices",
                                        "stall_timeout",
                                        "link_latency",
                                        "overlap_probe",
                                        "host_memory_bytes"};

constexpr char kProgram[] = "the program is the caller's";
constexpr char kUpdate[] =
    "CompileOptions.rule and its fellows say so, for update = Optimizer";
constexpr char kData[] = "the caller opens the data set: PodSetup.dataset";
constexpr char kCheckpoints[] =
    "a pod in one process saves no checkpoints: keep PodResult.variables and "
    "give them back in PodSetup.start";
constexpr char kFigures[] =
    "a pod in one process writes no files: take its figures from "
    "PodSetup.on_step and PodResult";

struct Refusal {
  std::string_view field;
  const char* why;
};

constexpr Refusal kRefusals[] = {
    {"model", kProgram},
    {"hidden", kProgram},
    {"dropout", kProgram},
    {"batch_norm_group", kProgram},
    {"model_config", kProgram},
    {"model_file", kProgram},
    {"bucket_bytes", "CompileOptions.bucket_bytes says so"},
    {"optimizer", kUpdate},
    {"beta1", kUpdate},
    {"beta2", kUpdate},
    {"epsilon", kUpdate},
    {"weight_decay", kUpdate},
    {"weight_decay_exclude", kUpdate},
    {"trust_coefficient", kUpdate},
    {"clip_norm", kUpdate},
    {"data_dir", kData},
    {"example_shape", kData},
    {"classes", kData},
    {"synthetic_examples", kData},
    {"threads", "PodSetup.threads_per_process says so"},
    {"transport", "frames stay in the process"},
    {"metrics_file", kFigures},
    {"tensorboard_dir", kFigures},
    {"log_dir", kFigures},
    {"model_dir", kCheckpoints},
    {"checkpoint_every", kCheckpoints},
    {"checkpoint_every_seconds", kCheckpoints},
    {"keep", kCheckpoints},
    {"restore", kCheckpoints},
    {"restore_weights_only", kCheckpoints},
};

// What else there is takes a coordinator: restarts, faults, audits, leases.
constexpr char kElse[] =
    "a pod in one process does not do that; pod_launch does";

std::string WhyNot(std::string_view field) {
  for (const Refusal& refusal : kRefusals)
    if (refusal.field == field) return refusal.why;
  return kElse;
}

}  // namespace

absl::Status CheckOwnProgram(const JobSpec& spec, const Program& program) {
  std::vector<const FieldDescriptor*> given;
  spec.GetReflection()->ListFields(spec, &given);
  for (const FieldDescriptor* field : given) {
    if (std::find(std::begin(kObeyed), std::end(kObeyed), field->name()) ==
        std::end(kObeyed))
      return absl::InvalidArgumentError(absl::StrCat(
          field->name(), " is set for a program of your own; leave it out: ",
          WhyNot(field->name())));
  }
  const char* precision = program.bfloat16_products ? "bfloat16" : "float32";
  if (!spec.has_precision() || WordOf(spec.precision()) == precision)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("precision is ", WordOf(spec.precision()),
                   ", the program was compiled for ", precision,
                   "; CompileOptions.bfloat16_products says so"));
}

}  // namespace podsim
