#include "host/input/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/input/other_file.h"
#include "host/input/zip_check.h"

namespace podsim {
namespace {

// Lengths of the records' fixed parts, and what each begins with.
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64LocatorBytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kEnd64Locator = "PK\x06\x07";
constexpr std::string_view kEnd64 = "PK\x06\x06";
constexpr std::string_view kEntry = "PK\x01\x02";
constexpr std::string_view kLocal = "PK\x03\x04";

constexpr std::uint64_t kInZip64 = 0xffffffffU;  // the field is in the extra
constexpr std::uint64_t kZip64Extra = 1;
constexpr std::uint64_t kStored = 0;
constexpr std::uint64_t kDeflated = 8;
constexpr std::uint64_t kMostMembers = 65'535;
// https://zlib.net/zlib_tech.html, "Maximum Compression Factor".
constexpr std::uint64_t kMostZipExpansion = 1032;
// zlib counts in unsigned.
constexpr std::size_t kZipPiece = std::size_t{1} << 20;

absl::Status DamagedZip(
    const std::string& file, std::uint64_t offset, const std::string& why,
    const char* to_do = "; fetch it again, or save it with numpy.savez") {
  return absl::DataLossError(
      absl::StrCat(file, ": offset ", offset, ": ", why, to_do));
}

// `count` bytes at `at`; 0 beyond the end, which callers have checked.
std::uint64_t Number(std::string_view bytes, std::size_t at,
                     std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = value << 8 |
            (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i])
                                   : 0U);
  return value;
}

bool Begins(std::string_view bytes, std::uint64_t at, std::string_view with,
            std::size_t length) {
  return at <= bytes.size() && bytes.size() - at >= length &&
         bytes.substr(static_cast<std::size_t>(at), with.size()) == with;
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t members = 0;
};

absl::StatusOr<Directory> FindDirectory(std::string_view archive,
                                        const std::string& file) {
  // A comment of up to 64 KiB may follow the end record.
  const std::size_t from =
      archive.size() - std::min<std::size_t>(archive.size(), kEndBytes + 65535);
  const std::size_t end = archive.rfind(kEnd);
  if (end == std::string_view::npos || end < from ||
      archive.size() - end < kEndBytes)
    return DamagedZip(
        file, archive.size(),
        absl::StrCat(
            "no end of a zip archive: it was cut short, or is none",
            archive.starts_with(kLocal)
                ? "; fetch or save it again"
                : absl::StrCat(
                      OtherFileHint(archive.substr(0, kOtherFileBytes), file),
                      "; numpy.savez writes such a file")),
        "");
  Directory found = {.offset = Number(archive, end + 16, 4),
                     .members = Number(archive, end + 10, 2)};
  if (found.offset != kInZip64 && found.members != 0xffff) return found;
  if (end < kEnd64LocatorBytes || !Begins(archive, end - kEnd64LocatorBytes,
                                          kEnd64Locator, kEnd64LocatorBytes))
    return found;
  const std::uint64_t at = Number(archive, end - kEnd64LocatorBytes + 8, 8);
  if (!Begins(archive, at, kEnd64, kEnd64Bytes))
    return DamagedZip(file, end,
                      "the archive's zip64 end is not where it says");
  return Directory{
      .offset = Number(archive, static_cast<std::size_t>(at) + 48, 8),
      .members = Number(archive, static_cast<std::size_t>(at) + 32, 8)};
}

// The sizes that are too large for an entry stand in its extra field, in order.
void TakeZip64(std::string_view extra, std::uint64_t* const fields[3]) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t id = Number(extra, at, 2);
    const auto length = static_cast<std::size_t>(Number(extra, at + 2, 2));
    if (id == kZip64Extra) {
      std::size_t next = at + 4;
      for (int i = 0; i < 3; ++i) {
        if (*fields[i] != kInZip64) continue;
        *fields[i] = Number(extra, next, 8);
        next += 8;
      }
      return;
    }
    at += 4 + length;
  }
}

// Where the member's bytes begin, behind the header in front of them.
absl::Status FindBytes(std::string_view archive, const std::string& file,
                       std::uint64_t local, std::uint64_t packed,
                       ZipMember& member) {
  if (!Begins(archive, local, kLocal, kLocalBytes))
    return DamagedZip(file, local, "a member is not where the directory says");
  const auto at = static_cast<std::size_t>(local);
  const std::uint64_t begin = local + kLocalBytes +
                              Number(archive, at + 26, 2) +
                              Number(archive, at + 28, 2);
  if (begin > archive.size() || packed > archive.size() - begin)
    return DamagedZip(file, local, "a member reaches beyond the file");
  member.header = static_cast<std::int64_t>(local);
  member.offset = static_cast<std::int64_t>(begin);
  member.packed = static_cast<std::int64_t>(packed);
  return absl::OkStatus();
}

