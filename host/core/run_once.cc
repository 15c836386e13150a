#include "host/core/run_once.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/core/packed_variables.h"

namespace podsim {
namespace {

class InTurn : public ParallelFor {
 public:
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    for (std::int64_t i = 0; i < count; ++i) fn(i);
  }
};

absl::Status CheckVariables(const Program& program, const OnceValues& values) {
  for (const ProgramVariable& variable : program.variables) {
    if (variable.is_slot) continue;
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    const auto found = values.variables.find(tensor.name);
    const std::int64_t count = tensor.shape.elements();
    const std::int64_t given =
        found == values.variables.end()
            ? 0
            : static_cast<std::int64_t>(found->second.size());
    if (found == values.variables.end() || given != count)
      return absl::InvalidArgumentError(
          absl::StrCat("variable ", tensor.name, " needs ", count,
                       " numbers of float32, and ", given,
                       " are given; give them as variable/", tensor.name));
  }
  return absl::OkStatus();
}

// Not multiplied: how many rows there are, a file says.
bool IsRows(std::int64_t bytes, std::int64_t row, std::int64_t rows) {
  return row == 0 ? bytes == 0 : bytes % row == 0 && bytes / row == rows;
}

absl::Status CheckInputs(const Program& program, const OnceValues& values) {
  for (const ProgramInput& input : program.inputs) {
    if (input.is_example_weight) continue;
    const ProgramTensor& tensor = program.tensor(input.tensor);
    const auto found = values.inputs.find(tensor.name);
    const bool fits =
        found != values.inputs.end() && found->second.dtype == tensor.dtype &&
        IsRows(static_cast<std::int64_t>(found->second.bytes.size()),
               tensor.shape.elements() * SizeOf(tensor.dtype), values.rows);
    if (!fits)
      return absl::InvalidArgumentError(
          absl::StrCat("input ", tensor.name, " needs ", ToString(tensor.dtype),
                       " ", ToString(tensor.shape), " with B ", values.rows,
                       "; give it as input/", tensor.name));
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(const Program& program, const OnceValues& values) {
  // As doubles: the product of a model's sizes and a file's rows may be more
  // than a whole number holds.
  const double per_row = static_cast<double>(program.batched_elements_per_row) +
                         static_cast<double>(program.output_elements_per_row);
  const double places = 2 * static_cast<double>(program.variable_elements) +
                        static_cast<double>(program.gradient_elements) +
                        static_cast<double>(program.per_core_elements) +
                        static_cast<double>(program.scratch_elements) +
                        per_row * static_cast<double>(values.rows);
  const double bytes = sizeof(float) * places;
  if (bytes <= static_cast<double>(values.memory_bytes))
    return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the pass takes ", bytes / (1 << 20), " MiB, there are ",
                   values.memory_bytes >> 20,
                   " MiB; give it fewer examples than ", values.rows));
}

std::vector<float> Zeros(std::int64_t count) {
  return std::vector<float>(static_cast<std::size_t>(count));
}

class Once {
 public:
  Once(const Program& program, const PodsimKernels& kernels,
       const OnceValues& values)
      : program_(program),
        kernels_(kernels),
        values_(values),
        variables_(Zeros(program.variable_elements)),
        gradients_(Zeros(program.gradient_elements)),
        batched_(Zeros(program.batched_elements_per_row * values.rows)),
        per_core_(Zeros(program.per_core_elements)),
        scratch_(Zeros(program.scratch_elements)),
        outputs_(Zeros(program.output_elements_per_row * values.rows)),
        shares_(static_cast<std::size_t>(values.rows),
                1.0F / static_cast<float>(values.rows)),
        packed_(program, kernels),
        fusions_(program, kernels) {}

