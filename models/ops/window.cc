// Pooling: StableHLO's reduce_window, without its initial value, which is the
// fold's neutral one here, and select_and_scatter, which adds into zeros.
//
// word: what reduce_window folds by, "add", "maximum" or "minimum"; how
// select_and_scatter compares the element that it holds with the next, "GE" to
// keep the first of the largest. lists: window_dimensions, window_strides,
// padding_low, padding_high; for reduce_window base_dilations and
// window_dilations too. Sums of bfloat16 are made in float32 and rounded once.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/ops/families.h"
#include "models/ops/fold.h"
#include "models/ops/moves.h"
#include "models/ops/rules.h"
#include "models/ops/shape_rules.h"
#include "models/ops/window_list.h"
#include "models/ops/window_reference.h"
#include "models/ops/window_taps.h"

namespace podsim {
namespace {

absl::Status CheckLists(const OpAttributes& attributes, std::size_t rank) {
  for (const char* name :
       {"window_dimensions", "window_strides", "base_dilations",
        "window_dilations", "padding_low", "padding_high"}) {
    const std::size_t entries = attributes.List(name).size();
    if (entries != 0 && entries != rank)
      return Bad(absl::StrCat(name, " has ", entries, " entries for ", rank,
                              " dimensions"));
  }
  return absl::OkStatus();
}

// The shape that windows over `shape` make.
absl::StatusOr<Shape> WindowsOver(const Shape& shape,
                                  const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(CheckLists(attributes, shape.dims.size()));
  const std::vector<WindowDimension> windows =
      WindowList(attributes, shape.dims);
  Shape result = shape;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (!windows[i].is_valid())
      return Bad("windows, strides and dilations must be positive");
    if (!windows[i].is_within_bounds())
      return Bad("a dilated operand or window is longer than 2^40 elements");
    if (windows[i].is_trivial()) continue;
    if (static_cast<int>(i) == shape.batch_axis)
      return Bad("no window can move over the batch dimension");
    result.dims[i] = windows[i].Outputs();
    if (result.dims[i] < 1)
      return Bad(absl::StrCat("the window does not fit dimension ", i));
  }
  return result;
}

bool IsExtreme(const std::string& word) {
  return word == "maximum" || word == "minimum";
}

Inferred InferReduceWindow(Types in, const OpAttributes& attributes) {
  if (!IsExtreme(attributes.word) && attributes.word != "add")
    return Bad(absl::StrCat("cannot fold windows by '", attributes.word,
                            "'; there are add, maximum and minimum"));
  if (attributes.word != "add" || !IsFloat(in[0].dtype))
    PODSIM_RETURN_IF_ERROR(CheckFold(attributes.word, in[0].dtype));
  PODSIM_ASSIGN_OR_RETURN(Shape result, WindowsOver(in[0].shape, attributes));
  return std::vector{ValueType{in[0].dtype, std::move(result)}};
}

Inferred InferSelectAndScatter(Types in, const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(NeedFloatsOfOneType(in));
  const std::string& word = attributes.word;
  if (word != "GE" && word != "LE" && word != "GT" && word != "LT")
    return Bad(absl::StrCat("cannot select by '", word,
                            "'; there are GE, LE, GT and LT"));
  for (const char* name : {"base_dilations", "window_dilations"})
    for (const std::int64_t dilation : attributes.List(name))
      if (dilation != 1) return Bad(absl::StrCat("takes no ", name));
  PODSIM_ASSIGN_OR_RETURN(const Shape places,
                          WindowsOver(in[0].shape, attributes));
  if (in[1].shape != places)
    return Bad(absl::StrCat("the windows make ", ToString(places),
                            ", not the source's ", ToString(in[1].shape)));
  return std::vector{in[0]};
}

// The windows backward over dy (window_dimension.h).
Value SumGradient(GradientBuilder& builder, const OpUse& use, Value dy) {
  OpAttributes attributes;
  attributes.word = "add";
  const auto add = [&](const char* name, std::int64_t entry) {
    attributes.lists[name].push_back(entry);
  };
  for (const WindowDimension& window :
       WindowList(use.attributes, builder.type(use.inputs[0]).shape.dims)) {
    const bool still = window.is_trivial();
    add("window_dimensions", window.taps);
    add("window_strides", window.base_dilation);
    add("base_dilations", window.stride);
    add("window_dilations", window.dilation);
    add("padding_low", still ? 0 : window.BackwardLow());
    add("padding_high", still ? 0 : window.BackwardHigh());
  }
  return builder.Apply(OpCode("reduce_window"), {dy}, "grad",
                       std::move(attributes));
}

InputGradients ReduceWindowGradient(GradientBuilder& builder, const OpUse& use,
                                    std::span<const Value> dy) {
  const Value x = use.inputs[0];
  if (!HasGradient(builder.type(x))) return std::vector{kNone};
  if (use.attributes.word == "add")
    return std::vector{SumGradient(builder, use, dy[0])};
  for (const WindowDimension& window :
       WindowList(use.attributes, builder.type(x).shape.dims))
    if (window.base_dilation != 1 || window.dilation != 1)
      return absl::UnimplementedError(
          "an extreme over dilated windows has no gradient");
  OpAttributes attributes = use.attributes;
  attributes.word = use.attributes.word == "maximum" ? "GE" : "LE";
  return std::vector{builder.Apply(OpCode("select_and_scatter"), {x, dy[0]},
                                   "grad", std::move(attributes))};
}

// Elements that all places of the window show, padding and holes left out.
double ElementsShown(const OpSignature& signature, std::int64_t rows) {
  return ShownTaps(WindowList(signature.attributes,
                              DimsFor(signature.inputs[0].shape, rows)));
}

OpCost ReduceWindowCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.vector_flops = ElementsShown(signature, rows);
  return cost;
}

