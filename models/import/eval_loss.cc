#include "models/import/eval_loss.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "models/import/align.h"
#include "models/import/barriers.h"
#include "models/import/flat_builder.h"
#include "models/import/formula_builder.h"
#include "models/ops/constant_value.h"

namespace podsim {
namespace {

// Of values that are told by one another in many ways, and of long chains.
constexpr int kMostVisits = 4096;
constexpr int kNoNumber = FormulaBuilder::kNoNumber;
constexpr int kNoFactor = -1;

struct OpOfFormula {
  std::string_view name;  // of the op table
  MetricFormula::Op op;
};
constexpr OpOfFormula kOpsOfFormula[] = {
    {"add", MetricFormula::ADD},
    {"subtract", MetricFormula::SUBTRACT},
    {"multiply", MetricFormula::MULTIPLY},
    {"divide", MetricFormula::DIVIDE},
    {"maximum", MetricFormula::MAXIMUM},
    {"minimum", MetricFormula::MINIMUM},
    {"negate", MetricFormula::NEGATE},
    {"sqrt", MetricFormula::SQRT},
    {"rsqrt", MetricFormula::RSQRT},
    {"select", MetricFormula::SELECT},
};

std::size_t AtOf(int place) { return static_cast<std::size_t>(place); }

bool IsAddition(const FlatOp& op) {
  return op.Is("reduce") && op.attributes.word == "add";
}

class EvalLossFinder {
 public:
  explicit EvalLossFinder(const FlatFunction& from)
      : from_(from), follows_(from.ops.size()) {
    for (std::size_t i = 0; i < from.ops.size(); ++i)
      follows_[i] = Follows(from.ops[i]);
  }

  std::optional<EvalLoss> Run(int loss) {
    for (FlatOp op : from_.ops) {
      op.operands = Moved(std::move(op.operands));
      builder_.SetPlace(op.place, op.words);
      const auto place = builder_.Add(op);
      if (!place.ok()) return std::nullopt;
      place_of_.push_back(*place);
    }
    const int result = NumberAt(loss);
    FlatFunction of_each = builder_.function();
    of_each.parameters = Moved(from_.parameters);
    of_each.results = formula_.values();
    auto formula = std::move(formula_).Finish(result);
    if (!formula.has_value()) return std::nullopt;
    return EvalLoss{.of_each = Pruned(of_each), .formula = *std::move(formula)};
  }

 private:
  const FlatOp& OpAt(int place) const { return from_.ops[AtOf(place)]; }
  bool IsBatched(int place) const { return OpAt(place).type.batched(); }
  bool IsOne(int place) const {
    return !IsBatched(place) && OpAt(place).type.shape.elements() == 1;
  }
  bool FollowsAt(int place) const { return follows_[AtOf(place)]; }

  std::vector<int> Moved(std::vector<int> places) const {
    for (int& place : places) place = place_of_[AtOf(place)];
    return places;
  }

  // Whether it depends on other examples than its own, or on how many there
  // are.
  bool Follows(const FlatOp& op) const {
    if (op.Is("constant")) return !op.attributes.List(kBatchPower).empty();
    return std::any_of(op.operands.begin(), op.operands.end(), [&](int each) {
      return FollowsAt(each) || (IsBatched(each) && !op.type.batched());
    });
  }

  // The formula's number that a scalar is.
  int NumberAt(int place) {
    const auto known = known_.find(place);
    if (known != known_.end()) return known->second;
    const bool is_one = IsOne(place) && ++visits_ < kMostVisits;
    const int number = is_one ? NewNumber(place) : kNoNumber;
    return known_[place] = number;
  }

  int NewNumber(int place) {
    const FlatOp& op = OpAt(place);
    if (op.Is("constant")) return Constant(op);
    if (!FollowsAt(place)) return OfNoExample(place);
    if (IsAddition(op)) return SumOf(op.operands[0], kNoFactor);
    if (op.Is("dot_general")) return SumOfDot(op);
    if (op.Is("compare"))
      return formula_.Comparison(op.attributes.word, NumberAt(op.operands[0]),
                                 NumberAt(op.operands[1]));
    return IsHandedOn(op) ? NumberAt(op.operands[0]) : OfNumbers(op);
  }

