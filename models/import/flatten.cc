#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "models/import/barriers.h"
#include "models/import/flat.h"
#include "models/import/flat_builder.h"
#include "models/import/hlo_value.h"
#include "models/import/narrow_wholes.h"
#include "models/import/opcodes.h"
#include "models/import/orders.h"
#include "models/import/random_keys.h"
#include "models/import/reducer.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

constexpr int kDeepestCall = 200;

// Instructions that a computation's root needs.
std::vector<bool> NeededIn(const HloComputation& computation) {
  std::vector<bool> needed(computation.instructions.size());
  needed[static_cast<std::size_t>(computation.root)] = true;
  for (std::size_t i = needed.size(); i-- > 0;)
    if (needed[i])
      for (const int operand : computation.instructions[i].operands)
        needed[static_cast<std::size_t>(operand)] = true;
  return needed;
}

class Flattener {
 public:
  Flattener(const HloModule& module, int most_ops)
      : module_(module), most_ops_(most_ops) {
    for (const HloComputation& each : module.computations())
      needed_.push_back(NeededIn(each));
  }

  absl::StatusOr<FlatFunction> Run() {
    const HloComputation& entry = Computation(module_.entry());
    HloValues arguments(static_cast<std::size_t>(entry.parameters));
    for (const HloInstruction& instruction : entry.instructions) {
      if (instruction.proto->opcode() != "parameter") continue;
      auto type = TypeOf(instruction.proto->shape());
      if (!type.ok()) return Located(*instruction.proto, type.status());
      builder_.SetPlace(module_.PlaceOf(*instruction.proto));
      const auto number =
          static_cast<std::size_t>(instruction.proto->parameter_number());
      arguments[number].array = builder_.Parameter(*std::move(type));
    }
    for (const HloValue& argument : arguments)
      builder_.function().parameters.push_back(argument.array);
    PODSIM_ASSIGN_OR_RETURN(const HloValue result,
                            Call(module_.entry(), arguments));
    const HloValues results =
        result.parts == nullptr ? HloValues{result} : *result.parts;
    for (const HloValue& each : results) {
      if (each.refused != nullptr) return *each.refused;
      if (each.parts != nullptr)
        return BadCall("a result is a tuple of tuples");
      if (each.IsEmpty())
        return absl::UnimplementedError(
            "a result is an array without elements; leave it out");
      builder_.function().results.push_back(each.array);
    }
    return std::move(builder_.function());
  }

 private:
  const HloComputation& Computation(int place) const {
    return module_.computations()[static_cast<std::size_t>(place)];
  }

  // For people, with the line of what called it where it has none itself.
  std::string PlaceOf(const hlo::Instruction& from) const {
    std::string place = module_.PlaceOf(from);
    if (!source_.empty() && module_.SourceOf(from).empty())
      absl::StrAppend(&place, ", called at ", source_);
    return place;
  }

  // In the caller's words: the line, and what stands there.
  std::string WordsOf(const hlo::Instruction& from) const {
    const std::string own = module_.SourceOf(from);
    const std::string& line = own.empty() ? source_ : own;
    return absl::StrCat(line, line.empty() ? "" : ": ", module_.NameOf(from));
  }

  absl::Status Located(const hlo::Instruction& from,
                       const absl::Status& status) const {
    return {status.code(),
            absl::StrCat(WordsOf(from), ": ", std::string(status.message()))};
  }

  absl::StatusOr<HloValue> Call(int computation, const HloValues& arguments) {
    if (depth_ == kDeepestCall) return BadCall("calls are nested too deep");
    const HloComputation& body = Computation(computation);
    if (static_cast<int>(arguments.size()) != body.parameters)
      return BadCall("a call has another number of operands than parameters");
    const std::string called_at = source_;
    ++depth_;
    auto result = RootOf(body, needed_[static_cast<std::size_t>(computation)],
                         arguments, called_at);
    --depth_;
    source_ = called_at;
    return result;
  }

