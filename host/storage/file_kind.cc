#include "host/storage/file_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "host/storage/known_file.h"

namespace podsim {
namespace {

// Text, which only the one that is expected to be none may begin with.
constexpr std::pair<std::string_view, const char*> kTexts[] = {
    {"module @", "a module of MLIR in text, as JAX's as_text() prints"},
    {"HloModule", "a module of XLA's HLO in text"},
    {"<", "a web page, or XML"},
    {"{\"event\":\"", "a metrics file of a run, which pod_report shows"},
};

constexpr std::pair<std::string_view, const char*> kEnds[] = {
    {"saved_model.pb", "a TensorFlow SavedModel"},
    {".onnx", "an ONNX model"},
};

// Which frameworks write weights so.
const char* WritersOf(const KnownFile& file) {
  if (file.mark == FileMark::kPickle) return ", as PyTorch writes";
  if (file.mark == FileMark::kZip)
    return ", as PyTorch (.pt), Keras and NumPy write";
  return file.mark == FileMark::kHdf5 ? ", as Keras writes" : "";
}

// Eight bytes of length, and a header in JSON.
bool IsSafetensors(std::string_view bytes) {
  std::uint64_t length = 0;
  if (bytes.size() <= sizeof(length) || bytes[sizeof(length)] != '{')
    return false;
  std::memcpy(&length, bytes.data(), sizeof(length));
  return length <= bytes.size() - sizeof(length);
}

bool IsText(std::string_view bytes) {
  constexpr std::size_t kLooked = 512;
  const std::string_view start = bytes.substr(0, kLooked);
  return std::all_of(start.begin(), start.end(), [](unsigned char c) {
    return absl::ascii_isprint(c) || absl::ascii_isspace(c);
  });
}

}  // namespace

std::string FileKind(std::string_view path, std::string_view bytes) {
  for (const auto& [begin, kind] : kTexts)
    if (bytes.starts_with(begin)) return kind;
  const KnownFile known = KnownFileOf(bytes.substr(0, kKnownFileBytes), "");
  if (!known.what.empty()) return known.what + WritersOf(known);
  if (IsSafetensors(bytes))
    return "a safetensors file, weights without the functions of a model";
  for (const auto& [end, kind] : kEnds)
    if (path.ends_with(end)) return kind;
  return !bytes.empty() && IsText(bytes) ? "a text file" : "";
}

std::string BinaryKind(std::string_view bytes) {
  return IsText(bytes) ? "" : FileKind("", bytes);
}

std::string InPlaceOf(std::string_view path, std::string_view bytes,
                      std::string_view why) {
  if (bytes.empty()) return "it is empty; ";
  const std::string kind = FileKind(path, bytes);
  return kind.empty() ? absl::StrCat(std::string(why), "; ")
                      : absl::StrCat("it looks like ", kind, "; ");
}

}  // namespace podsim
