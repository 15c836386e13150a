// Labels are clamped where a loss is taken, so that the op reads no logit that
// is not there; a loss that is NaN elsewhere stays so by a select. Gradients
// have the labels as they are: one that is none is subtracted nowhere.
//
// Of logits in bfloat16 JAX adds the exponentials up in float32 and rounds what
// stands before and behind that sum. The op computes all of it in float32, so
// that losses and gradients alone are rounded.
#include "models/import/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "models/import/barriers.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

using Found = std::optional<absl::StatusOr<int>>;

// SoftmaxXent's results.
constexpr int kProbabilities = 0;
constexpr int kLoss = 1;

// x [B, N] of a softmax, -1: none.
struct Logits {
  int x = -1;
  // The largest of a row is subtracted even where it is infinite.
  bool infinity_is_nan = false;
};

class Reader {
 public:
  explicit Reader(FlatBuilder& builder) : builder_(builder) {}

  // Behind barriers: what a policy of jax.checkpoint keeps is read as it was
  // computed.
  int Seen(int place) const {
    while (builder_.op(place).Is(kBarrier))
      place = builder_.op(place).operands[0];
    return place;
  }
  const FlatOp& op(int place) const { return builder_.op(Seen(place)); }
  // -1: no place, which is the same as none.
  bool AreSame(int a, int b) const {
    return a >= 0 && b >= 0 && Seen(a) == Seen(b);
  }
  bool Is(int place, std::string_view name) const { return op(place).Is(name); }
  int Operand(int place, std::size_t i) const { return op(place).operands[i]; }

  bool IsNan(int place) const {
    const auto number = builder_.NumberOf(place);
    return number && std::isnan(*number);
  }

  // From bfloat16 to float32, or the other way.
  bool ConvertsFloats(int place) const {
    return Is(place, "convert") && IsFloat(builder_.type(place).dtype) &&
           IsFloat(builder_.type(Operand(place, 0)).dtype);
  }
  // Behind such conversions.
  int Unconverted(int place) const {
    while (ConvertsFloats(place)) place = Operand(place, 0);
    return Seen(place);
  }
  // Behind reshapes, too.
  int Bare(int place) const {
    while (Is(place, "Reshape") || ConvertsFloats(place))
      place = Operand(place, 0);
    return Seen(place);
  }

  // [B, N] of floats.
  bool IsLogits(int place) const {
    const ValueType& type = builder_.type(place);
    return IsFloat(type.dtype) && type.batched() && type.shape.rank() == 2 &&
           type.shape.batch_axis == 0 && type.shape.dims[0] == 1;
  }

  // What a row's number is repeated from, along the row; -1: it is no such.
  int RepeatedInRows(int place) const {
    place = Unconverted(place);
    if (!Is(place, "broadcast_in_dim")) return -1;
    const auto dims = op(place).attributes.List("broadcast_dimensions");
    const int from = Operand(place, 0);
    const bool rows = dims.size() == 1 && dims[0] == 0 &&
                      builder_.type(from).shape.rank() == 1;
    return rows ? Bare(from) : -1;
  }

  // Whether it folds each row of `of` by `word`; -1: any.
  bool FoldsRows(int place, std::string_view word) const {
    if (!Is(place, "reduce") || op(place).attributes.word != word) return false;
    const auto dims = op(place).attributes.List("dimensions");
    return dims.size() == 1 && dims[0] == 1;
  }

  // The largest of each row of `x`.
  bool IsLargestItself(int place, int x) const {
    return FoldsRows(place, "maximum") && AreSame(Operand(place, 0), x);
  }
  // That, or 0 where it is infinite.
  bool IsLargestOf(int place, int x) const {
    if (Is(place, "select") && Is(Operand(place, 0), "is_finite") &&
        builder_.NumberOf(Operand(place, 2)) == 0)
      return AreSame(Operand(Operand(place, 0), 0), Operand(place, 1)) &&
             IsLargestOf(Operand(place, 1), x);
    return IsLargestItself(place, x);
  }

  // Of x - (its largest), in each row.
  Logits CentredLogits(int place) const {
    place = Unconverted(place);
    if (!Is(place, "subtract")) return {};
    const int x = Operand(place, 0);
    const int largest = RepeatedInRows(Operand(place, 1));
    if (largest < 0 || !IsLogits(x) || !IsLargestOf(largest, x)) return {};
    return {x, IsLargestItself(largest, x)};
  }

