#include "models/import/hlo_module.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "models/graph/wire_scan.h"

namespace podsim {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
// What a module of 2^20 instructions takes.
constexpr WireLimits kLimits = {.messages = std::int64_t{1} << 24,
                                .numbers = std::int64_t{1} << 28,
                                .passes_unknown = true};
constexpr int kDeepestStack = 64;
constexpr std::size_t kLongestPlace = 200;
// What leaves room in a place for a name and a line.
constexpr std::size_t kLongestScope = 100;

absl::Status BadModule(const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("HLO module: ", why));
}

// Places by id.
using Places = std::map<std::int64_t, int>;

absl::StatusOr<std::vector<int>> Find(
    const google::protobuf::RepeatedField<std::int64_t>& ids,
    const Places& places, const std::string& by) {
  std::vector<int> found;
  for (const std::int64_t id : ids) {
    const auto it = places.find(id);
    if (it == places.end())
      return BadModule(absl::StrCat(by, " refers to ", id,
                                    ", which is not there or comes later"));
    found.push_back(it->second);
  }
  return found;
}

absl::StatusOr<HloComputation> IndexOf(const hlo::Computation& from,
                                       const Places& computations) {
  HloComputation result;
  result.name = from.name();
  Places places;
  std::vector<bool> parameters;
  for (const hlo::Instruction& instruction : from.instructions()) {
    HloInstruction& to = result.instructions.emplace_back();
    to.proto = &instruction;
    PODSIM_ASSIGN_OR_RETURN(to.operands, Find(instruction.operand_ids(), places,
                                              instruction.name()));
    PODSIM_ASSIGN_OR_RETURN(
        to.called, Find(instruction.called_computation_ids(), computations,
                        instruction.name()));
    const int place = static_cast<int>(places.size());
    if (!places.emplace(instruction.id(), place).second)
      return BadModule(
          absl::StrCat("two instructions have the id ", instruction.id()));
    if (instruction.opcode() == "parameter") {
      ++result.parameters;
      const std::int64_t number = instruction.parameter_number();
      if (number < 0 || number >= from.instructions_size())
        return BadModule(
            absl::StrCat("parameter ", number, " of ", from.name()));
      if (parameters.size() <= static_cast<std::size_t>(number))
        parameters.resize(static_cast<std::size_t>(number) + 1);
      parameters[static_cast<std::size_t>(number)] = true;
    }
  }
  if (static_cast<int>(parameters.size()) != result.parameters ||
      std::find(parameters.begin(), parameters.end(), false) !=
          parameters.end())
    return BadModule(absl::StrCat("the parameters of ", from.name(),
                                  " are not numbered from 0"));
  const auto root = places.find(from.root_id());
  if (root == places.end())
    return BadModule(
        absl::StrCat("the root of ", from.name(), " is not there"));
  result.root = root->second;
  return result;
}

bool IsLibrary(const std::string& file) {
  return file.find("site-packages/") != std::string::npos ||
         file.find("dist-packages/") != std::string::npos;
}

// Of a path, what JAX writes for its own control flow and for functions with
// rules, which no author named.
bool IsOfJax(std::string_view part) {
  static const auto& words = *new std::set<std::string_view>{
      "while",           "body",           "cond",      "scan",
      "closed_call",     "core_call",      "pjit",      "checkpoint",
      "remat",           "remat2",         "shard_map", "rematted_computation",
      "custom_jvp_call", "custom_vjp_call"};
  return words.contains(part) ||
         (part.starts_with("branch_") && part.ends_with("_fun"));
}

// Letters, digits, '_' and '.': no transformation, "jvp(Net)", and no
// subscripts of an einsum.
bool IsScope(std::string_view part) {
  return !part.empty() && !IsOfJax(part) &&
         std::ranges::all_of(part, [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  c == '_' || c == '.';
         });
}

std::string LineText(std::string_view file, int line) {
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return absl::StrCat(std::string(file), ":", line);
}

}  // namespace

absl::StatusOr<HloModule> HloModule::Parse(std::string_view bytes) {
  if (bytes.size() > kMostBytes)
    return BadModule(
        absl::StrCat("it has ", bytes.size(), " bytes, at most ", kMostBytes));
  HloModule module;
  module.proto_ = std::make_unique<hlo::Module>();
  PODSIM_RETURN_IF_ERROR(Annotate(
      ScanWire(bytes, *hlo::Module::descriptor(), kLimits), "HLO module"));
  if (!module.proto_->ParseFromArray(bytes.data(),
                                     static_cast<int>(bytes.size())))
    return BadModule("it is damaged");
  PODSIM_RETURN_IF_ERROR(module.Index());
  return module;
}

absl::Status HloModule::Index() {
  Places places;
  for (const hlo::Computation& computation : proto_->computations()) {
    PODSIM_ASSIGN_OR_RETURN(HloComputation indexed,
                            IndexOf(computation, places));
    const int place = static_cast<int>(places.size());
    if (!places.emplace(computation.id(), place).second)
      return BadModule(
          absl::StrCat("two computations have the id ", computation.id()));
    computations_.push_back(std::move(indexed));
  }
  const auto entry = places.find(proto_->entry_computation_id());
  if (entry == places.end()) return BadModule("its entry is not there");
  entry_ = entry->second;
  return absl::OkStatus();
}

