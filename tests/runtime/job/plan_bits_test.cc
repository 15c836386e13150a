// The option "bits" of every setting against the plan's hash.
#include "runtime/job/plan_bits.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/job/planner.h"
#include "settings/setting.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Described;
using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::Mnist;
using ::podsim::testing::Spec;
using ::podsim::testing::Synthetic;

// A job that says all that a recipe would, and what is changed in it.
struct Change {
  std::string text;
  std::string also = {};  // what both jobs say besides
};

constexpr char kJob[] =
    "train_steps: 70 learning_rate: 0.05 warmup_steps: 2 hidden: 16 ";
constexpr char kOfAdam[] =
    "batch_per_core: 8 reference_batch_size: 64 optimizer: adam ";
constexpr char kOfLars[] =
    "batch_per_core: 8 reference_batch_size: 64 optimizer: lars ";
constexpr char kBatch[] = "batch_per_core: 8 reference_batch_size: 64 ";
constexpr char kOfAnySize[] =
    "batch_per_core: 8 reference_batch_size: 64 dataset: 'synthetic' ";
constexpr char kOfFiles[] =
    "batch_per_core: 8 reference_batch_size: 64 dataset: 'mnist' "
    "data_dir: 'y' ";

constexpr char kOfShards[] =
    "topology: 'v3-8' batch_per_core: 8 dataset: 'tfrecord' data_dir: 'y' "
    "features: 'features=float32[28,28],labels=int64' shuffle_window: 9 ";

const std::map<std::string, Change>& Changes() {
  static const auto* const kChanges = new std::map<std::string, Change>{
      {"topology", {"topology: 'v3-8'"}},
      {"hidden", {"hidden: 32"}},
      {"dropout", {"dropout: 0.5", absl::StrCat(kBatch, "model: 'encoder' ")}},
      {"batch_norm_group",
       {"batch_norm_group: 8", absl::StrCat(kBatch, "model: 'lenet5_bn' ")}},
      {"wrap", {"wrap: mesh"}},  // hosts' rings need no wrap
      {"twist", {"twist: true", absl::StrCat(kBatch, "topology: 'v4-256' ")}},
      {"dataset", {"dataset: 'synthetic'"}},
      {"data_dir", {"data_dir: 'x'", kOfFiles}},
      {"example_shape", {"example_shape: 14", kOfAnySize}},
      {"classes", {"classes: 5", kOfAnySize}},
      {"synthetic_examples", {"synthetic_examples: 500", kOfAnySize}},
      {"features",
       {"features: 'features=float32[28,28],labels=int32'", kOfShards}},
      {"shuffle_window", {"shuffle_window: 8", kOfShards}},
      {"input_threads", {"input_threads: 3"}},
      {"input_memory", {"input_memory: 10000000"}},
      {"train_steps", {"train_steps: 140"}},
      {"epochs", {"epochs: 2"}},
      {"train_batch_size", {"train_batch_size: 512"}},
      {"batch_per_core", {"batch_per_core: 16"}},
      {"reference_topology",
       {"reference_topology: 'v3-32'",
        "batch_per_core: 8 reference_topology: 'v3-8' "}},
      {"reference_batch_size", {"reference_batch_size: 128"}},
      {"learning_rate", {"learning_rate: 0.01"}},
      {"base_learning_rate", {"base_learning_rate: 0.01"}},
      {"lr_scaling", {"lr_scaling: sqrt"}},
      {"warmup_steps", {"warmup_steps: 3"}},
      {"warmup_init", {"warmup_init: 0.5"}},
      {"lr_schedule", {"lr_schedule: cosine"}},
      {"lr_end", {"lr_end: 0.5", absl::StrCat(kBatch, "lr_schedule: linear ")}},
      {"lr_power",
       {"lr_power: 2", absl::StrCat(kBatch, "lr_schedule: polynomial ")}},
      {"lr_decay_at", {"lr_schedule: step lr_decay_at: 0.5"}},
      {"lr_decay_factor",
       {"lr_decay_factor: 0.5",
        absl::StrCat(kBatch, "lr_schedule: step lr_decay_at: 0.5 ")}},
      {"optimizer", {"optimizer: nesterov"}},
      {"momentum", {"momentum: 0.5"}},
      {"beta1", {"beta1: 0.5", kOfAdam}},
      {"beta2", {"beta2: 0.5", kOfAdam}},
      {"epsilon", {"epsilon: 0.5", kOfAdam}},
      {"weight_decay", {"weight_decay: 0.5"}},
      {"weight_decay_exclude",
       {"weight_decay_exclude: 'bias'",
        absl::StrCat(kBatch, "weight_decay: 0.5 ")}},
      {"trust_coefficient", {"trust_coefficient: 0.5", kOfLars}},
      {"clip_norm", {"clip_norm: 1"}},
      {"seed", {"seed: 1"}},
      {"shuffle", {"shuffle: false"}},
      {"eval_batch_size", {"eval_batch_size: 64"}},
      {"steps_per_eval", {"steps_per_eval: 5"}},
      {"precision", {"precision: float32"}},
      {"isa", {"isa: v2"}},
      {"algo", {"algo: torus2d"}},
      {"wire_dtype", {"wire_dtype: bfloat16"}},
      {"reduction", {"reduction: tree microbatch_size: 8", kBatch}},
      {"microbatch_size",
       {"microbatch_size: 4",
        absl::StrCat(kBatch, "reduction: tree microbatch_size: 8 ")}},
      {"bucket_bytes", {"bucket_bytes: 1024"}},
      {"ici_algorithm", {"ici_algorithm: ring"}},
      {"ici_dtype", {"ici_dtype: bfloat16"}},
      {"ici_fault", {"ici_fault: 'link:(0,0)-(1,0):0.5'"}},
      {"attention", {"attention: plain"}},
      {"remat", {"remat: none"}},
      {"processes", {"processes: 2"}},
      {"threads", {"threads: 3"}},
      // By way of "auto", for buckets between the two tables' steps.
      {"transport",
       {"transport: tcp",
        absl::StrCat(kOfAnySize, "example_shape: [100, 100] ")}},
      {"chunk_bytes", {"chunk_bytes: 1024"}},
      {"link_latency", {"link_latency: 0.5"}},
      {"overlap_probe", {"overlap_probe: 0"}},
      {"host_memory_bytes", {"host_memory_bytes: 1073741824"}},
      {"model_dir", {"model_dir: '/m'"}},
      {"checkpoint_every", {"model_dir: '/m' checkpoint_every: 5"}},
      {"checkpoint_every_seconds",
       {"model_dir: '/m' checkpoint_every_seconds: 5"}},
      {"keep", {"model_dir: '/m' keep: 2"}},
      {"restore", {"restore: '/m/100'"}},
      {"restore_weights_only",
       {"restore: '/m/100' restore_weights_only: true"}},
      {"mode", {"restore: '/m/100' mode: eval"}},
      {"max_restarts", {"max_restarts: 1"}},
      {"weights_check_every", {"weights_check_every: 1"}},
      {"audit_every", {"audit_every: 1"}},
      {"on_corruption", {"model_dir: '/m' on_corruption: restore"}},
      {"zone", {"zone: 'europe-west4-a'"}},
      {"bucket_location", {"model_dir: 'gs://bucket/m' bucket_location: 'eu'"}},
      {"require_same_region", {"require_same_region: false"}},
      {"simulate_geography",
       {"model_dir: '/m' bucket_location: 'eu' simulate_geography: true"}},
      {"initialization_timeout", {"initialization_timeout: 1"}},
      {"heartbeat_timeout", {"heartbeat_timeout: 1"}},
      {"stall_timeout", {"stall_timeout: 1"}},
      {"shutdown_timeout", {"shutdown_timeout: 1"}},
      {"run_name", {"run_name: 'x'"}},
      {"metrics_file", {"metrics_file: 'x'"}},
      {"tensorboard_dir", {"tensorboard_dir: 'x'"}},
      {"sim_combine_bytes", {"sim_combine_bytes: 4"}},
      {"sim_sharded_update", {"sim_sharded_update: true"}},
      {"log_dir", {"log_dir: 'x'"}},
      {"trace", {"trace: 'x'"}},
      {"profile_dir", {"profile_dir: 'x'"}},
      {"trace_steps", {"trace: 'x' trace_steps: '2:3'"}},
  };
  return *kChanges;
}

