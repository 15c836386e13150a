#include "models/import/align.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "models/import/batch_numbers.h"
#include "models/import/random_keys.h"
#include "models/import/repeated_row.h"
#include "models/ops/constant_value.h"

namespace podsim {
namespace {

template <typename T>
bool AllEqual(const std::vector<T>& values) {
  return std::adjacent_find(values.begin(), values.end(),
                            std::not_equal_to<>()) == values.end();
}

// What a message about the op begins with.
std::string Named(const FlatOp& op) {
  if (op.words.empty() && IsKeyFunction(op))
    return absl::StrCat(KeyFunctionText(op), " (", op.place, ")");
  return WhereOf(op);
}

std::size_t Sized(std::int64_t i) { return static_cast<std::size_t>(i); }

constexpr char kDependsOnCount[] =
    "what is computed depends on the number of examples; say jax.vmap where a "
    "loop goes over the examples, and ask no shape for their number";

// An attribute that follows the batch, in the words of those who call it.
std::string NumbersText(const FlatOp& op, const std::string& list) {
  if (op.Is("reduce_window"))
    return "a window or a running sum over the examples, so that one example's "
           "result depends on others: take it along another axis; it";
  if (list == "start_indices") return "a slice that begins";
  if (list == "limit_indices") return "a slice that ends";
  if (list == "slice_sizes") return "a slice that";
  if (list.find("padding") != std::string::npos) return "padding that";
  return absl::StrCat("its ", list);
}

class Aligner {
 public:
  Aligner(std::span<const FlatFunction> functions,
          std::span<const std::int64_t> batches)
      : functions_(functions), batches_(batches) {}

  absl::StatusOr<FlatFunction> Run() {
    FlatFunction result = functions_[0];
    for (const FlatFunction& other : functions_.subspan(1))
      PODSIM_RETURN_IF_ERROR(CheckSame(other));
    for (std::size_t i = 0; i < result.ops.size(); ++i) {
      at_ = i;
      const absl::Status status = Merge(result.ops[i]);
      if (!status.ok())
        return absl::Status(status.code(),
                            absl::StrCat(Named(functions_[0].ops[i]), ": ",
                                         std::string(status.message())));
    }
    return WithRows(std::move(result));
  }

 private:
  absl::Status CheckSame(const FlatFunction& other) const {
    const FlatFunction& first = functions_[0];
    const std::size_t count = std::min(first.ops.size(), other.ops.size());
    for (std::size_t i = 0; i < count; ++i) {
      const FlatOp& a = first.ops[i];
      const FlatOp& b = other.ops[i];
      if (a.entry != b.entry || a.operands != b.operands)
        return absl::UnimplementedError(
            absl::StrCat(Named(a), ": ", kDependsOnCount));
    }
    if (first.ops.size() != other.ops.size() ||
        first.parameters != other.parameters || first.results != other.results)
      return absl::UnimplementedError(kDependsOnCount);
    return absl::OkStatus();
  }

  template <typename Get>
  auto Each(const Get& get) const {
    std::vector<decltype(get(functions_[0].ops[0]))> values;
    for (const FlatFunction& function : functions_)
      values.push_back(get(function.ops[at_]));
    return values;
  }

  // c, where the numbers are c times the batches.
  std::optional<std::int64_t> FactorOf(
      const std::vector<std::int64_t>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] % batches_[i] != 0 ||
          values[i] / batches_[i] != values[0] / batches_[0])
        return std::nullopt;
    return values[0] / batches_[0];
  }

