#include "tests/golden/golden_setup.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/stream.h"
#include "models/graph/compile.h"
#include "models/kernels/kernels.h"
#include "models/zoo/zoo.h"

namespace podsim::testing {
namespace {

// Golden examples at the places where the stream of `seed` looks for them.
class GoldenDataset final : public Dataset {
 public:
  GoldenDataset(const GoldenModel& model, std::uint64_t seed)
      : examples_(DrawExamples(model.seed, model.steps * model.batch)) {
    const std::int64_t count = model.steps * model.batch;
    config_.set_name("golden");
    config_.set_classes(static_cast<std::int32_t>(kGoldenClasses));
    config_.set_train_examples(count);
    AddField("features", "float32", {8, 8});
    AddField("tokens", "int32", {static_cast<std::int32_t>(kGoldenPixels)});
    AddField("labels", "int32", {});
    places_.resize(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k)
      places_[static_cast<std::size_t>(ExampleAt(seed, count, k))] = k;
  }

  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples() : 0;
  }
  const DatasetConfig& config() const override { return config_; }
  absl::Status Read(Split split, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    PODSIM_CHECK(index >= 0 && index < size(split) && rows.size() == 3);
    const std::int64_t place = places_[static_cast<std::size_t>(index)];
    std::copy_n(examples_.features.begin() + place * kGoldenPixels,
                kGoldenPixels, RowValues<float>(rows[0]).begin());
    std::copy_n(examples_.tokens.begin() + place * kGoldenPixels, kGoldenPixels,
                RowValues<std::int32_t>(rows[1]).begin());
    RowValues<std::int32_t>(rows[2])[0] =
        examples_.labels[static_cast<std::size_t>(place)];
    return absl::OkStatus();
  }

 private:
  void AddField(const char* name, const char* dtype,
                const std::vector<std::int32_t>& shape) {
    DataFieldConfig& field = *config_.add_fields();
    field.set_name(name);
    field.set_dtype(dtype);
    for (const std::int32_t side : shape) field.add_shape(side);
  }

  const GoldenExamples examples_;
  DatasetConfig config_;
  std::vector<std::int64_t> places_;  // in the stream, by index
};

// The golden weights where the Program has them; slots are 0.
absl::StatusOr<std::vector<float>> FirstVariables(const GoldenModel& model,
                                                  const Program& program) {
  const auto weights =
      std::count_if(program.variables.begin(), program.variables.end(),
                    [](const ProgramVariable& each) { return !each.is_slot; });
  if (weights != static_cast<std::ptrdiff_t>(model.variables.size()))
    return absl::InvalidArgumentError(
        absl::StrCat("the zoo's ", program.name, " has ", weights,
                     " variables, the golden one ", model.variables.size()));
  std::vector<float> all(static_cast<std::size_t>(program.variable_elements));
  for (const GoldenVariable& variable : model.variables) {
    const TensorId id = FindTensor(program, variable.name);
    if (id == kNoTensor || program.tensor(id).shape.dims != variable.shape)
      return absl::InvalidArgumentError(absl::StrCat("the zoo's ", program.name,
                                                     " has no ", variable.name,
                                                     " of the golden shape"));
    const std::vector<float> drawn = DrawWeights(model.seed, variable);
    std::copy(drawn.begin(), drawn.end(),
              all.begin() + program.tensor(id).offset);
  }
  return all;
}

// Panels and buckets small enough for several of each.
void SplitWork(const GoldenSlice& slice, std::int64_t batch, JobPlan& plan) {
  PlanBits& bits = *plan.mutable_bits();
  bits.set_hosts(slice.hosts);
  bits.set_cores_per_host(slice.cores_per_host);
  for (int host = 0; host < slice.hosts; ++host) {
    bits.add_ring(host);
    plan.add_first_host(host);
  }
  const std::int64_t cores = std::int64_t{slice.hosts} * slice.cores_per_host;
  bits.set_batch_per_core(batch / cores);
  bits.set_microbatch_size(slice.microbatch);
  bits.set_reduction(slice.microbatch > 0 ? "tree" : "fused");
  bits.set_bucket_bytes(4096);
  bits.set_panel_rows(64);
  bits.set_panel_columns(kColumnCut);
  bits.set_k_block(16);
  plan.set_global_batch(batch);
  plan.set_eval_batch_per_core(batch / cores);
  plan.set_chunk_elements(256);
  plan.mutable_spec()->set_processes(slice.hosts);
  plan.mutable_spec()->set_stall_timeout(20);
}

}  // namespace

absl::StatusOr<PodSetup> GoldenSetup(const GoldenModel& model,
                                     const GoldenCase& golden,
                                     const GoldenSlice& slice) {
  PodSetup setup;
  PlanBits& bits = *setup.plan.mutable_bits();
  bits = golden.bits;
  bits.set_precision("float32");
  bits.set_seed(1);  // of the stream, which the data set knows
  SplitWork(slice, model.batch, setup.plan);
  setup.plan.set_train_steps(model.steps);
  PODSIM_ASSIGN_OR_RETURN(const std::string isa, BestIsa());
  bits.set_isa(isa);
  PODSIM_ASSIGN_OR_RETURN(setup.kernels, LoadKernels(isa));
  setup.dataset = std::make_shared<const GoldenDataset>(model, bits.seed());
  *bits.mutable_dataset() = setup.dataset->config();
  PODSIM_ASSIGN_OR_RETURN(Program program,
                          BuildProgram(bits.model(), OptionsOf(bits)));
  PODSIM_ASSIGN_OR_RETURN(setup.start.variables,
                          FirstVariables(model, program));
  for (const GradientBucket& bucket : program.buckets) {
    Bucket& planned = *bits.add_buckets();
    planned.set_algorithm(slice.microbatch > 0 ? "halving_doubling" : "ring");
    planned.set_begin(bucket.begin);
    planned.set_count(bucket.count);
  }
  setup.program = std::make_shared<const Program>(std::move(program));
  return setup;
}

std::span<const float> FindVariable(const Program& program,
                                    std::span<const float> variables,
                                    const std::string& name) {
  const TensorId id = FindTensor(program, name);
  if (id == kNoTensor) return {};
  const ProgramTensor& tensor = program.tensor(id);
  return variables.subspan(static_cast<std::size_t>(tensor.offset),
                           static_cast<std::size_t>(tensor.shape.elements()));
}

}  // namespace podsim::testing
