#include "tests/runtime/coordinator/saved_run.h"

#include "absl/strings/str_cat.h"
#include "base/build.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/save.h"
#include "job/plan_program.h"

namespace podsim::testing {

JobPlan SmallPlan(const std::string& model_dir) {
  JobPlan plan;
  PlanBits& bits = *plan.mutable_bits();
  bits.set_slice("v3-32");
  bits.set_hosts(kHosts);
  bits.set_cores_per_host(8);
  bits.mutable_model()->set_name("mlp");
  bits.mutable_model()->add_hidden(8);
  bits.mutable_model()->add_example_shape(3);
  bits.mutable_model()->add_example_shape(4);
  bits.mutable_model()->set_classes(5);
  bits.mutable_dataset()->set_name("digits");
  bits.mutable_dataset()->set_train_examples(1498);
  bits.mutable_dataset()->set_fingerprint("0123456789abcdef");
  bits.set_batch_per_core(8);
  bits.set_seed(7);
  bits.set_precision("float32");
  bits.set_momentum(0.9);
  bits.set_bucket_bytes(4096);
  SetProgram(TrainedMlp({8}), plan);
  plan.set_hash("1f2e");
  plan.set_global_batch(kBatch);
  plan.set_train_steps(100);
  plan.set_total_examples(100 * kBatch);
  plan.mutable_spec()->set_model_dir(model_dir);
  plan.mutable_spec()->set_mode(words::Mode::train);
  return plan;
}

absl::StatusOr<CheckpointManifest> WritePlannedParts(ObjectStore& store,
                                                     const JobPlan& plan,
                                                     std::int64_t step,
                                                     std::int64_t stamp) {
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  PODSIM_ASSIGN_OR_RETURN(
      CheckpointManifest manifest,
      WriteParts(store, plan.spec().model_dir(), program,
                 SomeVariables(program, static_cast<std::uint64_t>(step)), step,
                 stamp));
  manifest.clear_tensors();
  *manifest.mutable_bits() = plan.bits();
  manifest.set_plan_hash(plan.hash());
  manifest.set_build_id(BuildId());
  return manifest;
}

absl::Status SavePlanned(ObjectStore& store, const JobPlan& plan,
                         std::int64_t step, const std::string& build_id,
                         std::int64_t stamp) {
  PODSIM_ASSIGN_OR_RETURN(CheckpointManifest manifest,
                          WritePlannedParts(store, plan, step, stamp));
  if (!build_id.empty()) manifest.set_build_id(build_id);
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  for (const CheckpointTensor& tensor : TensorsOf(program, kHosts))
    *manifest.add_tensors() = tensor;
  return Commit(store, plan.spec().model_dir(), stamp, manifest);
}

absl::Status Prepare(ObjectStore& store, const JobPlan& plan,
                     std::int64_t stamp, RunStart& start) {
  PODSIM_ASSIGN_OR_RETURN(HeldDir held,
                          HeldDir::Open(store, plan.spec().model_dir()));
  return PrepareModelDir(held, stamp, start);
}

void Leave(ObjectStore& store, const JobPlan& plan, std::int64_t stamp) {
  const auto held = HeldDir::Open(store, plan.spec().model_dir());
  PODSIM_CHECK(held.ok());
  LeaveModelDir(*held, stamp);
}

void Damage(ObjectStore& store, const JobPlan& plan, std::int64_t step) {
  const auto files = FilesOf(store, StepPath(plan.spec().model_dir(), step));
  PODSIM_CHECK(files.ok());
  const std::string path = absl::StrCat(*files, "/", PartName(1, kHosts));
  auto bytes = store.Read(path);
  PODSIM_CHECK(bytes.ok());
  bytes->back() = static_cast<char>(bytes->back() ^ 1);
  PODSIM_CHECK(store.Write(path, *bytes).ok());
}

}  // namespace podsim::testing
