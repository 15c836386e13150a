#include "tests/models/import/module_builder.h"

#include <bit>

#include "absl/strings/str_cat.h"
#include "models/ops/reference.h"

namespace podsim::testing {

hlo::Computation& ModuleBuilder::Current() {
  if (module_.computations_size() == 0) Computation();
  return *module_.mutable_computations(module_.computations_size() - 1);
}

std::int64_t ModuleBuilder::Computation() {
  hlo::Computation& computation = *module_.add_computations();
  computation.set_id(next_id_++);
  module_.set_entry_computation_id(computation.id());
  return computation.id();
}

std::int64_t ModuleBuilder::Op(
    const std::string& opcode, const std::vector<std::int64_t>& operands,
    const HloDims& dims, hlo::PrimitiveType type,
    const std::function<void(hlo::Instruction&)>& more) {
  hlo::Computation& computation = Current();
  hlo::Instruction& instruction = *computation.add_instructions();
  instruction.set_id(next_id_++);
  instruction.set_name(absl::StrCat(opcode, ".", instruction.id()));
  instruction.set_opcode(opcode);
  instruction.mutable_shape()->set_element_type(type);
  for (const std::int64_t dim : dims)
    instruction.mutable_shape()->add_dimensions(dim);
  for (const std::int64_t operand : operands)
    instruction.add_operand_ids(operand);
  if (more != nullptr) more(instruction);
  computation.set_root_id(instruction.id());
  return instruction.id();
}

std::int64_t ModuleBuilder::Parameter(const HloDims& dims,
                                      hlo::PrimitiveType type) {
  int number = 0;
  for (const hlo::Instruction& instruction : Current().instructions())
    if (instruction.opcode() == "parameter") ++number;
  return Op("parameter", {}, dims, type, [&](hlo::Instruction& parameter) {
    parameter.set_parameter_number(number);
  });
}

std::int64_t ModuleBuilder::Number(float value, const HloDims& dims) {
  const std::int64_t scalar =
      Op("constant", {}, {}, hlo::F32, [&](hlo::Instruction& constant) {
        constant.mutable_literal()->add_f32s(value);
      });
  return dims.empty() ? scalar : Op("broadcast", {scalar}, dims);
}

std::int64_t ModuleBuilder::Whole(std::int32_t value) {
  return Op("constant", {}, {}, hlo::S32, [&](hlo::Instruction& constant) {
    constant.mutable_literal()->add_s32s(value);
  });
}

std::int64_t ModuleBuilder::BFloat16(float value, const HloDims& dims) {
  const auto bits =
      std::bit_cast<std::uint32_t>(static_cast<float>(RoundToBFloat16(value)));
  const std::int64_t scalar =
      Op("constant", {}, {}, hlo::BF16, [&](hlo::Instruction& constant) {
        for (const int shift : {16, 24})
          constant.mutable_literal()->mutable_bf16s()->push_back(
              static_cast<char>(bits >> shift));
      });
  return dims.empty() ? scalar : Op("broadcast", {scalar}, dims, hlo::BF16);
}

std::int64_t ModuleBuilder::Compare(std::int64_t one, std::int64_t other,
                                    const std::string& direction) {
  return Op("compare", {one, other}, {}, hlo::PRED,
            [&](hlo::Instruction& compare) {
              compare.set_comparison_direction(direction);
            });
}

std::int64_t ModuleBuilder::Reducer(const std::string& word,
                                    hlo::PrimitiveType type) {
  const auto computation = Computation();
  const auto x = Parameter({}, type);
  const auto y = Parameter({}, type);
  if (word == "GE" || word == "LE") {
    Compare(x, y, word);
  } else {
    Op(word, {x, y}, {}, type);
  }
  return computation;
}

std::int64_t ModuleBuilder::ArgReducer(const std::string& better,
                                       hlo::PrimitiveType type, bool or_nan) {
  const auto computation = Computation();
  const auto x = Parameter({}, type);
  const auto i = Parameter({}, hlo::S32);
  const auto y = Parameter({}, type);
  const auto j = Parameter({}, hlo::S32);
  auto wins = Compare(x, y, better);
  if (or_nan) wins = Op("or", {wins, Compare(x, x, "NE")}, {}, hlo::PRED);
  const auto value = Op("select", {wins, x, y}, {}, type);
  const auto equal = Compare(x, y, "EQ");
  const auto first = Op("and", {equal, Compare(i, j, "LT")}, {}, hlo::PRED);
  const auto taken = Op("or", {wins, first}, {}, hlo::PRED);
  const auto place = Op("select", {taken, i, j}, {}, hlo::S32);
  Op("tuple", {value, place}, {}, hlo::TUPLE);
  return computation;
}

std::string ModuleBuilder::Bytes() { return module_.SerializeAsString(); }

}  // namespace podsim::testing