  // The same number in another shape or type.
  bool IsHandedOn(const FlatOp& op) const {
    if (op.IsAnyOf({"Reshape", "broadcast_in_dim", kBarrier})) return true;
    if (!op.Is("convert")) return false;
    const DType from = OpAt(op.operands[0]).type.dtype;
    return op.type.dtype == from ||
           (op.type.dtype == DType::kFloat32 && from != DType::kBFloat16) ||
           (op.type.dtype == DType::kInt32 && from == DType::kBool);
  }

  int Constant(const FlatOp& op) {
    if (op.attributes.data != nullptr ||
        !op.attributes.List(kBatchOffset).empty() ||
        !op.attributes.List(kBatchRounded).empty())
      return kNoNumber;
    return formula_.Number(op.attributes.value,
                           static_cast<int>(op.attributes.Int(kBatchPower, 0)));
  }

  // As if each example had it: their sum over how many they are.
  int OfNoExample(int place) {
    if (OpAt(place).type.dtype != DType::kFloat32) return kNoNumber;
    return formula_.Node(
        MetricFormula::DIVIDE,
        {formula_.Sum(place_of_[AtOf(place)]), formula_.Number(1, 1)});
  }

  int OfNumbers(const FlatOp& op) {
    std::vector<int> numbers;
    for (const int operand : op.operands)
      if (IsOne(operand)) numbers.push_back(NumberAt(operand));
    if (numbers.size() != op.operands.size()) return kNoNumber;
    if (op.type.dtype == DType::kBool) {
      if (op.Is("and")) return formula_.Node(MetricFormula::MULTIPLY, numbers);
      if (op.Is("or")) return formula_.Node(MetricFormula::MAXIMUM, numbers);
      return op.Is("not") ? formula_.Not(numbers[0]) : kNoNumber;
    }
    const bool is_whole = op.type.dtype == DType::kInt32;
    if (op.type.dtype != DType::kFloat32 && !is_whole) return kNoNumber;
    for (const OpOfFormula& each : kOpsOfFormula)
      if (op.Is(each.name) && !(is_whole && each.op == MetricFormula::DIVIDE))
        return formula_.Node(each.op, numbers);
    return kNoNumber;
  }

  // Of two arrays of one shape, element by element.
  int SumOfDot(const FlatOp& op) {
    const int a = op.operands[0];
    const int b = op.operands[1];
    const auto of_a = op.attributes.List("lhs_contracting_dimensions");
    const auto of_b = op.attributes.List("rhs_contracting_dimensions");
    const bool is_by_element =
        OpAt(a).type == OpAt(b).type &&
        of_a.size() == AtOf(OpAt(a).type.shape.rank()) &&
        std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
    return is_by_element ? SumOfProduct(a, b, kNoFactor) : kNoNumber;
  }

  // Of all elements of a value, each times its element of `factor`, a place in
  // the builder.
  int SumOf(int place, int factor) {
    if (++visits_ > kMostVisits) return kNoNumber;
    const FlatOp& op = OpAt(place);
    const std::vector<int>& in = op.operands;
    if (!FollowsAt(place)) return SumOfOwn(place_of_[AtOf(place)], factor);
    if (IsRepeated(place))
      return formula_.Node(
          MetricFormula::MULTIPLY,
          {NumberOf(place), SumOfFactor(op.type.shape, factor)});
    if (op.Is("multiply")) return SumOfProduct(in[0], in[1], factor);
    if (op.Is("divide") && IsRepeated(in[1]))
      return formula_.Node(MetricFormula::DIVIDE,
                           {SumOf(in[0], factor), NumberOf(in[1])});
    if (op.Is("add") || op.Is("subtract"))
      return formula_.Node(
          op.Is("add") ? MetricFormula::ADD : MetricFormula::SUBTRACT,
          {SumOf(in[0], factor), SumOf(in[1], factor)});
    if (op.Is("negate"))
      return formula_.Node(MetricFormula::NEGATE, {SumOf(in[0], factor)});
    if (op.Is("select") && IsRepeated(in[0]))
      return formula_.Node(
          MetricFormula::SELECT,
          {NumberOf(in[0]), SumOf(in[1], factor), SumOf(in[2], factor)});
    if (op.Is(kBarrier)) return SumOf(in[0], factor);
    const bool keeps = op.Is("Reshape") || IsAddition(op);
    return keeps && factor == kNoFactor ? SumOf(in[0], factor) : kNoNumber;
  }