// Per element that is shown a comparison and two choices, of the element and of
// its place; per place an addition.
OpCost SelectAndScatterCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.vector_flops =
      3 * ElementsShown(signature, rows) + Elements(signature.inputs[1], rows);
  return cost;
}

OpSample WindowSample(const char* word, const ValueType& x, const Dims& window,
                      const Dims& strides, const Dims& low, const Dims& high,
                      const ValueType& result) {
  OpSample sample{.inputs = {x}, .outputs = {result}, .classes = 7};
  sample.attributes.word = word;
  sample.attributes.lists["window_dimensions"] = window;
  sample.attributes.lists["window_strides"] = strides;
  sample.attributes.lists["padding_low"] = low;
  sample.attributes.lists["padding_high"] = high;
  return sample;
}

// Both usual layouts, overlapping windows and such with gaps, B first and last.
std::vector<OpSample> Pools(const char* word) {
  return {WindowSample(word, Batched({5, 6, 3}), {1, 3, 2, 1}, {1, 2, 2, 1},
                       {0, 1, 0, 0}, {0, 1, 0, 0}, Batched({3, 3, 3})),
          WindowSample(word, Batched({2, 5, 4}), {1, 1, 2, 3}, {1, 1, 3, 1},
                       {0, 0, 0, 1}, {0, 0, 0, 1}, Batched({2, 2, 4})),
          WindowSample(word, BatchedAt(1, {6, 2}), {3, 1}, {1, 1}, {2, 0},
                       {0, 0}, BatchedAt(1, {6, 2})),
          WindowSample(word, Plain({37}), {5}, {4}, {-1}, {2}, Plain({9}))};
}

std::vector<OpSample> ReduceWindowSamples() {
  std::vector<OpSample> samples;
  for (const char* word : {"add", "maximum", "minimum"})
    for (const OpSample& sample : Pools(word)) {
      samples.push_back(sample);
      samples.push_back(InBFloat16(sample));
    }
  OpSample dilated = WindowSample("add", Batched({5, 4}), {1, 2, 2}, {1, 2, 1},
                                  {0, 1, 0}, {0, 0, 2}, Batched({4, 8}));
  dilated.attributes.lists["base_dilations"] = {1, 2, 2};
  dilated.attributes.lists["window_dilations"] = {1, 3, 1};
  samples.push_back(dilated);
  samples.push_back(WindowSample("add", Batched({6}, DType::kInt32), {1, 3},
                                 {1, 1}, {0, 2}, {0, 0},
                                 Batched({6}, DType::kInt32)));
  return samples;
}

std::vector<OpSample> SelectAndScatterSamples() {
  std::vector<OpSample> samples;
  for (const char* word : {"GE", "LE"})
    for (OpSample sample : Pools(word)) {
      sample.inputs = {sample.inputs[0], sample.outputs[0]};
      sample.outputs = {sample.inputs[0]};
      samples.push_back(sample);
      samples.push_back(InBFloat16(sample));
    }
  return samples;
}

constexpr OpEntry kWindowOps[] = {
    // x -> what each place of a window shows, folded
    {.name = "reduce_window",
     .input_count = 1,
     .infer = InferReduceWindow,
     .gradient = ReduceWindowGradient,
     .cost = ReduceWindowCost,
     .row_wise = IsByRows,
     .reference = EvaluateWindows,
     .error = BoundWindows,
     .samples = ReduceWindowSamples},
    // x, source[places of a window] -> each number of the source, added up
    // where the window selects an element of x
    {.name = "select_and_scatter",
     .input_count = 2,
     .infer = InferSelectAndScatter,
     .cost = SelectAndScatterCost,
     .row_wise = IsByRows,
     .reference = EvaluateScatter,
     .error = BoundScatter,
     .samples = SelectAndScatterSamples},
};

}  // namespace

OpFamily WindowOps() { return kWindowOps; }

}  // namespace podsim
