#include "host/input/tfrecord.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kCrcBytes = 4;
// The format's own, so that checksums of checksums differ from them.
constexpr std::uint32_t kMaskDelta = 0xa282ead8U;
constexpr int kMaskShift = 15;
constexpr char kWriteAgain[] = "; fetch or write it again";

std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

void AppendLittleEndian(std::uint64_t value, std::size_t count,
                        std::string& out) {
  for (std::size_t i = 0; i < count; ++i)
    out += static_cast<char>(value >> (8 * i) & 0xff);
}

absl::Status Damaged(const std::string& file, std::int64_t offset,
                     const std::string& why) {
  return absl::DataLossError(
      absl::StrCat(file, ": offset ", offset, ": ", why));
}

}  // namespace

std::uint32_t MaskedCrc(std::string_view bytes) {
  const std::uint32_t crc = Crc32cOf(bytes);
  return (crc >> kMaskShift | crc << (32 - kMaskShift)) + kMaskDelta;
}

absl::StatusOr<RecordAt> ParseRecordHeader(std::string_view bytes,
                                           std::int64_t offset,
                                           std::int64_t size,
                                           const std::string& file) {
  if (static_cast<std::int64_t>(bytes.size()) < kRecordHeader)
    return Damaged(file, offset,
                   absl::StrCat("the file is cut short: ", bytes.size(),
                                " bytes where a record's header has ",
                                kRecordHeader, kWriteAgain));
  const std::uint64_t length = LittleEndian(bytes.substr(0, kLengthBytes));
  if (MaskedCrc(bytes.substr(0, kLengthBytes)) !=
      LittleEndian(bytes.substr(kLengthBytes, kCrcBytes)))
    return Damaged(file, offset,
                   absl::StrCat("the checksum of a record's length is wrong: "
                                "damaged, or no TFRecord file",
                                kWriteAgain));
  if (length > kMostRecordBytes)
    return Damaged(
        file, offset,
        absl::StrCat("a record of ", length, " bytes; at most ",
                     kMostRecordBytes, " are allowed: write smaller examples"));
  const RecordAt record = {.begin = offset + kRecordHeader,
                           .length = static_cast<std::int64_t>(length)};
  if (record.end() > size)
    return Damaged(file, offset,
                   absl::StrCat("the file is cut short: a record of ", length,
                                " bytes would end at ", record.end(),
                                ", the file at ", size, kWriteAgain));
  return record;
}

absl::StatusOr<std::string_view> CheckRecord(std::string_view bytes,
                                             std::int64_t offset,
                                             const std::string& file) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  PODSIM_ASSIGN_OR_RETURN(
      const RecordAt record,
      ParseRecordHeader(bytes, offset, offset + size, file));
  const std::string_view data =
      bytes.substr(kRecordHeader, static_cast<std::size_t>(record.length));
  if (MaskedCrc(data) !=
      LittleEndian(bytes.substr(kRecordHeader + data.size(), kCrcBytes)))
    return Damaged(
        file, offset,
        absl::StrCat("the checksum of a record's bytes is wrong: the file is "
                     "damaged",
                     kWriteAgain));
  return data;
}

std::string FrameRecord(std::string_view record) {
  std::string framed;
  framed.reserve(record.size() + kRecordHeader + kRecordFooter);
  AppendLittleEndian(record.size(), kLengthBytes, framed);
  AppendLittleEndian(MaskedCrc(framed), kCrcBytes, framed);
  framed.append(record);
  AppendLittleEndian(MaskedCrc(record), kCrcBytes, framed);
  return framed;
}

}  // namespace podsim
