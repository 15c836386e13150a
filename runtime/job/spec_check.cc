#include "runtime/job/spec_check.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "host/storage/uri_store.h"
#include "interconnect/collectives/algorithms.h"
#include "interconnect/collectives/choice_table.h"
#include "models/kernels/kernels.h"

namespace podsim {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

constexpr std::int64_t kMost = std::int64_t{1} << 40;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr int kMostLayers = 64;
constexpr int kMostDimensions = 8;
constexpr std::int64_t kMostFeatures = 1 << 24;
// Twice the bytes that one peer may have in flight to another: chunks of more
// than half of that bound travel alone.
constexpr std::int64_t kMostChunkBytes = 4 * kMiB;
constexpr double kMostSeconds = 1e6;

struct IntegerBounds {
  const char* field;
  std::int64_t least;
  std::int64_t most;
};

constexpr IntegerBounds kIntegers[] = {
    {"classes", 2, kMostWidth},
    {"synthetic_examples", 1, kMost},
    {"train_steps", 1, kMost},
    {"train_batch_size", 1, kMost},
    {"batch_per_core", 1, kMost},
    {"microbatch_size", 1, kMost},
    {"reference_batch_size", 1, kMost},
    {"warmup_steps", 0, kMost},
    {"eval_batch_size", 1, kMost},
    {"steps_per_eval", 0, kMost},
    {"overlap_probe", 0, kMost},
    {"checkpoint_every", 0, kMost},
    {"keep", 0, 1 << 30},
    {"max_restarts", 0, 1 << 20},
    {"weights_check_every", 0, kMost},
    {"audit_every", 0, kMost},
    {"processes", 1, 1 << 16},
    {"threads", 0, 1 << 12},
    {"bucket_bytes", 4, 4 * kGiB},
    {"chunk_bytes", 4, kMostChunkBytes},
    {"host_memory_bytes", 0, std::int64_t{1} << 60},
};

struct RealBounds {
  const char* field;
  double above;
  bool or_equal;  // `above` itself is allowed
  double below;   // and this is not
};

constexpr RealBounds kReals[] = {
    {"epochs", 0, false, 1e12},
    {"learning_rate", 0, false, 1e38},
    {"base_learning_rate", 0, false, 1e38},
    {"momentum", 0, true, 1},
    {"link_latency", 0, true, 1},
    {"checkpoint_every_seconds", 0, true, kMostSeconds},
    {"stall_timeout", 0, false, kMostSeconds},
    {"heartbeat_timeout", 0, false, kMostSeconds},
    {"initialization_timeout", 0, false, kMostSeconds},
    {"shutdown_timeout", 0, false, kMostSeconds},
};

constexpr ExclusiveFields kExclusive[] = {
    {"train_batch_size", "batch_per_core", "both set the batch"},
    {"train_steps", "epochs", "both set the length of the run"},
    {"learning_rate", "base_learning_rate", "both set the learning rate"},
};

struct Words {
  const char* field;
  std::vector<std::string> allowed;
};

std::vector<std::string> AlgorithmNames() {
  std::vector<std::string> names = {"auto"};
  for (const Algorithm algorithm : AllAlgorithms()) {
    names.emplace_back(NameOf(algorithm));
  }
  return names;
}

std::vector<Words> WordTable() {
  return {{"algo", AlgorithmNames()},
          {"wire_dtype", {"float32", "bfloat16"}},
          {"reduction", {"fused", "tree"}},
          {"lr_scaling", {"linear", "sqrt", "none"}},
          {"precision", {"bfloat16", "float32"}},
          {"mode", {"train", "eval"}},
          {"on_corruption", {"stop", "restore"}},
          {"transport", {"shm", "unix", "tcp"}},
          {"isa", IsaLevels()},
          {"wrap", {"auto", "torus", "mesh"}}};
}

const FieldDescriptor& Field(const char* name) {
  const FieldDescriptor* field = JobSpec::descriptor()->FindFieldByName(name);
  PODSIM_CHECK(field != nullptr);
  return *field;
}

bool Has(const JobSpec& spec, const char* name) {
  return spec.GetReflection()->HasField(spec, &Field(name));
}

std::int64_t IntegerOf(const JobSpec& spec, const FieldDescriptor& field) {
  const Reflection& reflection = *spec.GetReflection();
  return field.cpp_type() == FieldDescriptor::CPPTYPE_INT32
             ? reflection.GetInt32(spec, &field)
             : reflection.GetInt64(spec, &field);
}

absl::Status OutOfBounds(const char* field, const std::string& value,
                         const std::string& allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, "; allowed: ", allowed));
}

absl::Status CheckInteger(const JobSpec& spec, const IntegerBounds& bounds) {
  if (!Has(spec, bounds.field)) return absl::OkStatus();
  const std::int64_t value = IntegerOf(spec, Field(bounds.field));
  if (value >= bounds.least && value <= bounds.most) return absl::OkStatus();
  return OutOfBounds(
      bounds.field, absl::StrCat(value),
      absl::StrCat(bounds.least, " to ", FormatCount(bounds.most)));
}

absl::Status CheckReal(const JobSpec& spec, const RealBounds& bounds) {
  if (!Has(spec, bounds.field)) return absl::OkStatus();
  const double value =
      spec.GetReflection()->GetDouble(spec, &Field(bounds.field));
  const bool high_enough =
      value > bounds.above || (bounds.or_equal && value == bounds.above);
  if (high_enough && value < bounds.below) return absl::OkStatus();
  return OutOfBounds(
      bounds.field, absl::StrCat(value),
      absl::StrCat(bounds.or_equal ? "at least " : "more than ", bounds.above,
                   " and less than ", bounds.below));
}

