// From a graph to a Program: appends the gradient, rounds what the matrix unit
// reads, places buffers by liveness, groups gradients into buckets, cuts the
// schedule into segments and lets the optimizer append its update.
#ifndef PODSIM_MODELS_GRAPH_COMPILE_H_
#define PODSIM_MODELS_GRAPH_COMPILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/graph.h"
#include "models/graph/program.h"

namespace podsim {

struct CompileOptions {
  // Matrix products round their operands to bfloat16, as a TPU does by
  // default; false: float32 throughout.
  bool bfloat16_products = true;
  // The update: a rule's name and numbers (models/rules/update_rules.h).
  std::string rule = "sgd";
  RuleSettings rule_settings = {};
  // Variables whose name has one of these in it ("bias", "norm") have no weight
  // decay and no trust ratio, as optax's masks are used in practice.
  std::vector<std::string> weight_decay_exclude = {};
  // Gradients whose norm, over all variables, is larger are scaled to it
  // (optax.clip_by_global_norm); 0: none are.
  double clip_norm = 0;
  // A bucket is closed when it holds at least this many bytes.
  std::int64_t bucket_bytes = 1 << 20;

  bool operator==(const CompileOptions&) const = default;
};

// Appends entry kUpdate to a Program that has everything else: one compute
// segment per bucket, which updates that bucket's variables, and the slots it
// needs; before them one that reads all buckets, if it says so
// (Program::update_needs_all). models/optimizer/optimizer.h has one.
using UpdateBuilder = absl::Status (*)(const CompileOptions& options,
                                       Program& program);

struct MetricInput {
  std::string name;
  Value value = kNone;  // [B]
  MetricCombine combine = MetricCombine::kMean;
  bool percent = false;  // how it is shown
  MetricPasses passes = MetricPasses::kAll;
};

// A metric's value in kEval, where that differs from training.
struct EvaluationValue {
  std::string metric;   // "loss", "accuracy" or of CompileInput::metrics
  Value value = kNone;  // [B]
};

// What of the graph is wanted.
struct CompileInput {
  // To train: a loss and the update. For inference alone: neither.
  Value loss = kNone;  // [B]
  // kTraining: an evaluation reports eval_loss, a function of sums over all its
  // examples, or without that no loss.
  MetricPasses loss_passes = MetricPasses::kAll;
  std::optional<MetricFormula> eval_loss = std::nullopt;
  // [B]: the loss of the batch is the dot product of the two. None: the mean of
  // the loss over the examples of the batch.
  Value weights = kNone;
  UpdateBuilder update = nullptr;
  // Gradients that the model brings itself, of the mean of the loss over the
  // examples of one core; one for each variable that is trained. None: they are
  // derived. The loss, and metrics, may then be one number for each core.
  std::vector<VariableValue> gradients = {};
  // What state variables become after a step: the mean of the cores' values,
  // each weighted by its share of the examples.
  std::vector<VariableValue> states = {};
  // [B], 1 where the row's prediction is right; optional. The metric
  // "accuracy", as the loss is the metric "loss".
  Value correct = kNone;
  // Further metrics, of other names.
  std::vector<MetricInput> metrics = {};
  // Metrics that an evaluation computes by other ops (without dropout). Made
  // before the training's in the graph, they cost it no memory.
  std::vector<EvaluationValue> evaluation = {};
  // Further values that kEval leaves behind: batched ones in the outputs,
  // others in the scratch arena. FindTensor finds them by name.
  std::vector<Value> results = {};
};

// Entries: kInit, kTrainMicrobatch, kReduce, kUpdate (if there is a loss) and
// kEval. In kTrainMicrobatch each bucket's kAllReduce directly follows the
// compute segment that finishes it; kReduce lists the same all-reduces alone,
// in the same order.
//
// Buckets hold derived gradients in the order in which backward finishes them,
// and those that a model brings itself in its own order: an element's place in
// its bucket decides the order of its sum over hosts. Which bucket travels
// first, the pass decides: what makes a gradient of the model's own a part of
// the host's (its core's share) runs directly behind the op that made it.
//
// Products whose left side is one row that is not a batch run in float32 even
// with bfloat16_products, as on the chip.
//
// Pure: equal inputs give equal Programs.
// Errors: INVALID_ARGUMENT (the graph's first error; a loss or a metric that is
//   not [B]; two metrics of one name; a variable that the loss does not depend
//   on; bucket_bytes below 1).
absl::StatusOr<Program> Compile(const Graph& graph, const CompileInput& wanted,
                                const CompileOptions& options);

// The tensor called `name`, or kNoTensor.
TensorId FindTensor(const Program& program, std::string_view name);

// Every number of a Program as text, one line per tensor and instruction: for
// people and for comparing Programs.
std::string ToText(const Program& program);

// The type that the op table sees for a tensor of a Program.
ValueType TypeOf(const ProgramTensor& tensor);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_COMPILE_H_