// As the program would describe it.
DatasetConfig DatasetOf(const JobSpec& spec) {
  if (spec.dataset() == "mnist") return Mnist();
  if (spec.dataset() == "tfrecord") {
    DatasetConfig shards = Described("tfrecord", 28, 500, 0);
    shards.set_features(spec.features());
    shards.set_shuffle_window(spec.shuffle_window());
    shards.set_shards(3);
    return shards;
  }
  if (spec.dataset() != "synthetic") return Digits();
  DatasetConfig dataset = Synthetic();
  if (!spec.example_shape().empty())
    *dataset.mutable_example_shape() = spec.example_shape();
  if (spec.has_classes()) dataset.set_classes(spec.classes());
  if (spec.has_synthetic_examples())
    dataset.set_train_examples(spec.synthetic_examples());
  return dataset;
}

absl::StatusOr<std::string> PlanHash(const JobSpec& spec) {
  PODSIM_ASSIGN_OR_RETURN(const JobPlan plan,
                          PlanJob(spec, Inputs(DatasetOf(spec))));
  return plan.hash();
}

TEST(BitsOptionTest, SaysWhatThePlansHashCovers) {
  const auto& descriptor = *JobSpec::descriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const auto& field = *descriptor.field(i);
    const Setting& rule = SettingOf(field);
    if (rule.no_flag()) continue;
    // Their bits are the model's hash (planner_model_test).
    if (field.name() == "model" || field.name() == "model_file" ||
        field.name() == "model_config")
      continue;
    SCOPED_TRACE(field.name());
    const auto change = Changes().find(field.name());
    ASSERT_NE(change, Changes().end()) << "a setting without a change here";
    const JobSpec job = Spec(absl::StrCat(
        kJob, change->second.also.empty() ? kBatch : change->second.also));
    ASSERT_OK_AND_ASSIGN(const std::string before, PlanHash(job));
    ASSERT_OK_AND_ASSIGN(const std::string after,
                         PlanHash(MergeSpecs(job, Spec(change->second.text))));
    EXPECT_EQ(before != after, rule.bits());
  }
}

}  // namespace
}  // namespace podsim
