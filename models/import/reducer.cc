#include "models/import/reducer.h"

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/import/literal.h"

namespace podsim {
namespace {

// No reduction that is known is written with more.
constexpr std::size_t kLongest = 400;

// "=0" or "=nan"; empty: it is no one number.
std::string NumberText(const hlo::Instruction& constant) {
  const std::vector<double> numbers =
      ElementsOf(constant.literal(), constant.shape().element_type());
  return numbers.size() == 1 ? absl::StrCat("=", numbers[0]) : "";
}

// What the root computes, as text: "add(0, 1)" of parameters 0 and 1. Empty if
// it is longer than anything that is known.
std::string Expression(const HloComputation& computation) {
  std::vector<std::string> texts;
  for (const HloInstruction& instruction : computation.instructions) {
    const hlo::Instruction& from = *instruction.proto;
    if (from.opcode() == "parameter") {
      texts.push_back(absl::StrCat(from.parameter_number()));
      continue;
    }
    if (from.opcode() == "constant") {
      texts.push_back(NumberText(from));
      continue;
    }
    std::string text = from.opcode() == "compare" ? from.comparison_direction()
                                                  : from.opcode();
    const char* before = "(";
    for (const int operand : instruction.operands) {
      const std::string& part = texts[static_cast<std::size_t>(operand)];
      absl::StrAppend(&text, before, part);
      before = ", ";
      if (part.empty() || text.size() > kLongest) return "";
    }
    texts.push_back(absl::StrCat(text, ")"));
  }
  return texts[static_cast<std::size_t>(computation.root)];
}

// Of floats NaN wins, too.
std::string ArgExpression(const std::string& better, bool floats) {
  const std::string is_better = absl::StrCat(better, "(0, 2)");
  const std::string wins =
      floats ? absl::StrCat("or(", is_better, ", NE(0, 0))") : is_better;
  const std::string first =
      absl::StrCat("or(", wins, ", and(EQ(0, 2), LT(1, 3)))");
  return absl::StrCat("tuple(select(", wins, ", 0, 2), select(", first,
                      ", 1, 3))");
}

bool TakesFloats(const HloComputation& computation) {
  for (const HloInstruction& instruction : computation.instructions) {
    const hlo::Instruction& from = *instruction.proto;
    if (from.opcode() == "parameter" && from.parameter_number() == 0)
      return from.shape().element_type() == hlo::F32 ||
             from.shape().element_type() == hlo::BF16;
  }
  return false;
}

// As JAX compares floats, by their total order: one zero and one NaN.
std::string AscendingExpression() {
  const auto side = [](const char* x) {
    return absl::StrCat("select(NE(", x, ", ", x, "), =nan, select(EQ(", x,
                        ", =0), =0, ", x, "))");
  };
  return absl::StrCat("LT(", side("0"), ", ", side("1"), ")");
}

}  // namespace

std::string ReducerWord(const HloComputation& computation) {
  const std::string expression = Expression(computation);
  for (const std::string_view word :
       {"add", "subtract", "multiply", "maximum", "minimum", "and", "or", "GE",
        "LE", "GT", "LT"})
    if (expression == std::string(word) + "(0, 1)") return std::string(word);
  if (expression == AscendingExpression()) return kAscendingFloats;
  return expression == "1" ? "second" : "";
}

std::string ArgReducerWord(const HloComputation& computation) {
  const std::string expression = Expression(computation);
  const bool floats = TakesFloats(computation);
  if (expression == ArgExpression("GT", floats)) return "maximum";
  if (expression == ArgExpression("LT", floats)) return "minimum";
  return "";
}

}  // namespace podsim
