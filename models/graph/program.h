// A compiled training program: plain immutable data with two readers. The
// executor (host/core) runs it on a range of cores; chip/ makes a chip's
// kernels of it, and says what they take in time and in HBM.
//
// A Program is lists of segments cut at collectives, one list per entry point.
// The host runs a segment for all of its cores, then the collective, then the
// next segment.
//
// Letters: B rows (examples) of one core's batch; R = cores * B the stacked
// rows of a range of cores. What has B lies core behind core, so that where B
// is the outermost dimension its rows lie row behind row.
#ifndef PODSIM_MODELS_GRAPH_PROGRAM_H_
#define PODSIM_MODELS_GRAPH_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/ops/op.h"
#include "models/ops/shape.h"
#include "models/rules/rule.h"
#include "proto/metrics.pb.h"

namespace podsim {

// Where the bytes of a tensor live, and how many copies there are.
enum class Storage : std::uint8_t {
  kVariable,  // weights and optimizer slots: one copy per process (replicated)
  kGradient,  // one copy per host, contiguous, in the order of `buckets`
  kBatched,   // [core][row][feature], scratch, placed by liveness
  kScratch,   // one copy per host, no B
  kInput,     // filled by the infeed, as Program::inputs says; batched
  kOutput,    // per row results read by the host: metrics; batched
  kPerCore,   // [core][...], scratch without B that differs from core to core
};

using TensorId = std::int32_t;
inline constexpr TensorId kNoTensor = -1;

enum class Initializer : std::uint8_t {
  kZeros,
  kGlorotUniform,  // U(-a, a), a = sqrt(6 / (fan_in + fan_out))
  kHeNormal,       // N(0, sqrt(2 / fan_in))
  kOnes,
  kSmallNormal,  // N(0, 0.02), of embeddings
};

struct ProgramTensor {
  std::string name;  // "dense_0/kernel", "dense_0/matmul"
  DType dtype = DType::kFloat32;
  Storage storage = Storage::kBatched;
  Shape shape;
  // In places of 4 bytes. kVariable, kGradient: into the arena. kBatched,
  // kOutput: per row, so that the address is base + offset * R; kPerCore: per
  // core in the same way. kScratch: into the host's scratch arena. kInput:
  // unused.
  std::int64_t offset = 0;
  // A variable that products read, rounded to bfloat16, as their right side.
  bool feeds_product = false;
  // kBatched, kInput: this tensor is that one's elements, where they lie, under
  // another shape. It is written with it and read alone; that one is no view.
  TensorId view_of = kNoTensor;

  bool batched() const { return shape.batched(); }
  // Bytes of an element where it lies: a bfloat16 that an op made is a float32
  // rounded to it.
  std::int64_t element_bytes() const {
    const bool rounded =
        dtype == DType::kBFloat16 && storage != Storage::kInput;
    return SizeOf(rounded ? DType::kFloat32 : dtype);
  }
  // Places of 4 bytes that it takes: per row, per core or in all.
  std::int64_t places() const {
    return (shape.elements() * element_bytes() + 3) / 4;
  }
};

inline constexpr std::int32_t kNoRowGroup = -1;

struct Instruction {
  OpCode op;
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  OpAttributes attributes;
  // Neighbours with the same number may run a few rows of the batch at a time,
  // one instruction after the other: row r of each result depends on row r of
  // the batched operands alone. kNoRowGroup: runs as a whole, alone.
  std::int32_t row_group = kNoRowGroup;
  // It makes something of each core's own, from all of that core's rows: it
  // runs core by core.
  bool per_core = false;
};

enum class SegmentKind : std::uint8_t { kCompute, kAllReduce };
enum class ReduceOp : std::uint8_t { kSum, kMaximum, kMinimum };

struct Segment {
  SegmentKind kind = SegmentKind::kCompute;
  // kCompute: in order.
  std::vector<Instruction> instructions;
  // kAllReduce: over `group` neighbouring cores, 0: over all of the slice, the
  // sum of a gradient bucket, which nobody waits for before the update; or what
  // `reduce` makes of `tensor`, per core and behind the instruction that made
  // it, which joins the cores of the group that a host has: the pass goes on
  // when all have it.
  ReduceOp reduce = ReduceOp::kSum;
  std::int32_t group = 0;
  std::int32_t bucket = -1;
  TensorId tensor = kNoTensor;