std::string HloModule::InnermostSource(const hlo::Metadata& metadata) const {
  if (!metadata.source_file().empty())
    return LineText(metadata.source_file(), metadata.source_line());
  const hlo::StackFrameIndex& index = proto_->stack_frame_index();
  std::string innermost;
  int frame = metadata.stack_frame_id();
  for (int depth = 0; depth < kDeepestStack; ++depth) {
    if (frame < 1 || frame > index.stack_frames_size()) break;
    const auto& at = index.stack_frames(frame - 1);
    frame = at.parent_frame_id();
    if (at.file_location_id() < 1 ||
        at.file_location_id() > index.file_locations_size())
      break;
    const auto& location = index.file_locations(at.file_location_id() - 1);
    if (location.file_name_id() < 1 ||
        location.file_name_id() > index.file_names_size())
      break;
    const std::string& file = index.file_names(location.file_name_id() - 1);
    const std::string text = LineText(file, location.line());
    if (!IsLibrary(file)) return text;
    if (innermost.empty()) innermost = text;
  }
  return innermost;
}

// "jit(loss)/jvp(jit(take_along_axis))/gather" ends with the name of an
// operation of JAX, or with the function that a call is of.
std::string HloModule::NameOf(const hlo::Instruction& instruction) {
  const std::string& path = instruction.metadata().op_name();
  std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t open = name.rfind('(');
  if (open != std::string::npos)
    name = name.substr(open + 1, name.find(')', open) - open - 1);
  const std::string& code = instruction.opcode();
  if (name.empty() || name == code) return PrintableLine(code);
  return PrintableLine(
      absl::StrCat(name.substr(0, kLongestPlace), " (", code, ")"));
}

std::string HloModule::PlaceOf(const hlo::Instruction& instruction) const {
  const std::string source = SourceOf(instruction);
  const std::string scope = ScopeOf(instruction);
  const std::string place =
      absl::StrCat(scope, scope.empty() ? "" : "/", instruction.name(),
                   source.empty() ? "" : ", ", source);
  return PrintableLine(place.substr(0, kLongestPlace));
}

// The last part is the operation.
std::string HloModule::ScopeOf(const hlo::Instruction& instruction) {
  std::vector<std::string> parts =
      absl::StrSplit(instruction.metadata().op_name(), '/');
  parts.pop_back();
  std::string scope;
  for (std::size_t i = parts.size(); i-- > 0;) {
    if (!IsScope(parts[i])) continue;
    if (scope.size() + parts[i].size() >= kLongestScope) break;
    scope = scope.empty() ? parts[i] : absl::StrCat(parts[i], "/", scope);
  }
  return scope;
}

std::string HloModule::SourceOf(const hlo::Instruction& instruction) const {
  const std::string source = InnermostSource(instruction.metadata());
  return PrintableLine(source.substr(0, kLongestPlace));
}

absl::StatusOr<ValueType> TypeOf(const hlo::Shape& shape) {
  static const auto& dtypes = *new std::map<hlo::PrimitiveType, DType>{
      {hlo::F32, DType::kFloat32}, {hlo::BF16, DType::kBFloat16},
      {hlo::S32, DType::kInt32},   {hlo::U32, DType::kUint32},
      {hlo::U8, DType::kUint8},    {hlo::PRED, DType::kBool},
      {hlo::S8, DType::kInt32},    {hlo::S16, DType::kInt32},
      {hlo::U16, DType::kInt32}};
  constexpr int kMostDims = 32;
  constexpr std::int64_t kMostDim = (std::int64_t{1} << 31) - 1;
  const auto dtype = dtypes.find(shape.element_type());
  if (dtype == dtypes.end())
    return absl::UnimplementedError(
        absl::StrCat("its type is ",
                     hlo::PrimitiveType_IsValid(shape.element_type())
                         ? hlo::PrimitiveType_Name(shape.element_type())
                         : absl::StrCat(static_cast<int>(shape.element_type())),
                     "; podsim has F32, BF16, S32, S16, S8, U32, U16, U8 and "
                     "PRED",
                     shape.element_type() == hlo::U64
                         ? " (random numbers are drawn from the key that the "
                           "function is given, not from one that it makes)"
                     : shape.element_type() == hlo::F16
                         ? ": compute in bfloat16 or float32 (x.astype)"
                         : ""));
  ValueType type{dtype->second, {}};
  std::int64_t elements = 1;
  if (shape.dimensions_size() > kMostDims)
    return absl::InvalidArgumentError(
        "it has more than 32 dimensions; merge some (jnp.reshape)");
  for (const std::int64_t dim : shape.dimensions()) {
    if (dim == 0)
      return absl::UnimplementedError(
          "it is an array without elements; leave it out");
    if (dim < 0 || dim > kMostDim || elements > kMostShapeElements / dim)
      return absl::InvalidArgumentError(absl::StrCat(
          "it has a dimension of ", dim, ", or too many elements"));
    elements *= dim;
    type.shape.dims.push_back(dim);
  }
  return type;
}

}  // namespace podsim
