#include "host/storage/file_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

struct Mark {
  std::size_t at;
  std::string_view bytes;
  const char* kind;
};

constexpr Mark kMarks[] = {
    {0, "\x89HDF\r\n\x1a\n", "an HDF5 file, as Keras writes"},
    {0, "PK\x03\x04", "a zip archive, as PyTorch (.pt), Keras and NumPy write"},
    {0, "\x80\x02", "a Python pickle, as PyTorch writes"},
    {0, "\x80\x04", "a Python pickle"},
    {0, "\x93NUMPY", "a NumPy array (.npy)"},
    {0, "\x1f\x8b", "a gzip file"},
    {4, "TFL3", "a TensorFlow Lite model"},
    {0, "module @", "a module of MLIR in text, as JAX's as_text() prints"},
    {0, "HloModule", "a module of XLA's HLO in text"},
    {0, "<", "a web page, or XML"},
    {0, "\x89PNG\r\n\x1a\n", "a PNG image"},
    {0, "\xff\xd8\xff", "a JPEG image"},
    {0, "GIF8", "a GIF image"},
    {0, "%PDF", "a PDF document"},
    {0, "PAR1", "a Parquet file"},
    {0, "ARROW1", "an Arrow file"},
    {0, "SQLite format 3", "a database of SQLite"},
    {0, "\x28\xb5\x2f\xfd", "a file of zstd"},
    {0,
     "\x7f"
     "ELF",
     "a program or a library"},
    {257, "ustar", "a tar archive"},
};

constexpr Mark kEnds[] = {
    {0, "saved_model.pb", "a TensorFlow SavedModel"},
    {0, ".onnx", "an ONNX model"},
};

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
  for (const Mark& mark : kMarks)
    if (bytes.size() >= mark.at &&
        bytes.substr(mark.at).starts_with(mark.bytes))
      return mark.kind;
  if (IsSafetensors(bytes))
    return "a safetensors file, weights without the functions of a model";
  for (const Mark& end : kEnds)
    if (path.ends_with(end.bytes)) return end.kind;
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