  absl::StatusOr<HloValue> RootOf(const HloComputation& body,
                                  const std::vector<bool>& needed,
                                  const HloValues& arguments,
                                  const std::string& called_at) {
    HloValues values;
    for (const HloInstruction& each : body.instructions) {
      if (!needed[values.size()]) {
        values.emplace_back();
        continue;
      }
      const std::string source = module_.SourceOf(*each.proto);
      source_ = source.empty() ? called_at : source;
      HloValues operands;
      for (const int operand : each.operands)
        operands.push_back(values[static_cast<std::size_t>(operand)]);
      if (++steps_ > most_ops_)
        return BadCall(
            absl::StrCat("it takes more than ", FormatCount(most_ops_),
                         " instructions with its loops taken apart; make loops "
                         "shorter, or compute whole arrays (jax.vmap)"));
      auto value = Visit(each, operands, arguments);
      values.push_back(
          value.ok() ? *std::move(value)
                     : RefusedValue(Located(*each.proto, value.status())));
    }
    return values[static_cast<std::size_t>(body.root)];
  }

  absl::StatusOr<HloValue> Visit(const HloInstruction& instruction,
                                 const HloValues& operands,
                                 const HloValues& arguments) {
    const hlo::Instruction& from = *instruction.proto;
    const std::string& code = from.opcode();
    if (code == "parameter")
      return arguments[static_cast<std::size_t>(from.parameter_number())];
    if (code == "tuple") return TupleValue(operands);
    if (code == "get-tuple-element") return Part(from, operands);
    if (code == "call" && instruction.called.size() == 1)
      return CallOrDraw(instruction, operands);
    if (code == "while") return Loop(instruction, operands);
    if (const HloValue* refused = FirstRefused(operands)) return *refused;
    if (code == "conditional") return Choice(instruction, operands);
    if ((code == "copy" || code == "bitcast") && operands.size() == 1)
      return operands[0];
    if (code == "opt-barrier" && operands.size() == 1) {
      builder_.SetPlace(PlaceOf(from), WordsOf(from));
      return Barred(operands[0], 0);
    }
    if (code == "custom-call") return Custom(from, operands);
    if (HasNoElements(from.shape())) return HloValue{};
    return Apply(instruction, operands);
  }

  // Its arrays of floats behind barriers. Whole numbers, truth values and keys
  // are handed on, so that equal keys still draw the same bits, and so are
  // numbers that are known.
  absl::StatusOr<HloValue> Barred(const HloValue& value, int depth) {
    if (value.parts != nullptr) {
      if (depth > kDeepestCall) return BadCall("tuples are nested too deep");
      HloValues parts;
      for (const HloValue& each : *value.parts) {
        if (++steps_ > most_ops_) return BadCall("too many parts of a barrier");
        PODSIM_ASSIGN_OR_RETURN(parts.emplace_back(), Barred(each, depth + 1));
      }
      return TupleValue(std::move(parts));
    }
    if (value.array < 0 || !IsFloat(builder_.type(value.array).dtype) ||
        builder_.op(value.array).Is("constant"))
      return value;
    PODSIM_ASSIGN_OR_RETURN(const int array,
                            builder_.Emit(kBarrier, {value.array}));
    return ArrayValue(array);
  }

  // What draws or derives keys is not looked into: podsim's own stream takes
  // its place (random_keys.h).
  absl::StatusOr<HloValue> CallOrDraw(const HloInstruction& instruction,
                                      const HloValues& operands) {
    const int called = instruction.called[0];
    const std::string name = KeyFunctionOf(Computation(called).name);
    if (name.empty()) return Call(called, operands);
    if (const HloValue* refused = FirstRefused(operands)) return *refused;
    PODSIM_ASSIGN_OR_RETURN(const std::vector<int> arrays, ArraysOf(operands));
    PODSIM_ASSIGN_OR_RETURN(const ValueType type,
                            TypeOf(instruction.proto->shape()));
    builder_.SetPlace(PlaceOf(*instruction.proto), WordsOf(*instruction.proto));
    PODSIM_ASSIGN_OR_RETURN(const int drawn,
                            EmitKeyFunction(builder_, name, arrays, type));
    return ArrayValue(drawn);
  }