  absl::Status MergeShape(Shape& shape, Shape FlatOpShape(const FlatOp&)) {
    shape.batch_axis = -1;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const auto sizes = Each([&](const FlatOp& op) {
        const Shape other = FlatOpShape(op);
        return other.rank() == shape.rank() ? other.dims[Sized(axis)]
                                            : std::int64_t{-1};
      });
      if (AllEqual(sizes)) continue;
      const auto factor = FactorOf(sizes);
      if (!factor)
        return absl::UnimplementedError(
            absl::StrCat("dimension ", axis, " is ", absl::StrJoin(sizes, ", "),
                         " with ", ExamplesText(batches_),
                         ": neither fixed nor a multiple of the batch"));
      if (shape.batched())
        return absl::UnimplementedError(
            "the batch is in two of its dimensions: examples are compared with "
            "one another, which podsim cannot do; compare within an example, "
            "with what its arrays of the data set hold");
      shape.batch_axis = axis;
      shape.dims[Sized(axis)] = *factor;
    }
    return absl::OkStatus();
  }

  absl::Status Merge(FlatOp& op) {
    const Shape first = op.type.shape;
    absl::Status shape = MergeShape(
        op.type.shape, [](const FlatOp& of) { return of.type.shape; });
    if (!shape.ok() && IsKeyFunction(op) && !IsDraw(op)) {
      // More keys than examples: those that are taken of them tell.
      op.type.shape = first;
      shape = absl::OkStatus();
    }
    PODSIM_RETURN_IF_ERROR(shape);
    PODSIM_RETURN_IF_ERROR(
        MergeShape(op.attributes.shape,
                   [](const FlatOp& of) { return of.attributes.shape; }));
    const auto words =
        Each([](const FlatOp& of) { return of.attributes.word; });
    const auto types = Each([](const FlatOp& of) { return of.type.dtype; });
    if (!AllEqual(words) || !AllEqual(types))
      return absl::UnimplementedError(kDependsOnCount);
    for (auto& [name, list] : op.attributes.lists)
      PODSIM_RETURN_IF_ERROR(MergeList(op, name, list));
    return op.Is("constant") ? MergeConstant(op) : absl::OkStatus();
  }

  // Of the operand that is cut.
  int CutAxis(const FlatOp& op) const {
    if (op.operands.empty()) return -1;
    const std::size_t from = Sized(op.operands[0]);
    const Shape& shape = functions_[0].ops[from].type.shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      std::set<std::int64_t> sizes;
      for (const FlatFunction& function : functions_)
        sizes.insert(function.ops[from].type.shape.dims[Sized(axis)]);
      if (sizes.size() > 1) return axis;
    }
    return -1;
  }

  absl::Status MergeList(const FlatOp& op, const std::string& name,
                         std::vector<std::int64_t>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto numbers = Each([&](const FlatOp& of) {
        const auto other = of.attributes.List(name);
        return other.size() == list.size() ? other[i] : std::int64_t{-1};
      });
      if (AllEqual(numbers)) continue;
      const auto factor = FactorOf(numbers);
      const bool is_size = name == "limit_indices" || name == "slice_sizes";
      if (!factor || !is_size || static_cast<int>(i) != CutAxis(op))
        return absl::UnimplementedError(absl::StrCat(
            NumbersText(op, name), " has ", absl::StrJoin(numbers, ", "),
            " with ", ExamplesText(batches_),
            ", which podsim cannot leave open"));
      list[i] = *factor;
    }
    return absl::OkStatus();
  }

  absl::Status MergeConstant(FlatOp& op) {
    const auto has_data =
        Each([](const FlatOp& of) { return of.attributes.data != nullptr; });
    const bool any =
        std::find(has_data.begin(), has_data.end(), true) != has_data.end();
    if (any && op.type.batched()) {
      if (SetRow(op)) return absl::OkStatus();
      return absl::UnimplementedError(
          "it has a number of its own for each example; give it as an input "
          "of the data set");
    }
    if (any) {
      for (const FlatFunction& function : functions_) {
        const auto& data = function.ops[at_].attributes.data;
        if (data == nullptr || *data != *op.attributes.data)
          return absl::UnimplementedError(
              "its numbers depend on the number of examples; give them as an "
              "array of the data set");
      }
      return absl::OkStatus();
    }
    const auto values =
        Each([](const FlatOp& of) { return of.attributes.value; });
    const bool nan =
        std::all_of(values.begin(), values.end(),
                    [](double value) { return std::isnan(value); });
    if (AllEqual(values) || nan) return absl::OkStatus();
    return FollowBatch(batches_, values, op);
  }

  // Of a constant of rows that are alike.
  bool SetRow(FlatOp& op) {
    std::vector<const FlatOp*> constants;
    for (const FlatFunction& function : functions_)
      constants.push_back(&function.ops[at_]);
    auto repeated = RepeatedRowOf(op, constants, batches_);
    if (!repeated) return false;
    op = std::move(repeated->op);
    rows_[at_] = std::move(repeated->before);
    return true;
  }

  // Its operands are places behind `begin`.
  static FlatOp Behind(int begin, FlatOp op) {
    for (int& place : op.operands) place += begin;
    return op;
  }

  // Each row before what repeats it.
  FlatFunction WithRows(FlatFunction from) const {
    if (rows_.empty()) return from;
    FlatFunction to;
    std::vector<int> place_of;
    const auto moved = [&](std::vector<int> places) {
      for (int& place : places) place = place_of[Sized(place)];
      return places;
    };
    for (std::size_t i = 0; i < from.ops.size(); ++i) {
      FlatOp op = std::move(from.ops[i]);
      const auto row = rows_.find(i);
      if (row == rows_.end()) {
        op.operands = moved(std::move(op.operands));
      } else {
        const auto begin = static_cast<int>(to.ops.size());
        for (FlatOp part : row->second)
          to.ops.push_back(Behind(begin, std::move(part)));
        op = Behind(begin, std::move(op));
      }
      place_of.push_back(static_cast<int>(to.ops.size()));
      to.ops.push_back(std::move(op));
    }
    to.parameters = moved(from.parameters);
    to.results = moved(from.results);
    return to;
  }

  std::span<const FlatFunction> functions_;
  std::span<const std::int64_t> batches_;
  std::size_t at_ = 0;  // the op that is looked at
  // Of constants that repeat a row: what stands before them, operands from 0.
  std::map<std::size_t, std::vector<FlatOp>> rows_;
};

}  // namespace

absl::StatusOr<FlatFunction> Align(std::span<const FlatFunction> functions,
                                   std::span<const std::int64_t> batches) {
  std::set<std::int64_t> different(batches.begin(), batches.end());
  if (batches.size() < 3 || different.size() != batches.size() ||
      *different.begin() < 2 || functions.size() != batches.size())
    return absl::InvalidArgumentError(
        absl::StrCat("lowered with ", absl::StrJoin(batches, ", "),
                     " examples; needs three different numbers from 2 on"));
  return Aligner(functions, batches).Run();
}

}  // namespace podsim
