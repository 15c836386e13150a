#include "tests/host/checkpoint/checkpoint_fixture.h"

#include "base/random.h"
#include "base/status.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/parts_path.h"
#include "host/checkpoint/save.h"
#include "models/rules/update_rules.h"
#include "models/zoo/zoo.h"
#include "tests/testing/gcs/double_store.h"

namespace podsim::testing {

Program TrainedMlp(const std::vector<int>& hidden, const std::string& rule) {
  ModelConfig config;
  config.set_name("mlp");
  for (const int width : hidden) config.add_hidden(width);
  config.add_example_shape(3);
  config.add_example_shape(4);
  config.set_classes(5);
  CompileOptions options;
  options.rule = rule;
  options.rule_settings = FindUpdateRule(rule)->info.defaults;
  absl::StatusOr<Program> program = BuildProgram(config, options);
  PODSIM_CHECK(program.ok());
  return *std::move(program);
}

std::vector<float> SomeVariables(const Program& program, std::uint64_t seed) {
  std::vector<float> values(program.variable_elements);
  const std::uint64_t key = RandomKey(seed, "variables");
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = UniformFloat(key, i) - 0.5f;
  return values;
}

absl::StatusOr<CheckpointManifest> WriteParts(
    ObjectStore& store, const std::string& model_dir, const Program& program,
    const std::vector<float>& variables, std::int64_t step,
    std::int64_t stamp) {
  PODSIM_RETURN_IF_ERROR(Begin(store, model_dir, stamp));
  CheckpointManifest manifest;
  manifest.set_format(1);
  manifest.set_step(step);
  manifest.set_examples_consumed(step * kBatch);
  manifest.set_plan_hash("1f2e");
  manifest.set_build_id("0.1.0 g++");
  manifest.set_wall_time(1.5e9 + static_cast<double>(step));
  manifest.mutable_bits()->set_slice("v3-32");
  manifest.mutable_bits()->set_hosts(kHosts);
  manifest.mutable_bits()->set_cores_per_host(kBatch / 8 / kHosts);
  manifest.mutable_bits()->set_batch_per_core(8);
  manifest.mutable_bits()->mutable_learning_rate()->set_peak(0.1);
  Stint& stint = *manifest.add_stints();
  stint.set_slice("v3-32");
  stint.set_plan_hash("1f2e");
  stint.set_global_batch(kBatch);
  stint.set_last_step(step);
  stint.set_end_example(step * kBatch);
  for (const CheckpointTensor& tensor : TensorsOf(program, kHosts))
    *manifest.add_tensors() = tensor;
  const std::string directory = PartsPath(store, model_dir, step, stamp);
  for (int host = 0; host < kHosts; ++host) {
    const auto image = EncodePart(program, variables, host, kHosts, step);
    if (!image) continue;
    PODSIM_ASSIGN_OR_RETURN(*manifest.add_files(),
                            WritePart(store, directory, *image));
  }
  return manifest;
}

absl::Status SaveCheckpoint(ObjectStore& store, const std::string& model_dir,
                            const Program& program,
                            const std::vector<float>& variables,
                            std::int64_t step, std::int64_t stamp) {
  PODSIM_ASSIGN_OR_RETURN(
      const CheckpointManifest manifest,
      WriteParts(store, model_dir, program, variables, step, stamp));
  return Commit(store, model_dir, stamp, manifest);
}

absl::Status Begin(ObjectStore& store, const std::string& model_dir,
                   std::int64_t stamp) {
  PODSIM_ASSIGN_OR_RETURN(HeldDir held, HeldDir::Open(store, model_dir));
  return held.Note([stamp](JobRecord& record) { record.Begin(stamp); });
}

absl::Status Commit(ObjectStore& store, const std::string& model_dir,
                    std::int64_t stamp, const CheckpointManifest& manifest,
                    const AnnounceChange& announce) {
  PODSIM_ASSIGN_OR_RETURN(HeldDir held,
                          HeldDir::Open(store, model_dir, announce));
  return CommitCheckpoint(held, stamp, manifest);
}

absl::Status Prune(ObjectStore& store, const std::string& model_dir, int keep,
                   std::int64_t proved, const AnnounceChange& announce,
                   const OnPruned& on_pruned) {
  PODSIM_ASSIGN_OR_RETURN(HeldDir held,
                          HeldDir::Open(store, model_dir, announce));
  return PruneCheckpoints(held, keep, proved, on_pruned);
}

absl::Status Clean(ObjectStore& store, const std::string& model_dir,
                   const AnnounceChange& announce) {
  PODSIM_ASSIGN_OR_RETURN(HeldDir held,
                          HeldDir::Open(store, model_dir, announce));
  return CleanUnfinished(held);
}

absl::Status SetAside(ObjectStore& store, const std::string& model_dir,
                      std::int64_t step, std::int64_t stamp) {
  PODSIM_ASSIGN_OR_RETURN(HeldDir held, HeldDir::Open(store, model_dir));
  return SetAsideNewer(held, step, stamp);
}

absl::StatusOr<std::vector<std::string>> FilesBelow(
    ObjectStore& store, const std::string& directory) {
  std::vector<std::string> files;
  const auto names = store.List(directory);
  if (absl::IsNotFound(names.status())) return files;
  PODSIM_RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    const std::string path = absl::StrCat(directory, "/", name);
    if (name.back() != '/') {
      files.push_back(path);
      continue;
    }
    PODSIM_ASSIGN_OR_RETURN(const auto below,
                            FilesBelow(store, path.substr(0, path.size() - 1)));
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

std::vector<StoreKind> StoreKinds() {
  return {{"local", NewLocalStore},
          {"memory", NewMemoryStore},
          {"memory_without_rename", NewMemoryStoreWithoutRename},
          {"gcs", NewGcsDoubleStore}};
}

}  // namespace podsim::testing
