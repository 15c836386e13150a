#include "host/input/other_file.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "host/input/gunzip.h"
#include "host/storage/known_file.h"

namespace podsim {
namespace {

constexpr const char* kWriteAsCsv =
    "write it as a CSV file, as .npy files or as TFRecord shards";
constexpr std::size_t kTextLooked = 40;   // bytes that tell it
constexpr std::size_t kUtf16Looked = 64;  // bytes that tell it without a mark

// What to do with a file that holds a data set in another way.
const char* AsDataset(FileMark mark) {
  switch (mark) {
    case FileMark::kArray:
      return "--dataset=arrays reads a folder with train/FIELD.npy";
    case FileMark::kArrays:
      return "--dataset=npz reads a folder with train.npz";
    case FileMark::kHdf5:
    case FileMark::kTable:
    case FileMark::kPickle:
      return kWriteAsCsv;
    case FileMark::kOffice:
      return "save it as a CSV file";
    case FileMark::kPhoto:
      return "--dataset=images reads folders of JPEG and PNG files, a folder a "
             "class";
    case FileMark::kOldPhoto:
      return "convert it to PNG or JPEG";
    default:
      return "give a file of the data set";
  }
}

OtherFileKind KindOf(FileMark mark) {
  return mark == FileMark::kOldPhoto  ? OtherFileKind::kImage
         : mark == FileMark::kPointer ? OtherFileKind::kPointer
                                      : OtherFileKind::kFile;
}

OtherFile Made(const char* what, std::string_view to_do,
               const std::string& path) {
  return {.what = what, .to_do = CommandFor(to_do, path)};
}

// Every other byte is zero, as of letters and digits; 0: it does not look so,
// else the order that iconv calls UTF-16LE or UTF-16BE.
char Utf16Order(std::string_view start) {
  const std::string_view some = start.substr(0, kUtf16Looked / 2 * 2);
  if (some.size() < 4) return 0;
  std::size_t zeros[2] = {};
  for (std::size_t i = 0; i < some.size(); ++i)
    if (some[i] == '\0') ++zeros[i % 2];
  if (zeros[0] == 0 && zeros[1] * 4 >= some.size()) return 'L';
  if (zeros[1] == 0 && zeros[0] * 4 >= some.size()) return 'B';
  return 0;
}

// {"a": or [{, as no line of a CSV file begins.
bool IsJsonText(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return false;
  const std::size_t after = text.find_first_not_of(" \t\r\n", first + 1);
  const char second = after == text.npos ? '\0' : text[after];
  return (text[first] == '{' && (second == '"' || second == '}')) ||
         (text[first] == '[' && (second == '{' || second == '['));
}

std::string TextHint(std::string_view start) {
  const std::string_view some = start.substr(0, kTextLooked);
  const auto is_text = [](unsigned char ch) {
    return absl::ascii_isprint(ch) || absl::ascii_isspace(ch);
  };
  if (some.empty() || !std::all_of(some.begin(), some.end(), is_text))
    return "";
  return absl::StrCat("; it is text, beginning '",
                      PrintableLine(some.substr(0, some.find_first_of("\r\n"))),
                      "'");
}

bool HasOtherLineEnds(std::string_view start) {
  const std::size_t cr = start.find('\r');
  return cr != start.npos && cr + 1 < start.size() &&
         start.find('\n') == start.npos;
}

// By the first block of what is packed; empty: it is no gzip file, or something
// else is in it.
OtherFile PackedTarOf(std::string_view start, const std::string& path) {
  constexpr std::int64_t kTarBlock = 512;
  if (!start.starts_with("\x1f\x8b")) return {};
  const auto block = GunzipPrefix(start, kTarBlock, path);
  if (!block.ok() || KnownFileOf(*block, path).what != "a tar archive")
    return {};
  return {.what = "a tar archive packed with gzip",
          .to_do = absl::StrCat("unpack it with tar -xzf ", path,
                                std::string(kGiveAFileOfIt))};
}

}  // namespace

OtherFile OtherFileOf(std::string_view start, const std::string& path) {
  if (OtherFile tar = PackedTarOf(start, path); !tar.what.empty()) return tar;
  const KnownFile known = KnownFileOf(start, path);
  if (known.what.empty())
    return IsJsonText(start) ? Made("JSON", kWriteAsCsv, path) : OtherFile();
  return {.what = known.what,
          .to_do = known.to_do.empty() ? AsDataset(known.mark) : known.to_do,
          .kind = KindOf(known.mark)};
}

absl::Status CheckIsCsv(std::string_view start, const std::string& path) {
  OtherFile other = OtherFileOf(start, path);
  if (const char order = Utf16Order(start); other.what.empty() && order != 0)
    other = Made("UTF-16 text without a byte order mark",
                 order == 'L' ? "podsim reads UTF-8: iconv -f UTF-16LE -t "
                                "UTF-8 FILE > NEW"
                              : "podsim reads UTF-8: iconv -f UTF-16BE -t "
                                "UTF-8 FILE > NEW",
                 path);
  if (other.what.empty() && start.find('\0') != start.npos)
    other = Made("no text, as it has a byte 0 near its beginning",
                 "give a CSV file", path);
  if (other.what.empty() && HasOtherLineEnds(start))
    other =
        Made("text whose lines end in CR alone, as of an old Mac",
             "podsim reads LF and CR LF: tr '\\r' '\\n' < FILE > lf.csv", path);
  if (other.what.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, " is ", other.what, "; ", other.to_do));
}

std::string OtherFileHint(std::string_view start, const std::string& path) {
  const OtherFile other = OtherFileOf(start, path);
  if (other.what.empty()) return TextHint(start);
  return absl::StrCat("; it is ", other.what, ": ", other.to_do);
}

}  // namespace podsim