absl::Status CheckWord(const JobSpec& spec, const Words& words) {
  if (!Has(spec, words.field)) return absl::OkStatus();
  const std::string value =
      spec.GetReflection()->GetString(spec, &Field(words.field));
  for (const std::string& allowed : words.allowed)
    if (value == allowed) return absl::OkStatus();
  return OutOfBounds(words.field,
                     absl::StrCat("'", absl::CHexEscape(value), "'"),
                     absl::StrJoin(words.allowed, ", "));
}

absl::Status CheckExclusive(const JobSpec& spec, const ExclusiveFields& pair) {
  if (!Has(spec, pair.first) || !Has(spec, pair.second))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      pair.first, " and ", pair.second, " ", pair.why, "; give one of them"));
}

// Widths of layers or sides of an example: how many there may be, how large
// each one, and how large their product.
template <typename List>
absl::Status CheckSizes(const char* field, const List& sizes, int most_sizes,
                        std::int64_t most, bool multiply) {
  if (sizes.size() > most_sizes)
    return OutOfBounds(field, absl::StrCat("a list of ", sizes.size()),
                       absl::StrCat("up to ", most_sizes, " numbers"));
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    product = multiply ? product * size : size;
    if (size < 1 || product > most)
      return OutOfBounds(
          field, absl::StrCat("{", absl::StrJoin(sizes, ", "), "}"),
          absl::StrCat("numbers from 1, ", multiply ? "their product" : "each",
                       " up to ", FormatCount(most)));
  }
  return absl::OkStatus();
}

// Bytes of the sequence that `lead` begins in UTF-8, 0 if none does.
int SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

bool IsUtf8(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const int length = SequenceLength(static_cast<unsigned char>(text[at]));
    if (length == 0 || at + length > text.size()) return false;
    for (int i = 1; i < length; ++i)
      if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80)
        return false;
    at += length;
  }
  return true;
}

// Plans travel as messages, whose text is UTF-8.
absl::Status CheckText(const JobSpec& spec) {
  std::vector<const FieldDescriptor*> fields;
  spec.GetReflection()->ListFields(spec, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
    const std::string text = spec.GetReflection()->GetString(spec, field);
    if (!IsUtf8(text))
      return OutOfBounds(field->name().c_str(),
                         absl::StrCat("'", absl::CHexEscape(text), "'"),
                         "text in UTF-8");
  }
  return absl::OkStatus();
}

// Where data, checkpoints and figures lie: what only files can be, and what a
// store may hold.
constexpr const char* kFiles[] = {"metrics_file", "log_dir"};
constexpr const char* kStored[] = {"data_dir", "model_dir", "restore"};

absl::Status CheckPaths(const JobSpec& spec) {
  const auto text = [&spec](const char* field) {
    return spec.GetReflection()->GetString(spec, &Field(field));
  };
  for (const char* field : kFiles)
    PODSIM_RETURN_IF_ERROR(Annotate(CheckPlainPath(text(field)), field));
  for (const char* field : kStored)
    PODSIM_RETURN_IF_ERROR(Annotate(CheckServed(text(field)), field));
  return absl::OkStatus();
}

absl::Status CheckChunk(const JobSpec& spec) {
  if (spec.chunk_bytes() % 4 == 0) return absl::OkStatus();
  return OutOfBounds("chunk_bytes", absl::StrCat(spec.chunk_bytes()),
                     "multiples of 4, the size of a gradient");
}

absl::Status CheckFaultsDone(const JobSpec& spec) {
  constexpr int kMostFaults = 1 << 20;
  for (const int index : spec.faults_done())
    if (index < 0 || index >= kMostFaults)
      return OutOfBounds("faults_done", absl::StrCat(index),
                         absl::StrCat("0 to ", FormatCount(kMostFaults - 1)));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSpec(const JobSpec& spec) {
  PODSIM_RETURN_IF_ERROR(CheckText(spec));
  for (const ExclusiveFields& pair : kExclusive)
    PODSIM_RETURN_IF_ERROR(CheckExclusive(spec, pair));
  for (const IntegerBounds& bounds : kIntegers)
    PODSIM_RETURN_IF_ERROR(CheckInteger(spec, bounds));
  for (const RealBounds& bounds : kReals)
    PODSIM_RETURN_IF_ERROR(CheckReal(spec, bounds));
  for (const Words& words : WordTable())
    PODSIM_RETURN_IF_ERROR(CheckWord(spec, words));
  PODSIM_RETURN_IF_ERROR(CheckPaths(spec));
  PODSIM_RETURN_IF_ERROR(CheckChunk(spec));
  PODSIM_RETURN_IF_ERROR(CheckFaultsDone(spec));
  PODSIM_RETURN_IF_ERROR(ChoiceRows(spec.choices()).status());
  PODSIM_RETURN_IF_ERROR(CheckSizes("hidden", spec.hidden(), kMostLayers,
                                    kMostWidth, /*multiply=*/false));
  return CheckSizes("example_shape", spec.example_shape(), kMostDimensions,
                    kMostFeatures, /*multiply=*/true);
}

std::span<const ExclusiveFields> ExclusivePairsOfSpec() { return kExclusive; }

WrapPolicy WrapOf(const JobSpec& spec) {
  if (spec.wrap() == "torus") return WrapPolicy::kTorus;
  return spec.wrap() == "mesh" ? WrapPolicy::kMesh : WrapPolicy::kAuto;
}

}  // namespace podsim