  // Of the exponentials of what is centred.
  Logits LogitsOfExponentials(int place) const {
    place = Unconverted(place);
    return Is(place, "exponential") ? CentredLogits(Operand(place, 0))
                                    : Logits{};
  }

  // Of the sums of those exponentials.
  Logits LogitsOfSum(int place) const {
    place = Bare(place);
    return FoldsRows(place, "add") ? LogitsOfExponentials(Operand(place, 0))
                                   : Logits{};
  }

  // Of the logarithms of those sums.
  Logits LogitsOfLog(int place) const {
    place = Bare(place);
    return Is(place, "log") ? LogitsOfSum(Operand(place, 0)) : Logits{};
  }

  // Each row's own element, by a place for each row.
  bool TakesOfRows(const FlatOp& take, const char* dropped,
                   const char* operand_batch, const char* map) const {
    const auto is = [&](const char* list, std::int64_t dim) {
      const auto dims = take.attributes.List(list);
      return dims.size() == 1 && dims[0] == dim;
    };
    const ValueType& places = builder_.type(take.operands[1]);
    return is(dropped, 1) && is(operand_batch, 0) && is(map, 1) &&
           places.dtype == DType::kInt32 && places.shape.elements() == 1 &&
           places.batched();
  }
  bool GathersOfRows(const FlatOp& gather) const {
    return gather.Is("gather") && IsLogits(gather.operands[0]) &&
           TakesOfRows(gather, "collapsed_slice_dims", "operand_batching_dims",
                       "start_index_map");
  }
  // Added to zeros.
  bool ScattersToRows(int place) const {
    return Is(place, "scatter") && op(place).attributes.word == "add" &&
           IsLogits(place) && builder_.NumberOf(Operand(place, 0)) == 0 &&
           TakesOfRows(op(place), "inserted_window_dims", "input_batching_dims",
                       "scatter_dims_to_operand_dims");
  }

  // Whether an op makes it of `a`.
  bool IsNegated(int place, int a) const {
    place = Unconverted(place);
    return Is(place, "negate") && AreSame(Unconverted(Operand(place, 0)), a);
  }

  // Whether b is -a, of numbers that are known or by an op.
  bool AreOpposite(int a, int b) const {
    a = Bare(a);
    b = Bare(b);
    if (Is(a, "negate") && Bare(Operand(a, 0)) == b) return true;
    if (Is(b, "negate") && Bare(Operand(b, 0)) == a) return true;
    if (!Is(a, "constant") || !Is(b, "constant")) return false;
    const OpAttributes& of_a = op(a).attributes;
    const OpAttributes& of_b = op(b).attributes;
    return of_a.data == nullptr && of_b.data == nullptr &&
           of_a.lists == of_b.lists && of_a.value == -of_b.value;
  }

 private:
  FlatBuilder& builder_;
};

absl::StatusOr<int> Reshaped(FlatBuilder& builder, int place,
                             const Shape& shape) {
  OpAttributes attributes;
  attributes.shape = shape;
  return builder.Emit("Reshape", {place}, std::move(attributes));
}

absl::StatusOr<int> InType(FlatBuilder& builder, int place, DType dtype) {
  if (builder.type(place).dtype == dtype) return place;
  OpAttributes attributes;
  attributes.dtype = dtype;
  return builder.Emit("convert", {place}, std::move(attributes));
}

Shape OfRows() { return {{1}, 0}; }

// The places that rows are taken at, [B].
absl::StatusOr<int> PlacesOf(FlatBuilder& builder, int indices) {
  return Reshaped(builder, indices, OfRows());
}

absl::StatusOr<int> Clamped(FlatBuilder& builder, int places,
                            std::int64_t classes) {
  const ValueType type = builder.type(places);
  const int low = builder.Constant(type, {0});
  const int high = builder.Constant(type, {static_cast<double>(classes - 1)});
  PODSIM_ASSIGN_OR_RETURN(const int least,
                          builder.Emit("maximum", {places, low}));
  return builder.Emit("minimum", {least, high});
}

