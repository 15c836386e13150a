#include "host/input/npy.h"

#include <map>
#include <regex>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kVersionAt = 6;
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kLongestHeader = 4096;
constexpr std::int64_t kMostArrayElements = std::int64_t{1} << 40;

absl::Status DamagedArray(const std::string& name, std::size_t offset,
                          const std::string& why) {
  return absl::DataLossError(
      absl::StrCat(name, ": offset ", offset, ": ", why));
}

std::size_t HeaderLength(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

absl::StatusOr<std::string> HeaderText(std::string_view file,
                                       const std::string& name,
                                       std::size_t& begin) {
  if (file.substr(0, kNpyMagic.size()) != kNpyMagic || file.size() < 12)
    return DamagedArray(name, 0, "it is no file of NumPy's format (.npy)");
  const int version = static_cast<unsigned char>(file[kVersionAt]);
  if (version < 1 || version > 3)
    return DamagedArray(
        name, kVersionAt,
        absl::StrCat("its version is ", version, ", not 1 to 3"));
  const std::size_t digits = version == 1 ? 2 : 4;
  const std::size_t length = HeaderLength(file.substr(kLengthAt, digits));
  begin = kLengthAt + digits + length;
  if (length > kLongestHeader || begin > file.size())
    return DamagedArray(
        name, kLengthAt,
        absl::StrCat("its header would have ", length, " bytes"));
  return std::string(file.substr(kLengthAt + digits, length));
}

absl::StatusOr<DType> TypeOf(const std::string& descr,
                             const std::string& name) {
  static const auto& types =
      *new std::map<std::string, DType>{{"<f4", DType::kFloat32},
                                        {"<i4", DType::kInt32},
                                        {"<u4", DType::kUint32},
                                        {"|u1", DType::kUint8},
                                        {"|b1", DType::kBool}};
  const auto found = types.find(descr);
  if (found != types.end()) return found->second;
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": offset ", kLengthAt, ": its elements are ", PrintableLine(descr),
      "; podsim reads float32, int32, uint32, uint8 and bool, "
      "little endian: convert it with astype"));
}

absl::StatusOr<std::vector<std::int64_t>> ShapeOf(const std::string& text,
                                                  const std::string& name) {
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  for (const std::string& part : std::vector<std::string>(
           absl::StrSplit(text, ", ", absl::SkipEmpty()))) {
    std::int64_t side = 0;
    if (!absl::SimpleAtoi(part.substr(0, part.find(',')), &side) || side < 0 ||
        (side > 0 && elements > kMostArrayElements / side))
      return DamagedArray(name, kLengthAt, "its shape is out of range");
    shape.push_back(side);
    elements *= side > 0 ? side : 1;
  }
  return shape;
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpy(std::string_view file,
                                   const std::string& name) {
  static const auto& form = *new std::regex(
      R"(\{'descr': '([^']{1,16})', 'fortran_order': (True|False), )"
      R"('shape': \(([0-9, ]*)\), \} *\n?)");
  NpyHeader header;
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          HeaderText(file, name, header.begin));
  std::smatch match;
  if (!std::regex_match(text, match, form))
    return DamagedArray(name, kLengthAt,
                        "its header is none that NumPy writes");
  PODSIM_ASSIGN_OR_RETURN(header.dtype, TypeOf(match[1], name));
  if (match[2] == "True")
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": offset ", kLengthAt,
                     ": its columns come first; save "
                     "numpy.ascontiguousarray of it"));
  PODSIM_ASSIGN_OR_RETURN(header.shape, ShapeOf(match[3], name));
  const auto wanted =
      static_cast<std::size_t>(header.elements() * SizeOf(header.dtype));
  if (file.size() - header.begin != wanted)
    return DamagedArray(
        name, header.begin,
        absl::StrCat(file.size() - header.begin,
                     " bytes of elements, its header says ", wanted));
  return header;
}

}  // namespace podsim
