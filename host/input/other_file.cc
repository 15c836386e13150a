#include "host/input/other_file.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"

namespace podsim {
namespace {

// The check does not see literals.
using std::string_view_literals::
operator""sv;  // NOLINT(misc-unused-using-decls)

constexpr const char* kWriteAsCsv =
    "write it as a CSV file, as .npy files or as TFRecord shards";
constexpr const char* kUntar =
    "unpack it with tar -xf FILE, and give a file of it";
constexpr std::string_view kGitPull = "git lfs pull fetches it";
constexpr std::string_view kConvert = "convert it to PNG or JPEG";
constexpr const char* kFetchAgain = "fetch the file itself";
constexpr const char* kAsImages =
    "--dataset=images reads folders of JPEG and PNG files, a folder a class";
constexpr std::size_t kTextLooked = 40;   // bytes that tell it
constexpr std::size_t kUtf16Looked = 64;  // bytes that tell it without a mark

// FILE stands for the path in `to_do`.
struct Mark {
  std::size_t at;
  std::string_view bytes;
  const char* what;
  std::string_view to_do;
};

constexpr Mark kMarks[] = {
    {0, "\x93NUMPY"sv, "a NumPy array (.npy)",
     "--dataset=arrays reads a folder with train/FIELD.npy"},
    {0, "PAR1\x15"sv, "a Parquet file", kWriteAsCsv},
    {0, "ARROW1\0\0"sv, "an Arrow file", kWriteAsCsv},
    {0, "Obj\x01"sv, "an Avro file", kWriteAsCsv},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kWriteAsCsv},
    {0, "SQLite format 3\0"sv, "an SQLite database", kWriteAsCsv},
    {0, "\x80\x02"sv, "a Python pickle", kWriteAsCsv},
    {0, "\x80\x03"sv, "a Python pickle", kWriteAsCsv},
    {0, "\x80\x04"sv, "a Python pickle", kWriteAsCsv},
    {0, "\x80\x05"sv, "a Python pickle", kWriteAsCsv},
    {0, "\xd0\xcf\x11\xe0"sv, "an old Office file (.xls)",
     "save it as a CSV file"},
    {257, "ustar\0"sv, "a tar archive", kUntar},
    {257, "ustar "sv, "a tar archive", kUntar},
    {0, "\x1f\x8b"sv, "packed with gzip", "unpack it with gunzip FILE"},
    {4, "1AY&SY"sv, "packed with bzip2", "unpack it with bunzip2 FILE"},
    {0, "\xfd\x37zXZ"sv, "packed with xz", "unpack it with unxz FILE"},
    {0, "\x28\xb5\x2f\xfd"sv, "packed with Zstandard",
     "unpack it with unzstd FILE"},
    {0, "\x04\x22\x4d\x18"sv, "packed with LZ4", "unpack it with unlz4 FILE"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive",
     "unpack it, and give a file of it"},
    {0, "Rar!\x1a\x07"sv, "a RAR archive", "unpack it, and give a file of it"},
    {0, "%PDF-"sv, "a PDF", kFetchAgain},
    {0, "\x89PNG"sv, "a PNG image", kAsImages},
    {0, "\xff\xd8\xff"sv, "a JPEG image", kAsImages},
    {0, "GIF89a"sv, "a GIF image", kConvert},
    {0, "GIF87a"sv, "a GIF image", kConvert},
    {8, "WEBPVP8"sv, "a WebP image", kConvert},
    {0, "II*\0"sv, "a TIFF image", kConvert},
    {0, "MM\0*"sv, "a TIFF image", kConvert},
    {4, "ftypavif"sv, "an AVIF image", kConvert},
    {4, "ftyphei"sv, "a HEIC image", kConvert},
    {0, "version https://git-lfs"sv, "a pointer of Git LFS, not the file",
     kGitPull},
    {0, "\xff\xfe\0\0"sv, "UTF-32 text",
     "podsim reads UTF-8: iconv -f UTF-32 -t UTF-8 FILE > NEW"},
    {0, "\xff\xfe"sv, "UTF-16 text",
     "podsim reads UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW"},
    {0, "\xfe\xff"sv, "UTF-16 text",
     "podsim reads UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW"},
};

// ".csv" of "a/my.csv".
std::string EndOf(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t point = name.rfind('.');
  return point == name.npos ? "" : name.substr(point);
}

// A packed file's bytes were looked at unpacked.
OtherFile Made(const char* what, std::string_view to_do,
               const std::string& path) {
  const bool names = to_do.find("FILE") != to_do.npos;
  const bool packed =
      names && path.ends_with(".gz") && to_do.find("gunzip") == to_do.npos;
  const std::string plain =
      packed ? path.substr(0, path.size() - std::string_view(".gz").size())
             : path;
  return {
      .what = what,
      .to_do = absl::StrCat(
          packed ? absl::StrCat("gunzip ", path, ", then ") : "",
          absl::StrReplaceAll(
              absl::string_view(to_do.data(), to_do.size()),
              {{"FILE", plain}, {"NEW", absl::StrCat("utf8", EndOf(plain))}})),
      .kind = to_do == kConvert   ? OtherFileKind::kImage
              : to_do == kGitPull ? OtherFileKind::kPointer
                                  : OtherFileKind::kFile};
}

// By the name of its first member.
OtherFile ZipOf(std::string_view start, const std::string& path) {
  if (absl::StrContains(absl::string_view(start.data(), start.size()),
                        "[Content_Types].xml"))
    return Made("a workbook (.xlsx) or another Office file",
                "save it as a CSV file", path);
  if (absl::StrContains(
          absl::string_view(start.data(), std::min<std::size_t>(
                                              start.size(), kUtf16Looked * 2)),
          ".npy"))
    return Made("a zip archive of NumPy arrays (.npz)",
                "--dataset=npz reads a folder with train.npz", path);
  return Made("a zip archive",
              "unpack it with unzip FILE, and give a file of it", path);
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

std::string_view AfterBlanks(std::string_view start) {
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first == start.npos ? std::string_view() : start.substr(first);
}

bool BeginsWithTag(std::string_view text, std::string_view tag) {
  return absl::EqualsIgnoreCase(
      absl::string_view(text.data(), std::min(text.size(), tag.size())),
      absl::string_view(tag.data(), tag.size()));
}

OtherFile MarkupOf(std::string_view start, const std::string& path) {
  const std::string_view text = AfterBlanks(start);
  if (BeginsWithTag(text, "<!doctype html") || BeginsWithTag(text, "<html"))
    return Made("a web page (HTML), as of a download that failed",
                "fetch the file again", path);
  if (text.starts_with("<?xml") || text.starts_with("<Error>"))
    return Made("XML, as of a download that failed", "fetch the file again",
                path);
  const std::size_t after = text.find_first_not_of(" \t\r\n", 1);
  const char second = after == text.npos ? '\0' : text[after];
  if ((text.starts_with("{") && (second == '"' || second == '}')) ||
      (text.starts_with("[") && (second == '{' || second == '[')))
    return Made("JSON", kWriteAsCsv, path);
  return {};
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

}  // namespace

OtherFile OtherFileOf(std::string_view start, const std::string& path) {
  if (start.starts_with("PK\x03\x04")) return ZipOf(start, path);
  for (const Mark& mark : kMarks)
    if (start.size() >= mark.at &&
        start.substr(mark.at).starts_with(mark.bytes))
      return Made(mark.what, mark.to_do, path);
  return MarkupOf(start, path);
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
    other = Made("no text, as it has a byte 0 near its begin",
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