// Result `output` of the op, which is float32.
absl::StatusOr<int> Xent(FlatBuilder& builder, const Logits& logits, int places,
                         int output) {
  PODSIM_ASSIGN_OR_RETURN(const int x,
                          InType(builder, logits.x, DType::kFloat32));
  PODSIM_ASSIGN_OR_RETURN(
      const int labels,
      Clamped(builder, places, builder.type(logits.x).shape.dims[1]));
  OpAttributes attributes;
  if (logits.infinity_is_nan) attributes.word = kInfinityIsNan;
  return builder.Emit("SoftmaxXent", {x, labels}, std::move(attributes),
                      output);
}

// The losses of the rows with the labels `indices`, in that type.
absl::StatusOr<int> LossesOf(FlatBuilder& builder, const Logits& logits,
                             int indices, const ValueType& type) {
  PODSIM_ASSIGN_OR_RETURN(const int places, PlacesOf(builder, indices));
  PODSIM_ASSIGN_OR_RETURN(const int loss, Xent(builder, logits, places, kLoss));
  PODSIM_ASSIGN_OR_RETURN(const int shaped,
                          Reshaped(builder, loss, type.shape));
  return InType(builder, shaped, type.dtype);
}

absl::StatusOr<int> NegativeLosses(FlatBuilder& builder, const Logits& logits,
                                   const FlatOp& gather) {
  PODSIM_ASSIGN_OR_RETURN(
      const int loss,
      LossesOf(builder, logits, gather.operands[1], gather.type));
  return builder.Emit("negate", {loss});
}

absl::StatusOr<int> Compared(FlatBuilder& builder, int left, const char* word,
                             int right) {
  OpAttributes attributes;
  attributes.word = word;
  return builder.Emit("compare", {left, right}, std::move(attributes));
}

// Where the labels are labels `losses`, elsewhere 0.
absl::StatusOr<int> OfLabels(FlatBuilder& builder, int places,
                             std::int64_t classes, int losses) {
  const ValueType type = builder.type(places);
  PODSIM_ASSIGN_OR_RETURN(
      const int least,
      Compared(builder, places, "GE", builder.Constant(type, {0})));
  const int last = builder.Constant(type, {static_cast<double>(classes - 1)});
  PODSIM_ASSIGN_OR_RETURN(const int most,
                          Compared(builder, places, "LE", last));
  PODSIM_ASSIGN_OR_RETURN(const int both, builder.Emit("and", {least, most}));
  const int none = builder.Constant(builder.type(losses), {0});
  return builder.Emit("select", {both, losses, none});
}

// `losses` where the select `known` takes a logit, else its NaN.
absl::StatusOr<int> OrNan(FlatBuilder& builder, int losses, int known) {
  const FlatOp select = builder.op(known);
  const ValueType type = builder.type(losses);
  PODSIM_ASSIGN_OR_RETURN(const int is_label,
                          Reshaped(builder, select.operands[0], type.shape));
  PODSIM_ASSIGN_OR_RETURN(const int shaped,
                          Reshaped(builder, select.operands[2], type.shape));
  PODSIM_ASSIGN_OR_RETURN(const int nan, InType(builder, shaped, type.dtype));
  return builder.Emit("select", {is_label, losses, nan});
}

// (softmax - one hot) times `factors`, of each row, in that type.
absl::StatusOr<int> Gradient(FlatBuilder& builder, const Logits& logits,
                             int places, int factors, DType dtype) {
  PODSIM_ASSIGN_OR_RETURN(const int shares,
                          Xent(builder, logits, places, kProbabilities));
  PODSIM_ASSIGN_OR_RETURN(const int wide,
                          InType(builder, factors, DType::kFloat32));
  PODSIM_ASSIGN_OR_RETURN(
      const int gradient,
      builder.Emit("SoftmaxXentGrad", {shares, places, wide}));
  return InType(builder, gradient, dtype);
}