  // Whether a computation or what it calls draws bits.
  bool Draws(int computation) const {
    std::vector<bool> known(module_.computations().size());
    std::vector<int> waiting = {computation};
    while (!waiting.empty()) {
      const int at = waiting.back();
      waiting.pop_back();
      if (known[static_cast<std::size_t>(at)]) continue;
      known[static_cast<std::size_t>(at)] = true;
      if (!KeyFunctionOf(Computation(at).name).empty()) return true;
      for (const HloInstruction& each : Computation(at).instructions)
        waiting.insert(waiting.end(), each.called.begin(), each.called.end());
    }
    return false;
  }

  static absl::StatusOr<HloValue> Part(const hlo::Instruction& from,
                                       const HloValues& operands) {
    const std::int64_t i = from.tuple_index();
    if (const HloValue* refused = FirstRefused(operands)) return *refused;
    if (operands.size() != 1 || operands[0].parts == nullptr || i < 0 ||
        i >= static_cast<std::int64_t>(operands[0].parts->size()))
      return BadCall(absl::StrCat("there is no part ", i));
    return (*operands[0].parts)[static_cast<std::size_t>(i)];
  }

  // Annotations that compute nothing.
  absl::StatusOr<HloValue> Custom(const hlo::Instruction& from,
                                  const HloValues& operands) {
    const std::string& target = from.custom_call_target();
    if (operands.size() == 1 &&
        (target == "Sharding" || target == "annotate_device_placement"))
      return operands[0];
    if (target.find("python") != std::string::npos)
      return absl::UnimplementedError(
          "the cores of a pod have no Python; compute it before, as an array "
          "of the data set");
    return absl::UnimplementedError(
        absl::StrCat("podsim cannot call '", target,
                     "'; compute it before, as an array of the data set"));
  }

  absl::StatusOr<HloValue> Loop(const HloInstruction& loop,
                                const HloValues& operands) {
    // XLA writes the body first.
    if (loop.called.size() != 2 || operands.size() != 1)
      return BadCall("a loop has a body, a condition and one operand");
    const int body = loop.called[0];
    const int condition = loop.called[1];
    HloValue state = operands[0];
    // Each turn takes some of most_ops_.
    while (true) {
      PODSIM_ASSIGN_OR_RETURN(const HloValue goes_on, Call(condition, {state}));
      if (goes_on.refused != nullptr) return goes_on;
      const auto known =
          goes_on.array < 0 ? std::nullopt : builder_.NumberOf(goes_on.array);
      if (!known && Draws(body))
        return absl::UnimplementedError(
            "the loop draws until it accepts a number, as jax.random.gamma, "
            "beta, dirichlet, t and binomial do, so that its length depends on "
            "data; docs/jax.md says how to draw those without a loop");
      if (!known)
        return absl::UnimplementedError(
            "how often the loop runs depends on data; podsim takes loops apart "
            "whose length is known (lax.scan, lax.fori_loop)");
      if (*known == 0) return state;
      PODSIM_ASSIGN_OR_RETURN(state, Call(body, {state}));
    }
  }

