#include "host/input/npy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/input/npy_header.h"
#include "host/input/other_file.h"

namespace podsim {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kVersionAt = 6;
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kLongestHeader = 10000;  // as numpy.load takes
constexpr std::size_t kShownHeader = 100;      // bytes of it in a message
constexpr char kSaveAgain[] = "; save it again with numpy.save";
constexpr std::int64_t kMostArrayElements = std::int64_t{1} << 40;

struct Stored {
  std::string_view descr;
  NpyType type;
  std::int64_t bytes;
  DType read_as;
};

// In the order of NpyType.
constexpr Stored kNpyStored[] = {
    {"<f4", NpyType::kFloat32, 4, DType::kFloat32},
    {"<f8", NpyType::kFloat64, 8, DType::kFloat32},
    {"|i1", NpyType::kInt8, 1, DType::kInt32},
    {"<i2", NpyType::kInt16, 2, DType::kInt32},
    {"<i4", NpyType::kInt32, 4, DType::kInt32},
    {"<i8", NpyType::kInt64, 8, DType::kInt32},
    {"|u1", NpyType::kUint8, 1, DType::kUint8},
    {"<u2", NpyType::kUint16, 2, DType::kInt32},
    {"<u4", NpyType::kUint32, 4, DType::kUint32},
    {"<u8", NpyType::kUint64, 8, DType::kUint32},
    {"|b1", NpyType::kBool, 1, DType::kBool},
};

const Stored& StoredAs(NpyType type) {
  return kNpyStored[static_cast<std::size_t>(type)];
}

absl::Status DamagedArray(const std::string& name, std::size_t offset,
                          const std::string& why) {
  return absl::DataLossError(
      absl::StrCat(name, ": offset ", offset, ": ", why));
}

absl::Status UnfitArray(const std::string& name, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": offset ", kLengthAt, ": ", why));
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
    return DamagedArray(
        name, 0,
        absl::StrCat("it is no file of NumPy's format (.npy)",
                     file.empty()
                         ? "; it is empty"
                         : OtherFileHint(file.substr(0, kOtherFileBytes), name),
                     "; numpy.save writes such a file"));
  const int version = static_cast<unsigned char>(file[kVersionAt]);
  if (version < 1 || version > 3)
    return DamagedArray(
        name, kVersionAt,
        absl::StrCat("its version is ", version, ", not 1 to 3", kSaveAgain));
  const std::size_t digits = version == 1 ? 2 : 4;
  const std::size_t length = HeaderLength(file.substr(kLengthAt, digits));
  begin = kLengthAt + digits + length;
  if (length > kLongestHeader || begin > file.size())
    return DamagedArray(
        name, kLengthAt,
        absl::StrCat("its header would have ", length, " bytes", kSaveAgain));
  return std::string(file.substr(kLengthAt + digits, length));
}

// At most so much of a header as a message has room for.
std::string Shown(const std::string& text) {
  return absl::StrCat(PrintableLine(text.substr(0, kShownHeader)),
                      text.size() > kShownHeader ? "..." : "");
}

// How numbers are made of elements of another kind.
std::string SaveAs(std::string_view descr) {
  switch (descr.size() > 1 ? descr[1] : 0) {
    case 'U':
    case 'S':
      return "save a.astype('<f4') of numbers as text, of names their places, "
             "numpy.unique(a, return_inverse=True)[1]";
    case 'M':
    case 'm':
      return "save a.astype('<i8').astype('<f4')";
    case 'c':
      return "save a.real and a.imag";
    case 'O':
      return "save np.stack(a).astype('<f4'), with examples all of one shape";
    default:
      return "save a.astype('<f4') or another of these";
  }
}

absl::StatusOr<NpyType> TypeOf(const NpyText& text, const std::string& name) {
  if (text.records) {
    const std::string field = PrintableLine(FirstFieldOf(text.descr));
    return UnfitArray(
        name, absl::StrCat("its elements are records, ", Shown(text.descr),
                           "; podsim reads an array of numbers for each field: "
                           "save each of them, such as numpy.save('",
                           field, ".npy', a['", field, "'])"));
  }
  for (const Stored& stored : kNpyStored)
    if (text.descr == stored.descr) return stored.type;
  // A byte has no order: '<i1' is what some writers call '|i1'.
  for (const Stored& stored : kNpyStored)
    if (stored.bytes == 1 && text.descr.size() == 3 &&
        text.descr.substr(1) == stored.descr.substr(1))
      return stored.type;
  return UnfitArray(
      name,
      absl::StrCat("its dtype is '", Shown(text.descr),
                   text.descr == "|O" ? "', Python objects (pickled)" : "'",
                   "; podsim reads float32 and float64, int8 to int64, "
                   "uint8 to uint64 and bool, little endian: ",
                   SaveAs(text.descr)));
}

absl::Status CheckShape(const std::vector<std::int64_t>& shape,
                        const std::string& name) {
  std::int64_t elements = 1;
  for (const std::int64_t side : shape) {
    if (side > 0 && elements > kMostArrayElements / side)
      return DamagedArray(
          name, kLengthAt,
          absl::StrCat("its shape (", absl::StrJoin(shape, ", "),
                       ") is out of range; save it again"));
    elements *= side > 0 ? side : 1;
  }
  return absl::OkStatus();
}

