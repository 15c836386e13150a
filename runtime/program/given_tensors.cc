#include "runtime/program/given_tensors.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "models/ops/shape.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

// As safetensors call them.
const char* TypeOfFile(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "F32";
    case DType::kBFloat16:
      return "BF16";
    case DType::kInt32:
      return "I32";
    case DType::kUint32:
      return "U32";
    case DType::kUint8:
      return "U8";
    case DType::kBool:
      return "BOOL";
  }
  return "";
}

std::int64_t ElementsOf(const std::vector<std::int64_t>& dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) product *= dim;
  return product;
}

std::vector<std::int64_t> WithoutOnes(std::vector<std::int64_t> dims) {
  std::erase(dims, 1);
  return dims;
}

// The same sides in another order, as of a kernel that was not transposed.
bool IsTurned(const std::vector<std::int64_t>& given,
              const std::vector<std::int64_t>& wanted) {
  const std::vector<std::int64_t> a = WithoutOnes(given);
  const std::vector<std::int64_t> b = WithoutOnes(wanted);
  return a != b && std::ranges::is_permutation(a, b);
}

// "variable/dense_0/kernel", of which nothing, or `given`, is in the file.
absl::Status Unfit(const std::string& name, const ProgramTensor& wanted,
                   const SafetensorsEntry* given,
                   const SafetensorsHeader& file) {
  // Of one of another size the name is another's.
  std::vector<std::string> others;
  for (const SafetensorsEntry& entry : file.tensors)
    if (wanted.batched() || ElementsOf(entry.shape) == wanted.shape.elements())
      others.push_back(PrintableLine(entry.name));
  return absl::InvalidArgumentError(absl::StrCat(
      "--values has ",
      given == nullptr ? absl::StrCat("no tensor ", name)
                       : absl::StrCat(name, " as ", given->dtype, " [",
                                      absl::StrJoin(given->shape, ", "), "]"),
      "; the model reads ", TypeOfFile(wanted.dtype), " ",
      ToString(wanted.shape), ": give it so",
      given == nullptr ? DidYouMean(name, others) : ""));
}

const SafetensorsEntry* Find(const SafetensorsHeader& file,
                             const std::string& name) {
  const auto found =
      std::ranges::find(file.tensors, name, &SafetensorsEntry::name);
  return found == file.tensors.end() ? nullptr : &*found;
}

absl::Status CheckVariable(const ProgramTensor& tensor,
                           const SafetensorsHeader& file) {
  const std::string name = absl::StrCat("variable/", tensor.name);
  const SafetensorsEntry* const given = Find(file, name);
  if (given == nullptr || given->dtype != TypeOfFile(DType::kFloat32) ||
      ElementsOf(given->shape) != tensor.shape.elements() ||
      IsTurned(given->shape, tensor.shape.dims))
    return Unfit(name, tensor, given, file);
  return absl::OkStatus();
}

// `rows`: B, as the first input that has it says; 0: none was yet.
absl::Status CheckInput(const ProgramTensor& tensor,
                        const SafetensorsHeader& file, std::string& first,
                        std::int64_t& rows) {
  const std::string name = absl::StrCat("input/", tensor.name);
  const SafetensorsEntry* const given = Find(file, name);
  const std::int64_t row = tensor.shape.elements();
  if (given == nullptr || given->dtype != TypeOfFile(tensor.dtype))
    return Unfit(name, tensor, given, file);
  const std::int64_t count = ElementsOf(given->shape);
  if (!tensor.shape.batched() || row == 0) return absl::OkStatus();
  const std::int64_t of_this = count / row;
  if (count % row != 0 ||
      IsTurned(given->shape, DimsFor(tensor.shape, of_this)))
    return Unfit(name, tensor, given, file);
  if (rows == 0) {
    first = name;
    rows = of_this;
  }
  if (of_this == rows) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--values has ", of_this, " examples in ", name, " and ",
                   rows, " in ", first, ": give as many in each"));
}

}  // namespace

absl::Status CheckGivenTensors(const Program& program,
                               const SafetensorsHeader& given) {
  for (const ProgramVariable& variable : program.variables)
    if (!variable.is_slot)
      PODSIM_RETURN_IF_ERROR(
          CheckVariable(program.tensor(variable.tensor), given));
  std::string first;
  std::int64_t rows = 0;
  for (const ProgramInput& input : program.inputs)
    if (!input.is_example_weight)
      PODSIM_RETURN_IF_ERROR(
          CheckInput(program.tensor(input.tensor), given, first, rows));
  return absl::OkStatus();
}

}  // namespace podsim