  // All branches are computed where the choice depends on data. Of a bool the
  // first branch is true's; a number that is no branch's takes the last one.
  absl::StatusOr<HloValue> Choice(const HloInstruction& choice,
                                  const HloValues& operands) {
    const std::vector<int>& branches = choice.called;
    if (branches.empty() || operands.size() != branches.size() + 1)
      return BadCall("a choice needs branches, and an operand for each");
    if (operands[0].array < 0) return BadCall("it chooses by no array");
    const int chooser = operands[0].array;
    const bool is_bool = builder_.type(chooser).dtype == DType::kBool;
    if (is_bool && branches.size() != 2)
      return BadCall("a choice by a bool has two branches");
    const std::size_t last = branches.size() - 1;
    if (const auto known = builder_.NumberOf(chooser)) {
      const bool inside = *known >= 0 && *known < static_cast<double>(last);
      const std::size_t number =
          inside ? static_cast<std::size_t>(*known) : last;
      const std::size_t taken = is_bool ? (*known != 0 ? 0 : 1) : number;
      return Call(branches[taken], {operands[1 + taken]});
    }
    std::vector<int> is_taken = {chooser};
    if (!is_bool) {
      PODSIM_ASSIGN_OR_RETURN(is_taken, ComparedWithEach(chooser, last));
    }
    HloValues results;
    for (std::size_t i = 0; i <= last; ++i) {
      PODSIM_ASSIGN_OR_RETURN(results.emplace_back(),
                              Call(branches[i], {operands[1 + i]}));
    }
    HloValue chosen = results[last];
    for (std::size_t i = last; i-- > 0;) {
      PODSIM_ASSIGN_OR_RETURN(chosen,
                              Select(is_taken[i], results[i], chosen, 0));
    }
    return chosen;
  }

  // Whether `number` is 0, 1, ... below `count`.
  absl::StatusOr<std::vector<int>> ComparedWithEach(int number,
                                                    std::size_t count) {
    std::vector<int> equal;
    for (std::size_t i = 0; i < count; ++i) {
      const int other =
          builder_.Constant(builder_.type(number), {static_cast<double>(i)});
      PODSIM_ASSIGN_OR_RETURN(
          equal.emplace_back(),
          builder_.Emit("compare", {number, other}, {.word = "EQ"}));
    }
    return equal;
  }

  absl::StatusOr<HloValue> Select(int chooser, const HloValue& a,
                                  const HloValue& b, int depth) {
    if (a.refused != nullptr) return a;
    if (b.refused != nullptr) return b;
    if ((a.parts == nullptr) != (b.parts == nullptr) ||
        a.IsEmpty() != b.IsEmpty() || depth > kDeepestCall)
      return BadCall("the branches have other results");
    if (a.IsEmpty()) return a;
    if (a.parts == nullptr) {
      OpAttributes spread;
      spread.shape = builder_.type(a.array).shape;
      spread.lists["broadcast_dimensions"] = {};
      PODSIM_ASSIGN_OR_RETURN(
          const int each,
          builder_.Emit("broadcast_in_dim", {chooser}, std::move(spread)));
      PODSIM_ASSIGN_OR_RETURN(
          const int array, builder_.Emit("select", {each, a.array, b.array}));
      return ArrayValue(array);
    }
    if (a.parts->size() != b.parts->size())
      return BadCall("the branches have other results");
    HloValues parts;
    for (std::size_t i = 0; i < a.parts->size(); ++i) {
      if (++steps_ > most_ops_) return BadCall("too many parts of a choice");
      PODSIM_ASSIGN_OR_RETURN(HloValue part, Select(chooser, (*a.parts)[i],
                                                    (*b.parts)[i], depth + 1));
      parts.push_back(std::move(part));
    }
    return TupleValue(std::move(parts));
  }