// The entry at `at`; returns where the next begins.
absl::StatusOr<std::size_t> ReadEntry(std::string_view archive, std::size_t at,
                                      const std::string& file,
                                      ZipMember& member) {
  if (!Begins(archive, at, kEntry, kEntryBytes))
    return DamagedZip(file, at, "the archive's directory is damaged");
  const auto name = static_cast<std::size_t>(Number(archive, at + 28, 2));
  const auto extra = static_cast<std::size_t>(Number(archive, at + 30, 2));
  const std::size_t next =
      at + kEntryBytes + name + extra +
      static_cast<std::size_t>(Number(archive, at + 32, 2));
  if (next > archive.size())
    return DamagedZip(file, at, "the archive's directory is cut short");
  std::uint64_t unpacked = Number(archive, at + 24, 4);
  std::uint64_t packed = Number(archive, at + 20, 4);
  std::uint64_t local = Number(archive, at + 42, 4);
  std::uint64_t* const fields[] = {&unpacked, &packed, &local};
  TakeZip64(archive.substr(at + kEntryBytes + name, extra), fields);
  const std::uint64_t method = Number(archive, at + 10, 2);
  member.name = archive.substr(at + kEntryBytes, name);
  if ((Number(archive, at + 8, 2) & 1) != 0 ||
      (method != kStored && method != kDeflated))
    return DamagedZip(file, at,
                      absl::StrCat("member ", PrintableLine(member.name),
                                   " is encrypted, or neither stored nor "
                                   "deflated"));
  member.deflated = method == kDeflated;
  member.crc = static_cast<std::uint32_t>(Number(archive, at + 16, 4));
  PODSIM_RETURN_IF_ERROR(FindBytes(archive, file, local, packed, member));
  // What is below is safe from overflow: packed is at most the file.
  if (member.deflated ? unpacked > (packed + 1) * kMostZipExpansion
                      : unpacked != packed)
    return DamagedZip(
        file, at,
        absl::StrCat("member ", PrintableLine(member.name), " has ", packed,
                     " packed bytes and claims ", unpacked));
  member.unpacked = static_cast<std::int64_t>(unpacked);
  return next;
}

absl::StatusOr<std::string> Inflate(std::string_view packed,
                                    std::size_t unpacked) {
  std::string out(unpacked, '\0');
  z_stream stream{};
  PODSIM_CHECK(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
  std::size_t read = 0;
  std::size_t made = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    const std::size_t in = std::min(packed.size() - read, kZipPiece);
    const std::size_t room = std::min(out.size() - made, kZipPiece);
    stream.next_in = reinterpret_cast<Bytef*>(
        const_cast<char*>(packed.data() + read));  // zlib only reads it
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    result = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    made += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (result == Z_STREAM_END && made == unpacked) return out;
  return absl::DataLossError("its deflated bytes are damaged");
}

}  // namespace

absl::StatusOr<std::vector<ZipMember>> ReadZipDirectory(
    std::string_view archive, const std::string& file) {
  PODSIM_ASSIGN_OR_RETURN(const Directory directory,
                          FindDirectory(archive, file));
  if (directory.members > kMostMembers || directory.offset > archive.size())
    return DamagedZip(file, archive.size(),
                      absl::StrCat("the archive claims ", directory.members,
                                   " members at ", directory.offset));
  std::vector<ZipMember> members;
  auto at = static_cast<std::size_t>(directory.offset);
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    ZipMember member;
    PODSIM_ASSIGN_OR_RETURN(at, ReadEntry(archive, at, file, member));
    members.push_back(std::move(member));
  }
  PODSIM_RETURN_IF_ERROR(CheckZipMembers(
      members, static_cast<std::int64_t>(directory.offset), file));
  return members;
}

absl::StatusOr<std::string> ReadZipMember(std::string_view archive,
                                          const ZipMember& member,
                                          const std::string& file) {
  const std::string_view packed =
      archive.substr(static_cast<std::size_t>(member.offset),
                     static_cast<std::size_t>(member.packed));
  const auto at = static_cast<std::uint64_t>(member.offset);
  std::string bytes;
  if (member.deflated) {
    auto made = Inflate(packed, static_cast<std::size_t>(member.unpacked));
    if (!made.ok())
      return DamagedZip(
          file, at,
          absl::StrCat("member ", PrintableLine(member.name), ": ",
                       std::string(made.status().message())));
    bytes = *std::move(made);
  } else {
    bytes = packed;
  }
  uLong crc = crc32(0, nullptr, 0);
  for (std::size_t done = 0; done < bytes.size(); done += kZipPiece)
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + done),
                static_cast<uInt>(std::min(kZipPiece, bytes.size() - done)));
  if (crc == member.crc) return bytes;
  return DamagedZip(file, at,
                    absl::StrCat("member ", PrintableLine(member.name),
                                 ": its checksum is wrong"));
}

}  // namespace podsim
