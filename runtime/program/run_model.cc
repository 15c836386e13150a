#include "runtime/program/run_model.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "host/board/cpu_share.h"
#include "host/checkpoint/safetensors.h"
#include "host/core/run_once.h"
#include "models/graph/compile.h"
#include "models/graph/serialize_model.h"
#include "models/kernels/kernels.h"
#include "models/optimizer/optimizer.h"
#include "runtime/program/given_tensors.h"

namespace podsim {
namespace {

DType DTypeOf(const std::string& name) {
  static const auto& dtypes = *new std::map<std::string, DType>{
      {"F32", DType::kFloat32}, {"BF16", DType::kBFloat16},
      {"I32", DType::kInt32},   {"U32", DType::kUint32},
      {"U8", DType::kUint8},    {"BOOL", DType::kBool}};
  const auto found = dtypes.find(name);
  return found == dtypes.end() ? DType::kFloat32 : found->second;
}

// Tensors of a file, each aligned to its type.
class Tensors {
 public:
  Tensors(std::string_view file, const SafetensorsHeader& header) {
    for (const SafetensorsEntry& entry : header.tensors) {
      const auto size = static_cast<std::size_t>(entry.end - entry.begin);
      std::vector<std::uint64_t>& words = data_[entry.name];
      words.resize((size + 7) / 8);
      std::memcpy(words.data(), file.data() + entry.begin, size);
      rows_[entry.name] = {DTypeOf(entry.dtype),
                           std::as_bytes(std::span(words)).first(size)};
    }
  }

  const std::map<std::string, InputRows>& rows() const { return rows_; }

 private:
  std::map<std::string, std::vector<std::uint64_t>> data_;
  std::map<std::string, InputRows> rows_;
};

std::vector<float> FloatsOf(const InputRows& rows) {
  std::vector<float> floats(rows.bytes.size() / sizeof(float));
  std::memcpy(floats.data(), rows.bytes.data(), floats.size() * sizeof(float));
  return floats;
}

// B, as the first input that comes from the file has it.
std::int64_t RowsIn(const Program& program, const OnceValues& values) {
  for (const ProgramInput& input : program.inputs) {
    const ProgramTensor& tensor = program.tensor(input.tensor);
    const auto found = values.inputs.find(tensor.name);
    if (found == values.inputs.end() || tensor.shape.elements() == 0) continue;
    return static_cast<std::int64_t>(found->second.bytes.size()) /
           (tensor.shape.elements() * SizeOf(tensor.dtype));
  }
  return 0;
}

void Append(const std::string& prefix,
            const std::map<std::string, std::vector<float>>& from,
            std::vector<TensorToWrite>& to) {
  for (const auto& [name, numbers] : from)
    to.push_back({absl::StrCat(prefix, name),
                  {static_cast<std::int64_t>(numbers.size())},
                  numbers});
}

}  // namespace

absl::StatusOr<std::string> RunModel(const ModelProto& model,
                                     bool bfloat16_products,
                                     std::string_view file) {
  PODSIM_ASSIGN_OR_RETURN(Model parts, FromProto(model));
  parts.input.update = Optimizer;
  PODSIM_ASSIGN_OR_RETURN(const Program program,
                          Compile(parts.graph, parts.input,
                                  {.bfloat16_products = bfloat16_products}));
  PODSIM_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                          ParseSafetensors(file));
  PODSIM_RETURN_IF_ERROR(CheckGivenTensors(program, header));
  const Tensors tensors(file, header);
  OnceValues values;
  for (const auto& [name, rows] : tensors.rows()) {
    absl::string_view rest = name;
    if (absl::ConsumePrefix(&rest, "input/"))
      values.inputs[std::string(rest)] = rows;
    else if (absl::ConsumePrefix(&rest, "variable/") &&
             rows.dtype == DType::kFloat32)
      values.variables[std::string(rest)] = FloatsOf(rows);
  }
  values.rows = RowsIn(program, values);
  PODSIM_ASSIGN_OR_RETURN(values.memory_bytes, MachineMemoryBytes());
  PODSIM_ASSIGN_OR_RETURN(const std::string isa, BestIsa());
  PODSIM_ASSIGN_OR_RETURN(const PodsimKernels* kernels, LoadKernels(isa));
  PODSIM_ASSIGN_OR_RETURN(const OnceResults results,
                          RunOnce(program, *kernels, values));
  std::vector<TensorToWrite> written;
  Append("gradient/", results.gradients, written);
  Append("metric/", results.metrics, written);
  Append("evaluation/", results.evaluation, written);
  return EncodeSafetensors(written, {});
}

}  // namespace podsim