  absl::StatusOr<HloValue> Apply(const HloInstruction& instruction,
                                 HloValues operands) {
    const hlo::Instruction& from = *instruction.proto;
    if (from.opcode() == "concatenate")
      std::erase_if(operands, std::mem_fn(&HloValue::IsEmpty));
    const HloOpCode* code = FindHloOpCode(from.opcode());
    if (code == nullptr)
      return absl::UnimplementedError(absl::StrCat(
          "podsim has no such operation: ", InsteadOfOpCode(from.opcode())));
    HloUse use{.from = from, .operands = {}, .words = {}, .type = {}};
    PODSIM_ASSIGN_OR_RETURN(use.operands, ArraysOf(operands));
    for (const int called : instruction.called)
      use.words.push_back(ReducerWord(Computation(called)));
    builder_.SetPlace(PlaceOf(from), WordsOf(from));
    if (const auto ordered = Ordered(instruction, use)) {
      PODSIM_RETURN_IF_ERROR(ordered->status());
      return Results(from.shape(), **ordered);
    }
    PODSIM_ASSIGN_OR_RETURN(use.type, TypeOf(from.shape()));
    PODSIM_ASSIGN_OR_RETURN(const int array, Emit(*code, use));
    return Results(from.shape(), {array});
  }

  absl::StatusOr<int> Emit(const HloOpCode& code, const HloUse& use) {
    PODSIM_RETURN_IF_ERROR(CheckNarrow(use.from));
    PODSIM_ASSIGN_OR_RETURN(const int made, EmitUnwrapped(code, use));
    return WrappedAs(builder_, made, use.from);
  }

  absl::StatusOr<int> EmitUnwrapped(const HloOpCode& code, const HloUse& use) {
    if (code.emit != nullptr) return code.emit(builder_, use);
    OpAttributes attributes;
    if (code.attributes != nullptr) code.attributes(use, attributes);
    return builder_.Emit(code.op, use.operands, std::move(attributes));
  }

  // What has other results than one. Nothing: it is no such instruction.
  std::optional<absl::StatusOr<std::vector<int>>> Ordered(
      const HloInstruction& instruction, const HloUse& use) {
    const std::string& code = use.from.opcode();
    if (code == "sort") return EmitSort(builder_, use);
    if (code == "topk") return EmitTopK(builder_, use);
    if ((code != "reduce" && code != "reduce-window") ||
        use.from.shape().element_type() != hlo::TUPLE)
      return std::nullopt;
    const bool is_pair = code == "reduce" && use.operands.size() == 4 &&
                         instruction.called.size() == 1;
    return EmitArgExtreme(
        builder_, use,
        is_pair ? ArgReducerWord(Computation(instruction.called[0])) : "");
  }

  absl::Status CheckResult(const hlo::Shape& said, int array) const {
    PODSIM_ASSIGN_OR_RETURN(const ValueType type, TypeOf(said));
    if (builder_.type(array) == type) return absl::OkStatus();
    return BadCall(absl::StrCat("it says ", ToString(type), " but makes ",
                                ToString(builder_.type(array))));
  }

  absl::StatusOr<HloValue> Results(const hlo::Shape& said,
                                   const std::vector<int>& arrays) const {
    if (said.element_type() != hlo::TUPLE && arrays.size() == 1) {
      PODSIM_RETURN_IF_ERROR(CheckResult(said, arrays[0]));
      return ArrayValue(arrays[0]);
    }
    if (said.tuple_shapes_size() != static_cast<int>(arrays.size()))
      return BadCall(absl::StrCat("it makes ", arrays.size(), " results"));
    HloValues parts;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      PODSIM_RETURN_IF_ERROR(
          CheckResult(said.tuple_shapes(static_cast<int>(i)), arrays[i]));
      parts.push_back(ArrayValue(arrays[i]));
    }
    return TupleValue(std::move(parts));
  }

  const HloModule& module_;
  const int most_ops_;
  FlatBuilder builder_{/*shares=*/false};
  int depth_ = 0;
  int steps_ = 0;
  std::string source_;                     // the innermost line that is known
  std::vector<std::vector<bool>> needed_;  // by computation, then instruction
};

}  // namespace

absl::StatusOr<FlatFunction> Flatten(const HloModule& module, int most_ops) {
  return Flattener(module, most_ops).Run();
}

}  // namespace podsim
