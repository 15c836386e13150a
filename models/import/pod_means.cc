#include "models/import/pod_means.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "models/import/degrees.h"
#include "models/import/flat_builder.h"

namespace podsim {
namespace {

std::size_t AtPlace(int place) { return static_cast<std::size_t>(place); }

// Ops that are the same of int32 and of float32.
bool KeepsWholes(const FlatOp& op) {
  return op.IsAnyOf({"add", "maximum", "minimum", "Reshape", "select",
                     "broadcast_in_dim"}) &&
         op.type.dtype == DType::kInt32 && !op.type.batched();
}

bool TakesFraction(const FlatFunction& function, int place) {
  for (std::size_t i = 0; i < function.ops.size(); ++i) {
    const FlatOp& op = function.ops[i];
    if (std::find(op.operands.begin(), op.operands.end(), place) ==
        op.operands.end())
      continue;
    const bool ends = op.Is("compare") ||
                      (op.Is("convert") && op.type.dtype == DType::kFloat32);
    if (!ends &&
        !(KeepsWholes(op) && TakesFraction(function, static_cast<int>(i))))
      return false;
  }
  return std::find(function.results.begin(), function.results.end(), place) ==
         function.results.end();
}

class PodMeans {
 public:
  PodMeans(const FlatFunction& from, const std::vector<int>& sums)
      : from_(from), sums_(sums), degrees_(from), is_of_pod_(from.ops.size()) {}

  absl::StatusOr<FlatFunction> Run() {
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      const FlatOp& op = from_.ops[i];
      builder_.SetPlace(op.place, op.words);
      PODSIM_ASSIGN_OR_RETURN(int place, Copied(op, is_of_pod_[i]));
      if (std::binary_search(sums_.begin(), sums_.end(), static_cast<int>(i))) {
        PODSIM_ASSIGN_OR_RETURN(place, PodMean(place));
        is_of_pod_[i] = true;
      }
      place_of_.push_back(place);
    }
    builder_.function().parameters = Moved(from_.parameters);
    builder_.function().results = Moved(from_.results);
    return Pruned(builder_.function());
  }

 private:
  std::vector<int> Moved(std::vector<int> places) const {
    for (int& place : places) place = place_of_[AtPlace(place)];
    return places;
  }

  // is_of_pod: set if its operands make it the same on all cores.
  absl::StatusOr<int> Copied(const FlatOp& from,
                             std::vector<bool>::reference is_of_pod) {
    FlatOp op = from;
    op.operands = Moved(from.operands);
    const bool reads =
        std::any_of(from.operands.begin(), from.operands.end(),
                    [&](int place) { return is_of_pod_[AtPlace(place)]; });
    if (!reads || from.type.batched()) return builder_.Add(op);
    is_of_pod = true;
    if (!TakesPlainNumbers(from))
      return op.Is("convert")
                 ? builder_.Emit("convert", op.operands, op.attributes)
                 : builder_.Add(op);
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      PODSIM_ASSIGN_OR_RETURN(op.operands[i], Beside(from, i, op.operands[i]));
    }
    return builder_.Emit(from.entry->name, op.operands, op.attributes);
  }

  // An operand beside means of the pod: as float32; a plain number beside sums
  // by the number of cores.
  absl::StatusOr<int> Beside(const FlatOp& op, std::size_t i, int operand) {
    const int place = op.operands[i];
    if (builder_.type(operand).dtype == DType::kBool) return operand;
    OpAttributes real;
    real.dtype = DType::kFloat32;
    PODSIM_ASSIGN_OR_RETURN(const int number,
                            builder_.Emit("convert", {operand}, real));
    double degree = 0;
    for (const int each : op.operands)
      if (is_of_pod_[AtPlace(each)] &&
          from_.ops[AtPlace(each)].type.dtype != DType::kBool)
        degree = std::max(degree, degrees_.At(each));
    if (is_of_pod_[AtPlace(place)] || degree != 1 || degrees_.At(place) != 0)
      return number;
    PODSIM_ASSIGN_OR_RETURN(const int shares,
                            Repeated(share_, builder_.type(number).shape));
    return builder_.Emit("multiply", {number, shares});
  }

