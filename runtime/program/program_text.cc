#include "runtime/program/program_text.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "chip/step.h"
#include "host/core/op_kernels.h"
#include "models/graph/compile.h"
#include "models/graph/exchanges.h"
#include "models/graph/serialize_program.h"
#include "models/zoo/zoo.h"

namespace podsim {
namespace {

constexpr std::int64_t kFloatBytes = 4;

std::string Line(const char* label, const std::string& text) {
  return absl::StrFormat("%-12s%s\n", label, text);
}

std::string TypesText(const Program& program,
                      const std::vector<TensorId>& tensors) {
  return absl::StrJoin(tensors, ", ", [&](std::string* out, TensorId id) {
    out->append(ToString(TypeOf(program.tensor(id))));
  });
}

std::string KernelText(OpCode op) {
  const OpKernel kernel = KernelOf(op);
  if (kernel.rows != nullptr) return "rows at a time";
  if (kernel.arrays != nullptr) return "as arrays";
  return kernel.whole != nullptr ? "as a whole" : "SLOW: by its reference";
}

std::string InstructionText(const Program& program,
                            const Instruction& instruction) {
  return absl::StrFormat(
      "  %-20s %s -> %s  (%s%s)\n", ToString(instruction.op),
      TypesText(program, instruction.inputs),
      TypesText(program, instruction.outputs),
      instruction.attributes.rounded_operands ? "bfloat16, " : "",
      KernelText(instruction.op));
}

double FlopsOf(const Program& program, const Instruction& instruction) {
  std::vector<ValueType> inputs;
  std::vector<ValueType> outputs;
  for (const TensorId id : instruction.inputs)
    inputs.push_back(TypeOf(program.tensor(id)));
  for (const TensorId id : instruction.outputs)
    outputs.push_back(TypeOf(program.tensor(id)));
  const OpCost cost = CostOf(EntryOf(instruction.op),
                             {inputs, outputs, instruction.attributes}, 1);
  double flops = cost.vector_flops + cost.transcendentals;
  for (const MatrixProduct& product : cost.products)
    flops += 2.0 * UsefulMultiplyAdds(product);
  return flops;
}

// Of a core's program: "  a core with 128 examples: 161 products among 580
// kernels, 31.5 GiB over HBM".
std::string ChipText(const Program& program, EntryPoint point) {
  constexpr std::int64_t kRows = 128;
  const ChipGraph graph = ChipGraphOf(program, point);
  const ChipProgram chip = FusedFor(graph, kRows);
  std::int64_t products = 0;
  double bytes = 0;
  for (const ChipKernel& kernel : chip.kernels) {
    bytes += kernel.hbm_bytes();
    if (kernel.kind == ChipKernelKind::kProduct) ++products;
  }
  return absl::StrCat(
      "  a core with ", kRows,
      " examples: ", FormatCounted(products, "product"), " among ",
      FormatCounted(static_cast<std::int64_t>(chip.kernels.size()), "kernel"),
      point == EntryPoint::kTrainMicrobatch ? ", the update with them, " : ", ",
      FormatBytes(static_cast<std::int64_t>(bytes)), " to and from its HBM\n");
}

std::string EntryText(const Program& program, const char* name,
                      EntryPoint point) {
  const auto found = program.entries.find(point);
  if (found == program.entries.end() || found->second.empty()) return "";
  std::string text = ChipText(program, point);
  double flops = 0;
  for (const Segment& segment : found->second) {
    if (segment.joins_tensor())
      absl::StrAppend(
          &text, "  all-reduce (", NameOf(segment.reduce), ") of ",
          program.tensor(segment.tensor).name,
          segment.group == 0
              ? std::string(" over all cores")
              : absl::StrCat(" over groups of ", segment.group, " cores"),
          "\n");
    else if (segment.kind == SegmentKind::kAllReduce)
      absl::StrAppend(&text, "  all-reduce of bucket ", segment.bucket, "\n");
    for (const Instruction& instruction : segment.instructions) {
      text += InstructionText(program, instruction);
      flops += FlopsOf(program, instruction);
    }
  }
  return absl::StrCat(name, ": ", FormatCount(static_cast<std::int64_t>(flops)),
                      " floating-point operations for a batch of one example\n",
                      text);
}

std::string InterfaceText(const Program& program) {
  std::string text;
  for (const ProgramInput& input : program.inputs)
    text += Line(
        "input",
        absl::StrCat(program.tensor(input.tensor).name, " ",
                     ToString(TypeOf(program.tensor(input.tensor))),
                     input.is_example_weight ? ", the examples' weight" : ""));
  std::int64_t parameters = 0;
  for (const ProgramVariable& variable : program.variables) {
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    if (variable.is_slot) continue;
    parameters += tensor.shape.elements();
    text += Line("variable",
                 absl::StrCat(tensor.name, " ", ToString(tensor.shape)));
  }
  for (const ProgramMetric& metric : program.metrics)
    text += Line("metric", metric.name);
  return text + Line("parameters", FormatCount(parameters));
}

std::string MemoryText(const Program& program) {
  const auto bytes = [](std::int64_t elements) {
    return FormatBytes(elements * kFloatBytes);
  };
  return absl::StrCat(
      Line(
          "memory",
          absl::StrCat("variables and slots ", bytes(program.variable_elements),
                       ", gradients ", bytes(program.gradient_elements),
                       ", scratch ", bytes(program.scratch_elements))),
      Line("per example",
           absl::StrCat("activations ", bytes(program.batched_elements_per_row),
                        ", input ", FormatBytes(program.input_bytes_per_row()),
                        ", results ", bytes(program.output_elements_per_row))));
}

std::string BucketText(const Program& program) {
  std::string text;
  for (std::size_t i = 0; i < program.buckets.size(); ++i)
    text += Line(
        "bucket",
        absl::StrCat(i, ": ",
                     FormatBytes(program.buckets[i].count * kFloatBytes), ": ",
                     absl::StrJoin(program.buckets[i].variables, ", ",
                                   [&](std::string* out, TensorId id) {
                                     out->append(program.tensor(id).name);
                                   })));
  return text;
}

}  // namespace

absl::StatusOr<std::string> Explain(const ModelProto& model) {
  const bool compiled = model.stage() == ModelProto::PROGRAM;
  const absl::StatusOr<Program> program =
      compiled ? ProgramFrom(model) : CompileModel(model, {});
  PODSIM_RETURN_IF_ERROR(program.status());
  return absl::StrCat(
      Line(compiled ? "Program" : "model", model.name()),
      Line("hash", ModelHash(model)), InterfaceText(*program),
      compiled ? ""
               : "As compiled for bfloat16 products, sgd and buckets of 1 "
                 "MiB:\n",
      MemoryText(*program), BucketText(*program),
      EntryText(*program, "training", EntryPoint::kTrainMicrobatch),
      EntryText(*program, "evaluation", EntryPoint::kEval));
}

}  // namespace podsim