// `sums`: softmax is multiplied by the sum of what is scattered, which is
// nothing where the label is none.
absl::StatusOr<int> GradientOf(FlatBuilder& builder, const Logits& logits,
                               int scatter, bool sums) {
  const FlatOp taken = builder.op(scatter);
  PODSIM_ASSIGN_OR_RETURN(const int places,
                          PlacesOf(builder, taken.operands[1]));
  PODSIM_ASSIGN_OR_RETURN(const int opposite,
                          builder.Emit("negate", {taken.operands[2]}));
  PODSIM_ASSIGN_OR_RETURN(int factors, Reshaped(builder, opposite, OfRows()));
  if (sums) {
    PODSIM_ASSIGN_OR_RETURN(
        factors, OfLabels(builder, places, builder.type(logits.x).shape.dims[1],
                          factors));
  }
  return Gradient(builder, logits, places, factors, taken.type.dtype);
}

}  // namespace

Found SumIsNotNegative(FlatBuilder& builder, const FlatOp& op) {
  const Reader reader(builder);
  if (op.Is("abs") && reader.LogitsOfSum(op.operands[0]).x >= 0)
    return op.operands[0];
  if (op.Is("compare") && op.attributes.word == "GE" &&
      reader.LogitsOfSum(op.operands[0]).x >= 0 &&
      builder.NumberOf(op.operands[1]) == 0)
    return builder.Constant({DType::kBool, op.type.shape}, {1});
  return std::nullopt;
}

Found LogLikelihood(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("gather")) return std::nullopt;
  const Reader reader(builder);
  const int centred = op.operands[0];
  if (!reader.GathersOfRows(op) || !reader.Is(centred, "subtract"))
    return std::nullopt;
  const int x = reader.CentredLogits(reader.Operand(centred, 0)).x;
  const int log = reader.RepeatedInRows(reader.Operand(centred, 1));
  if (x < 0 || log < 0) return std::nullopt;
  const Logits logits = reader.LogitsOfLog(log);
  if (!reader.AreSame(logits.x, x)) return std::nullopt;
  return NegativeLosses(builder, logits, op);
}

Found CrossEntropy(FlatBuilder& builder, const FlatOp& op) {
  const Reader reader(builder);
  if (!op.Is("subtract") || !reader.Is(op.operands[0], "add"))
    return std::nullopt;
  const int sum = op.operands[0];
  const Logits logits = reader.LogitsOfLog(reader.Operand(sum, 0));
  const int x = logits.x;
  if (x < 0 || !reader.IsLargestOf(reader.Bare(reader.Operand(sum, 1)), x))
    return std::nullopt;
  int taken = reader.Bare(op.operands[1]);
  int known = -1;  // where the label is one; elsewhere the logit is NaN
  if (reader.Is(taken, "select")) {
    if (!reader.IsNan(reader.Operand(taken, 2))) return std::nullopt;
    known = taken;
    taken = reader.Bare(reader.Operand(taken, 1));
  }
  if (!reader.GathersOfRows(reader.op(taken)) ||
      !reader.AreSame(reader.Operand(taken, 0), x))
    return std::nullopt;
  auto losses = LossesOf(builder, logits, reader.Operand(taken, 1), op.type);
  if (!losses.ok() || known < 0) return losses;
  return OrNan(builder, *losses, known);
}

Found CrossEntropyGradient(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("add")) return std::nullopt;
  const Reader reader(builder);
  for (const std::size_t i : {0U, 1U}) {
    const int scatter = reader.Seen(op.operands[i]);
    const int product = op.operands[1 - i];
    if (!reader.ScattersToRows(scatter) || !reader.Is(product, "multiply"))
      continue;
    for (const std::size_t j : {0U, 1U}) {
      const Logits logits =
          reader.LogitsOfExponentials(reader.Operand(product, 1 - j));
      const int quotient = reader.RepeatedInRows(reader.Operand(product, j));
      if (logits.x < 0 || quotient < 0 || !reader.Is(quotient, "divide") ||
          !reader.AreSame(reader.LogitsOfSum(reader.Operand(quotient, 1)).x,
                          logits.x))
        continue;
      const int numerator = reader.Bare(reader.Operand(quotient, 0));
      const bool sums = reader.FoldsRows(numerator, "add") &&
                        reader.IsNegated(reader.Operand(numerator, 0), scatter);
      if (sums || reader.AreOpposite(numerator, reader.Operand(scatter, 2)))
        return GradientOf(builder, logits, scatter, sums);
    }
  }
  return std::nullopt;
}

}  // namespace podsim