  absl::StatusOr<OnceResults> Run() {
    SetVariables();
    SetInputs();
    packed_.Pack(program_, variables_, panels_.columns, parallel_);
    OnceResults results;
    if (program_.loss != kNoTensor) {
      PODSIM_RETURN_IF_ERROR(RunEntry(EntryPoint::kTrainMicrobatch));
      results.metrics = Metrics(MetricPasses::kEvaluation);
      for (const GradientBucket& bucket : program_.buckets)
        for (std::size_t i = 0; i < bucket.gradients.size(); ++i) {
          const ProgramTensor& from = program_.tensor(bucket.gradients[i]);
          results.gradients[program_.tensor(bucket.variables[i]).name] =
              Part(gradients_, from.offset, from.shape.elements());
        }
    }
    PODSIM_RETURN_IF_ERROR(RunEntry(EntryPoint::kEval));
    results.evaluation = Metrics(MetricPasses::kTraining);
    return results;
  }

 private:
  static std::vector<float> Part(const std::vector<float>& arena,
                                 std::int64_t begin, std::int64_t count) {
    return {arena.begin() + begin, arena.begin() + begin + count};
  }

  void SetVariables() {
    for (const ProgramVariable& variable : program_.variables) {
      if (variable.is_slot) continue;
      const ProgramTensor& tensor = program_.tensor(variable.tensor);
      const std::vector<float>& from = values_.variables.at(tensor.name);
      std::copy(from.begin(), from.end(), variables_.begin() + tensor.offset);
    }
  }

  void SetInputs() {
    for (const ProgramInput& input : program_.inputs)
      inputs_.push_back(
          input.is_example_weight
              ? RowsOf(DType::kFloat32, std::span<const float>(shares_))
              : values_.inputs.at(program_.tensor(input.tensor).name));
  }

  CoreBuffers Buffers() {
    CoreBuffers buffers;
    buffers.variables = variables_;
    buffers.packed = &packed_;
    buffers.fusions = &fusions_;
    buffers.workspace = &workspace_;
    buffers.gradients = gradients_;
    buffers.batched = batched_;
    buffers.per_core = per_core_;
    buffers.scratch = scratch_;
    buffers.outputs = outputs_;
    buffers.inputs = inputs_;
    return buffers;
  }

  absl::Status RunEntry(EntryPoint entry) {
    for (const Segment& segment : program_.entries.at(entry)) {
      if (segment.joins_tensor())
        return absl::UnimplementedError(
            "the pass waits for other cores (all_reduce); one core alone "
            "cannot run it");
      if (segment.kind != SegmentKind::kCompute) continue;
      PODSIM_RETURN_IF_ERROR(RunSegment(program_, segment, values_.rows,
                                        panels_, {0, 1}, kernels_, parallel_,
                                        Buffers()));
    }
    return absl::OkStatus();
  }

  // Without those that are of other passes alone.
  std::map<std::string, std::vector<float>> Metrics(MetricPasses other) const {
    std::map<std::string, std::vector<float>> metrics;
    for (const ProgramMetric& metric : program_.metrics) {
      if (metric.passes == other) continue;
      const ProgramTensor& tensor = program_.tensor(metric.tensor);
      metrics[metric.name] =
          Part(outputs_, tensor.offset * values_.rows, values_.rows);
    }
    return metrics;
  }

  const Program& program_;
  const PodsimKernels& kernels_;
  const OnceValues& values_;
  std::vector<float> variables_;
  std::vector<float> gradients_;
  std::vector<float> batched_;
  std::vector<float> per_core_;
  std::vector<float> scratch_;
  std::vector<float> outputs_;
  std::vector<float> shares_;
  std::vector<InputRows> inputs_;
  PackedVariables packed_;
  Fusions fusions_;
  Workspace workspace_;
  InTurn parallel_;
  Panels panels_;
};

}  // namespace

absl::StatusOr<OnceResults> RunOnce(const Program& program,
                                    const PodsimKernels& kernels,
                                    const OnceValues& values) {
  if (values.rows < 1)
    return absl::InvalidArgumentError(
        "needs at least one example, a row in each tensor input/NAME");
  PODSIM_RETURN_IF_ERROR(CheckVariables(program, values));
  PODSIM_RETURN_IF_ERROR(CheckInputs(program, values));
  PODSIM_RETURN_IF_ERROR(CheckMemory(program, values));
  return Once(program, kernels, values).Run();
}

}  // namespace podsim
