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
        packed_(program, kernels) {}

  absl::StatusOr<OnceResults> Run() {
    PODSIM_RETURN_IF_ERROR(SetVariables());
    PODSIM_RETURN_IF_ERROR(SetInputs());
    packed_.Pack(program_, variables_, panels_.columns, parallel_);
    OnceResults results;
    if (program_.loss != kNoTensor) {
      PODSIM_RETURN_IF_ERROR(RunEntry(EntryPoint::kTrainMicrobatch));
      results.metrics = Metrics();
      for (const GradientBucket& bucket : program_.buckets)
        for (std::size_t i = 0; i < bucket.gradients.size(); ++i) {
          const ProgramTensor& from = program_.tensor(bucket.gradients[i]);
          results.gradients[program_.tensor(bucket.variables[i]).name] =
              Part(gradients_, from.offset, from.shape.elements());
        }
    }
    PODSIM_RETURN_IF_ERROR(RunEntry(EntryPoint::kEval));
    results.evaluation = Metrics();
    return results;
  }

 private:
  static std::vector<float> Part(const std::vector<float>& arena,
                                 std::int64_t begin, std::int64_t count) {
    return {arena.begin() + begin, arena.begin() + begin + count};
  }

  absl::Status SetVariables() {
    for (const ProgramVariable& variable : program_.variables) {
      if (variable.is_slot) continue;
      const ProgramTensor& tensor = program_.tensor(variable.tensor);
      const auto found = values_.variables.find(tensor.name);
      const std::int64_t count = tensor.shape.elements();
      if (found == values_.variables.end() ||
          static_cast<std::int64_t>(found->second.size()) != count)
        return absl::InvalidArgumentError(absl::StrCat(
            "variable ", tensor.name, " needs ", count, " numbers of float32"));
      std::copy(found->second.begin(), found->second.end(),
                variables_.begin() + tensor.offset);
    }
    return absl::OkStatus();
  }

  absl::Status SetInputs() {
    for (const ProgramInput& input : program_.inputs) {
      if (input.is_example_weight) {
        inputs_.push_back(
            RowsOf(DType::kFloat32, std::span<const float>(shares_)));
        continue;
      }
      const ProgramTensor& tensor = program_.tensor(input.tensor);
      const auto found = values_.inputs.find(tensor.name);
      const std::int64_t bytes =
          tensor.shape.elements() * SizeOf(tensor.dtype) * values_.rows;
      if (found == values_.inputs.end() ||
          found->second.dtype != tensor.dtype ||
          static_cast<std::int64_t>(found->second.bytes.size()) != bytes)
        return absl::InvalidArgumentError(absl::StrCat(
            "input ", tensor.name, " needs ", ToString(tensor.dtype), " ",
            ToString(tensor.shape), " with B ", values_.rows));
      inputs_.push_back(found->second);
    }
    return absl::OkStatus();
  }

  CoreBuffers Buffers() {
    CoreBuffers buffers;
    buffers.variables = variables_;
    buffers.packed = &packed_;
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

  std::map<std::string, std::vector<float>> Metrics() const {
    std::map<std::string, std::vector<float>> metrics;
    for (const ProgramMetric& metric : program_.metrics) {
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
  Workspace workspace_;
  InTurn parallel_;
  Panels panels_;
};

}  // namespace

absl::StatusOr<OnceResults> RunOnce(const Program& program,
                                    const PodsimKernels& kernels,
                                    const OnceValues& values) {
  if (values.rows < 1)
    return absl::InvalidArgumentError("needs at least one example");
  return Once(program, kernels, values).Run();
}

}  // namespace podsim