template <typename S>
S ElementAt(std::string_view elements, std::size_t at) {
  S value;
  std::memcpy(&value, elements.data() + at * sizeof(S), sizeof(S));
  return value;
}

// Whether T holds it; of a finite number whether as one.
template <typename S, typename T>
bool Fits(S value) {
  if constexpr (std::is_floating_point_v<S>) {
    return !std::isfinite(value) || std::isfinite(static_cast<T>(value));
  } else {
    return value <= static_cast<S>(std::numeric_limits<T>::max()) &&
           (std::is_unsigned_v<S> ||
            value >= static_cast<S>(std::numeric_limits<T>::min()));
  }
}

// "[17, 3]", of an element by its place in row-major order.
std::string IndexText(const std::vector<std::int64_t>& shape, std::size_t at) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto side = static_cast<std::size_t>(shape[i]);
    index[i] = static_cast<std::int64_t>(at % side);
    at /= side;
  }
  return absl::StrCat("[", absl::StrJoin(index, ", "), "]");
}

template <typename S, typename T>
absl::Status CheckFit(const NpyHeader& header, std::string_view elements,
                      const std::string& name) {
  const std::size_t count = elements.size() / sizeof(S);
  for (std::size_t at = 0; at < count; ++at) {
    const S value = ElementAt<S>(elements, at);
    if (Fits<S, T>(value)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": ", IndexText(header.shape, at), " is ", value, ", which ",
        ToString(header.dtype), " cannot hold; podsim reads ",
        std::string(StoredAs(header.stored).descr), " as ",
        ToString(header.dtype), ": bring the values into its range"));
  }
  return absl::OkStatus();
}

template <typename S, typename T>
void Convert(std::string_view from, std::span<std::byte> to) {
  const std::size_t count = from.size() / sizeof(S);
  for (std::size_t at = 0; at < count; ++at) {
    // A byte with a sign is a number here.
    // NOLINTNEXTLINE(bugprone-signed-char-misuse)
    const T value = static_cast<T>(ElementAt<S>(from, at));
    std::memcpy(to.data() + at * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

std::int64_t NpyHeader::stored_bytes() const { return StoredAs(stored).bytes; }

absl::StatusOr<NpyHeader> ParseNpy(std::string_view file,
                                   const std::string& name) {
  NpyHeader header;
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          HeaderText(file, name, header.begin));
  std::optional<NpyText> parsed = ParseNpyText(text);
  if (!parsed.has_value())
    return DamagedArray(
        name, kLengthAt,
        absl::StrCat("its header, ", Shown(text),
                     ", is no dict of descr, fortran_order and shape",
                     kSaveAgain));
  PODSIM_ASSIGN_OR_RETURN(header.stored, TypeOf(*parsed, name));
  header.dtype = StoredAs(header.stored).read_as;
  if (parsed->fortran_order)
    return UnfitArray(name,
                      "its columns come first (fortran_order); save "
                      "numpy.ascontiguousarray(a)");
  header.shape = std::move(parsed->shape);
  PODSIM_RETURN_IF_ERROR(CheckShape(header.shape, name));
  const auto wanted =
      static_cast<std::size_t>(header.elements() * header.stored_bytes());
  if (file.size() - header.begin != wanted)
    return DamagedArray(
        name, header.begin,
        absl::StrCat(file.size() - header.begin,
                     " bytes of elements, its header says ", wanted,
                     ": it was cut short or changed; save it again"));
  return header;
}

absl::Status CheckNpyValues(const NpyHeader& header, std::string_view elements,
                            const std::string& name) {
  switch (header.stored) {
    case NpyType::kFloat64:
      return CheckFit<double, float>(header, elements, name);
    case NpyType::kInt64:
      return CheckFit<std::int64_t, std::int32_t>(header, elements, name);
    case NpyType::kUint64:
      return CheckFit<std::uint64_t, std::uint32_t>(header, elements, name);
    default:
      return absl::OkStatus();
  }
}

void ReadNpyElements(const NpyHeader& header, std::string_view from,
                     std::span<std::byte> to) {
  switch (header.stored) {
    case NpyType::kFloat64:
      return Convert<double, float>(from, to);
    case NpyType::kInt8:
      return Convert<std::int8_t, std::int32_t>(from, to);
    case NpyType::kInt16:
      return Convert<std::int16_t, std::int32_t>(from, to);
    case NpyType::kInt64:
      return Convert<std::int64_t, std::int32_t>(from, to);
    case NpyType::kUint16:
      return Convert<std::uint16_t, std::int32_t>(from, to);
    case NpyType::kUint64:
      return Convert<std::uint64_t, std::uint32_t>(from, to);
    case NpyType::kBool:
      std::transform(from.begin(), from.end(), to.begin(), [](char byte) {
        return byte == 0 ? std::byte{0} : std::byte{1};
      });
      return;
    case NpyType::kFloat32:
    case NpyType::kInt32:
    case NpyType::kUint8:
    case NpyType::kUint32:
      std::memcpy(to.data(), from.data(), from.size());
  }
}

}  // namespace podsim