  // One of the two depends on its own example alone.
  int SumOfProduct(int a, int b, int factor) {
    if (FollowsAt(a)) std::swap(a, b);
    if (FollowsAt(a)) return kNoNumber;
    const int own = Times(place_of_[AtOf(a)], factor);
    return own < 0 ? kNoNumber : SumOf(b, own);
  }

  // One number in each element.
  bool IsRepeated(int place) const {
    const FlatOp& op = OpAt(place);
    return (op.Is("broadcast_in_dim") && IsOne(op.operands[0])) ||
           (op.Is("constant") && op.attributes.data == nullptr);
  }
  int NumberOf(int repeated) {
    const FlatOp& op = OpAt(repeated);
    return op.Is("constant") ? Constant(op) : NumberAt(op.operands[0]);
  }

  int SumOfFactor(const Shape& shape, int factor) {
    if (factor != kNoFactor) return SumOfOwn(factor, kNoFactor);
    return formula_.Number(static_cast<double>(shape.elements()),
                           shape.batched() ? 1 : 0);
  }

  int SumOfOwn(int value, int factor) {
    const int of_each = OfEach(Real(Times(value, factor)));
    return of_each < 0 ? kNoNumber : formula_.Sum(of_each);
  }

  // Places in the builder; below 0: it cannot be made.
  int Times(int value, int factor) {
    if (factor == kNoFactor) return value;
    return Made("multiply", {value, factor});
  }

  int Real(int value) {
    if (value < 0 || builder_.type(value).dtype == DType::kFloat32)
      return value;
    OpAttributes real;
    real.dtype = DType::kFloat32;
    return Made("convert", {value}, std::move(real));
  }

  // [B]: the sum of each example's elements.
  int OfEach(int value) {
    if (value < 0 || !builder_.type(value).batched()) return -1;
    const Shape shape = builder_.type(value).shape;
    if (shape.dims[AtOf(shape.batch_axis)] != 1) {
      if (shape.batch_axis != 0) return -1;
      OpAttributes to;
      to.shape = WithBatch({.dims = {shape.elements()}});
      return OfEach(Made("Reshape", {value}, std::move(to)));
    }
    if (shape.rank() == 1) return value;
    OpAttributes add;
    add.word = "add";
    for (int dim = 0; dim < shape.rank(); ++dim)
      if (dim != shape.batch_axis) add.lists["dimensions"].push_back(dim);
    return Made("reduce", {value}, std::move(add));
  }

  int Made(std::string_view op, std::vector<int> operands,
           OpAttributes attributes = {}) {
    const auto made =
        builder_.Emit(op, std::move(operands), std::move(attributes));
    return made.ok() ? *made : -1;
  }

  const FlatFunction& from_;
  std::vector<bool> follows_;  // other examples
  FlatBuilder builder_{/*shares=*/true};
  std::vector<int> place_of_;
  FormulaBuilder formula_;
  std::map<int, int> known_;  // NumberAt
  int visits_ = 0;
};

}  // namespace

std::optional<EvalLoss> EvalLossOf(const FlatFunction& function, int loss) {
  return EvalLossFinder(function).Run(loss);
}

}  // namespace podsim