  absl::StatusOr<int> Repeated(int number, const Shape& shape) {
    if (shape.rank() == 0) return number;
    OpAttributes repeat;
    repeat.shape = shape;
    repeat.lists["broadcast_dimensions"] = {};
    return builder_.Emit("broadcast_in_dim", {number}, std::move(repeat));
  }

  absl::StatusOr<int> Reshaped(int value, Shape shape) {
    OpAttributes attributes;
    attributes.shape = std::move(shape);
    return builder_.Emit("Reshape", {value}, std::move(attributes));
  }

  absl::StatusOr<int> Part(int values, std::int64_t begin, std::int64_t end) {
    OpAttributes part;
    part.lists["start_indices"] = {begin};
    part.lists["limit_indices"] = {end};
    part.lists["strides"] = {1};
    return builder_.Emit("slice", {values}, std::move(part));
  }

  // How many examples a core has, [1].
  absl::StatusOr<int> ExamplesOfCore() {
    const int ones =
        builder_.Constant({DType::kFloat32, WithBatch({.dims = {1}})}, {1});
    OpAttributes add;
    add.word = "add";
    add.lists["dimensions"] = {0};
    return builder_.Emit("reduce", {ones}, std::move(add));
  }

  // Sums and examples of all cores travel together: sum * B / G.
  absl::StatusOr<int> PodMean(int sum) {
    const Shape shape = builder_.type(sum).shape;
    const std::int64_t size = shape.elements();
    OpAttributes real;
    real.dtype = DType::kFloat32;
    PODSIM_ASSIGN_OR_RETURN(const int number,
                            builder_.Emit("convert", {sum}, real));
    PODSIM_ASSIGN_OR_RETURN(const int flat, Reshaped(number, {.dims = {size}}));
    PODSIM_ASSIGN_OR_RETURN(const int own, ExamplesOfCore());
    OpAttributes join;
    join.lists["dimension"] = {0};
    PODSIM_ASSIGN_OR_RETURN(const int both,
                            builder_.Emit("concatenate", {flat, own}, join));
    OpAttributes over_all;
    over_all.word = "add";
    over_all.lists[kGroupSize] = {0};
    PODSIM_ASSIGN_OR_RETURN(const int of_all,
                            builder_.Emit("all_reduce", {both}, over_all));
    PODSIM_ASSIGN_OR_RETURN(const int sums, Part(of_all, 0, size));
    PODSIM_ASSIGN_OR_RETURN(const int count, Part(of_all, size, size + 1));
    PODSIM_ASSIGN_OR_RETURN(const int share,
                            builder_.Emit("divide", {own, count}));
    PODSIM_ASSIGN_OR_RETURN(share_, Reshaped(share, {}));
    PODSIM_ASSIGN_OR_RETURN(const int shares,
                            Repeated(share_, {.dims = {size}}));
    PODSIM_ASSIGN_OR_RETURN(const int mean,
                            builder_.Emit("multiply", {sums, shares}));
    return Reshaped(mean, shape);
  }

  const FlatFunction& from_;
  const std::vector<int>& sums_;
  const Degrees degrees_;
  std::vector<bool> is_of_pod_;  // by place: the same on all cores
  FlatBuilder builder_{/*shares=*/true};
  std::vector<int> place_of_;
  int share_ = -1;  // of a core in the examples
};

}  // namespace

bool TakesPodMean(const FlatFunction& function, int place) {
  const ValueType& type = function.ops[AtPlace(place)].type;
  if (type.batched()) return false;
  return type.dtype == DType::kFloat32 ||
         (type.dtype == DType::kInt32 && TakesFraction(function, place));
}

absl::StatusOr<FlatFunction> WithPodMeans(const FlatFunction& from,
                                          const std::vector<int>& sums) {
  return PodMeans(from, sums).Run();
}

}  // namespace podsim