  bool joins_tensor() const { return tensor != kNoTensor; }
};

// Gradients that travel together: elements [begin, begin + count) of the
// gradient arena. The segments of kTrainMicrobatch say in which order buckets
// travel.
struct GradientBucket {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  std::vector<TensorId> gradients;
  std::vector<TensorId> variables;  // the weights they update, same order
};

struct ProgramVariable {
  TensorId tensor = kNoTensor;
  Initializer initializer = Initializer::kZeros;
  std::int64_t fan_in = 0;
  std::int64_t fan_out = 0;
  bool is_slot = false;  // an optimizer's, not the model's
  // Not trained: its "gradient" is what it becomes.
  bool is_state = false;
  // What it begins with, float32, little endian; null: as `initializer` says.
  std::shared_ptr<const std::string> initial = nullptr;
};

// How the rows' values of a metric become one.
enum class MetricCombine : std::uint8_t {
  kMean,  // weighted by the examples' weights
  kSum,
  kMax,
};

// Which passes compute a metric.
enum class MetricPasses : std::uint8_t { kAll, kTraining, kEvaluation };

struct ProgramMetric {
  std::string name;
  TensorId tensor = kNoTensor;  // [B] float32, an output
  MetricCombine combine = MetricCombine::kMean;
  bool percent = false;  // shown as one, or as a number
  MetricPasses passes = MetricPasses::kAll;

  bool is_trained() const { return passes != MetricPasses::kEvaluation; }
  bool is_evaluated() const { return passes != MetricPasses::kTraining; }
};

// An input is known by the name of its tensor.
struct ProgramInput {
  TensorId tensor = kNoTensor;
  // [B] float32, made by the stream rather than by the data set.
  bool is_example_weight = false;
  // [B, 2] uint32, likewise: Graph::ExampleKeys.
  bool is_example_key = false;
  // The same, one key for all rows of a step: Graph::StepKeys.
  bool is_step_key = false;
};

enum class EntryPoint : std::uint8_t {
  kInit,             // fills the variables
  kTrainMicrobatch,  // forward, backward; gradients of the host's rows
  kReduce,           // the all-reduces, one per bucket, in the pass's order
  kUpdate,           // weights from reduced gradients, bucket by bucket
  kEval,             // forward, metrics per row
};

struct Program {
  std::string name;
  std::vector<ProgramTensor> tensors;
  std::vector<ProgramVariable> variables;
  std::vector<GradientBucket> buckets;
  std::map<EntryPoint, std::vector<Segment>> entries;

  std::vector<ProgramInput> inputs;  // in the order of the graph

  // [B] float32, unweighted: what the gradient is of; kNoTensor if absent.
  TensorId loss = kNoTensor;
  // "loss" and "accuracy" among them, if there are any.
  std::vector<ProgramMetric> metrics;
  // The loss of an evaluation, if kTraining alone computes the metric "loss".
  std::optional<MetricFormula> eval_loss;

  // Arena sizes, places of 4 bytes.
  std::int64_t variable_elements = 0;
  std::int64_t gradient_elements = 0;
  std::int64_t batched_elements_per_row = 0;  // train and eval share it
  std::int64_t per_core_elements = 0;         // so do they
  std::int64_t scratch_elements = 0;
  std::int64_t output_elements_per_row = 0;

  bool bfloat16_products = true;

  // An op of kTrainMicrobatch, of kEval, mixes a core's examples (a mean over
  // them), so that it needs all of them and nothing else.
  bool mixes_in_training = false;
  bool mixes_in_eval = false;

  // What kUpdate's instructions compute with: a rule's name (empty: an update
  // that the caller wrote) and numbers.
  std::string rule;
  RuleSettings rule_settings;
  double clip_norm = 0;
  // kUpdate's first segment reads the gradients of all buckets (a norm over all
  // of them); those of the buckets follow it.
  bool update_needs_all = false;

  const ProgramTensor& tensor(TensorId id) const {
    return tensors[static_cast<std::size_t>(id)];
  }
  // The tensor itself, or the one that it is a view of.
  TensorId root(TensorId id) const {
    const TensorId of = tensor(id).view_of;
    return of == kNoTensor ? id : of;
  }
  // The input, the metric called `name`; kNoTensor if absent.
  TensorId input(std::string_view name) const;
  TensorId metric(std::string_view name) const;
  TensorId example_weight() const;  // kNoTensor if absent
  // Where `id`, or what it is a view of, is in `inputs`; inputs.size() if it is
  // none.
  std::size_t input_position(TensorId id) const;
  // Of one example, all inputs, as the infeed brings them.
  std::int64_t input_bytes_per_row() const;
};

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_PROGRAM_H_
