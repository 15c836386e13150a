#include "host/input/idx.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"

namespace podsim {
namespace {

// Type byte 0x08 (unsigned bytes), then the number of dimensions.
constexpr std::uint32_t kImagesMagic = 0x00000803;
constexpr std::uint32_t kLabelsMagic = 0x00000801;

std::uint32_t BigEndian(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = (value << 8) | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

absl::Status Corrupt(const std::string& file, std::int64_t offset,
                     const std::string& reason) {
  return absl::DataLossError(
      absl::StrCat(file, ": offset ", offset, ": ", reason));
}

// The size at `offset`, which must be 1 to `most`.
absl::StatusOr<std::int64_t> ReadSize(std::string_view bytes,
                                      std::size_t offset, const char* what,
                                      std::int64_t most,
                                      const std::string& file) {
  const std::int64_t size = BigEndian(bytes, offset);
  if (size >= 1 && size <= most) return size;
  return Corrupt(file, static_cast<std::int64_t>(offset),
                 absl::StrCat(what, " is ", size, ", must be 1 to ", most,
                              ": fetch the file again"));
}

// What the file is instead, as far as its first bytes tell.
std::string Beginning(std::string_view first, bool images) {
  const std::uint32_t magic = BigEndian(first, 0);
  if (magic == (images ? kLabelsMagic : kImagesMagic))
    return absl::StrCat("; it holds ", images ? "labels" : "images",
                        ": the two files seem to have each other's names, so "
                        "exchange those of the images and the labels");
  if (first.starts_with("\x1f\x8b"))
    return "; it is packed: give it a name that ends with .gz";
  const bool text = std::all_of(first.begin(), first.end(),
                                [](char c) { return c >= ' ' && c <= '~'; });
  if (!text) return "; give the IDX files of MNIST";
  return absl::StrCat("; it begins with \"", std::string(first), "\", as ",
                      first.starts_with("<") ? "a web page does" : "text does",
                      ": fetch the file again");
}

}  // namespace

std::int64_t IdxHeaderBytes(IdxKind kind) {
  return kind == IdxKind::kImages ? 16 : 8;
}

absl::StatusOr<IdxHeader> ParseIdxHeader(IdxKind kind, std::string_view bytes,
                                         const std::string& file) {
  const bool images = kind == IdxKind::kImages;
  IdxHeader header;
  header.header_bytes = IdxHeaderBytes(kind);
  if (static_cast<std::int64_t>(bytes.size()) < header.header_bytes)
    return Corrupt(file, static_cast<std::int64_t>(bytes.size()),
                   absl::StrCat("the file ends inside its header of ",
                                header.header_bytes, " bytes: fetch it again"));
  const std::uint32_t magic = BigEndian(bytes, 0);
  const std::uint32_t wanted = images ? kImagesMagic : kLabelsMagic;
  if (magic != wanted)
    return Corrupt(
        file, 0,
        absl::StrFormat("magic number is 0x%08x, must be 0x%08x for %s%s",
                        magic, wanted, images ? "images" : "labels",
                        Beginning(bytes.substr(0, 4), images)));
  PODSIM_ASSIGN_OR_RETURN(header.count,
                          ReadSize(bytes, 4, "the count", kIdxMaxCount, file));
  if (!images) return header;
  PODSIM_ASSIGN_OR_RETURN(
      header.rows, ReadSize(bytes, 8, "the row count", kIdxMaxSide, file));
  PODSIM_ASSIGN_OR_RETURN(
      header.columns,
      ReadSize(bytes, 12, "the column count", kIdxMaxSide, file));
  if (header.file_bytes() > kIdxMaxBytes)
    return Corrupt(file, 4,
                   absl::StrCat(header.count, " images of ", header.rows, " x ",
                                header.columns, " are more than ", kIdxMaxBytes,
                                " bytes, the most supported: write fewer"));
  return header;
}

absl::Status CheckIdxSize(const IdxHeader& header, std::int64_t size,
                          const std::string& file) {
  if (size < header.file_bytes())
    return Corrupt(file, size,
                   absl::StrCat("the file ends here, but its header promises ",
                                header.file_bytes(), " bytes: fetch it again"));
  if (size > header.file_bytes())
    return Corrupt(
        file, header.file_bytes(),
        absl::StrCat(size - header.file_bytes(),
                     " bytes more than the header promises: fetch it "
                     "again"));
  return absl::OkStatus();
}

absl::StatusOr<IdxHeader> ParseIdx(IdxKind kind, std::string_view bytes,
                                   const std::string& file) {
  PODSIM_ASSIGN_OR_RETURN(const IdxHeader header,
                          ParseIdxHeader(kind, bytes, file));
  PODSIM_RETURN_IF_ERROR(
      CheckIdxSize(header, static_cast<std::int64_t>(bytes.size()), file));
  return header;
}

}  // namespace podsim
