#include "host/storage/known_file.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace podsim {
namespace {

// The check does not see literals.
using std::string_view_literals::
operator""sv;  // NOLINT(misc-unused-using-decls)

constexpr const char* kNoCommand = "";
constexpr const char* kUntar =
    "unpack it with tar -xf FILE, and give a file of it";
constexpr const char* kUnpack = "unpack it, and give a file of it";
constexpr const char* kFetchAgain = "fetch the file again";
constexpr std::size_t kZipLooked = 128;  // bytes with the first member's name

struct Mark {
  std::size_t at;
  std::string_view bytes;
  FileMark mark;
  const char* what;
  const char* to_do;
};

constexpr Mark kMarks[] = {
    {0, "\x93NUMPY"sv, FileMark::kArray, "a NumPy array (.npy)", kNoCommand},
    {0, "PAR1\x15"sv, FileMark::kTable, "a Parquet file", kNoCommand},
    {0, "ARROW1\0\0"sv, FileMark::kTable, "an Arrow file", kNoCommand},
    {0, "Obj\x01"sv, FileMark::kTable, "an Avro file", kNoCommand},
    {0, "\x89HDF\r\n\x1a\n"sv, FileMark::kHdf5, "an HDF5 file", kNoCommand},
    {0, "SQLite format 3\0"sv, FileMark::kTable, "an SQLite database",
     kNoCommand},
    {0, "\x80\x02"sv, FileMark::kPickle, "a Python pickle", kNoCommand},
    {0, "\x80\x03"sv, FileMark::kPickle, "a Python pickle", kNoCommand},
    {0, "\x80\x04"sv, FileMark::kPickle, "a Python pickle", kNoCommand},
    {0, "\x80\x05"sv, FileMark::kPickle, "a Python pickle", kNoCommand},
    {0, "\xd0\xcf\x11\xe0"sv, FileMark::kOffice, "an old Office file (.xls)",
     kNoCommand},
    {4, "TFL3"sv, FileMark::kModel, "a TensorFlow Lite model", kNoCommand},
    {0,
     "\x7f"
     "ELF"sv,
     FileMark::kModel, "a program or a library", kNoCommand},
    {257, "ustar\0"sv, FileMark::kWrapped, "a tar archive", kUntar},
    {257, "ustar "sv, FileMark::kWrapped, "a tar archive", kUntar},
    {0, "\x1f\x8b"sv, FileMark::kWrapped, "a file compressed with gzip",
     "unpack it with gunzip FILE"},
    {4, "1AY&SY"sv, FileMark::kWrapped, "a file compressed with bzip2",
     "unpack it with bunzip2 FILE"},
    {0, "\xfd\x37zXZ"sv, FileMark::kWrapped, "a file compressed with xz",
     "unpack it with unxz FILE"},
    {0, "\x28\xb5\x2f\xfd"sv, FileMark::kWrapped,
     "a file compressed with Zstandard", "unpack it with unzstd FILE"},
    {0, "\x04\x22\x4d\x18"sv, FileMark::kWrapped, "a file compressed with LZ4",
     "unpack it with unlz4 FILE"},
    {0, "7z\xbc\xaf\x27\x1c"sv, FileMark::kWrapped, "a 7-Zip archive", kUnpack},
    {0, "Rar!\x1a\x07"sv, FileMark::kWrapped, "a RAR archive", kUnpack},
    {0, "%PDF-"sv, FileMark::kWrapped, "a PDF", "fetch the file itself"},
    {0, "\x89PNG"sv, FileMark::kPhoto, "a PNG image", kNoCommand},
    {0, "\xff\xd8\xff"sv, FileMark::kPhoto, "a JPEG image", kNoCommand},
    {0, "GIF89a"sv, FileMark::kOldPhoto, "a GIF image", kNoCommand},
    {0, "GIF87a"sv, FileMark::kOldPhoto, "a GIF image", kNoCommand},
    {8, "WEBPVP8"sv, FileMark::kOldPhoto, "a WebP image", kNoCommand},
    {0, "II*\0"sv, FileMark::kOldPhoto, "a TIFF image", kNoCommand},
    {0, "MM\0*"sv, FileMark::kOldPhoto, "a TIFF image", kNoCommand},
    {4, "ftypavif"sv, FileMark::kOldPhoto, "an AVIF image", kNoCommand},
    {4, "ftyphei"sv, FileMark::kOldPhoto, "a HEIC image", kNoCommand},
    {0, "version https://git-lfs"sv, FileMark::kPointer,
     "a pointer of Git LFS, not the file", "git lfs pull fetches it"},
    {0, "\xff\xfe\0\0"sv, FileMark::kWrapped, "UTF-32 text",
     "podsim reads UTF-8: iconv -f UTF-32 -t UTF-8 FILE > NEW"},
    {0, "\xff\xfe"sv, FileMark::kWrapped, "UTF-16 text",
     "podsim reads UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW"},
    {0, "\xfe\xff"sv, FileMark::kWrapped, "UTF-16 text",
     "podsim reads UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW"},
};

absl::string_view Of(std::string_view text) {
  return {text.data(), text.size()};
}

KnownFile Made(FileMark mark, const char* what, std::string_view to_do,
               const std::string& path) {
  return {.mark = mark, .what = what, .to_do = CommandFor(to_do, path)};
}

// By the name of its first member.
KnownFile ZipOf(std::string_view start, const std::string& path) {
  if (absl::StrContains(Of(start), "[Content_Types].xml"))
    return Made(FileMark::kOffice, "a workbook (.xlsx) or another Office file",
                kNoCommand, path);
  if (absl::StrContains(Of(start.substr(0, kZipLooked)), ".npy"))
    return Made(FileMark::kArrays, "a zip archive of NumPy arrays (.npz)",
                kNoCommand, path);
  return Made(FileMark::kZip, "a zip archive",
              "unpack it with unzip FILE, and give a file of it", path);
}

bool BeginsWithTag(std::string_view text, std::string_view tag) {
  return absl::EqualsIgnoreCase(Of(text.substr(0, tag.size())), Of(tag));
}

KnownFile MarkupOf(std::string_view text, const std::string& path) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (BeginsWithTag(text, "<!doctype html") || BeginsWithTag(text, "<html"))
    return Made(FileMark::kWrapped,
                "a web page (HTML), as of a download that failed", kFetchAgain,
                path);
  if (text.starts_with("<?xml") || text.starts_with("<Error>"))
    return Made(FileMark::kWrapped, "XML, as of a download that failed",
                kFetchAgain, path);
  return {};
}

// ".csv" of "a/my.csv".
std::string EndOf(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t point = name.rfind('.');
  return point == name.npos ? "" : name.substr(point);
}

}  // namespace

KnownFile KnownFileOf(std::string_view start, const std::string& path) {
  if (start.starts_with("PK\x03\x04")) return ZipOf(start, path);
  for (const Mark& mark : kMarks)
    if (start.size() >= mark.at &&
        start.substr(mark.at).starts_with(mark.bytes))
      return Made(mark.mark, mark.what, mark.to_do, path);
  return MarkupOf(start, path);
}

std::string CommandFor(std::string_view to_do, const std::string& path) {
  if (path.ends_with(".gz") && to_do.find("tar -xf FILE") != to_do.npos)
    return absl::StrReplaceAll(
        Of(to_do), {{"tar -xf FILE", absl::StrCat("tar -xzf ", path)}});
  const bool names = to_do.find("FILE") != to_do.npos;
  const bool packed =
      names && path.ends_with(".gz") && to_do.find("gunzip") == to_do.npos;
  const std::string plain =
      packed ? path.substr(0, path.size() - std::string_view(".gz").size())
             : path;
  return absl::StrCat(
      packed ? absl::StrCat("gunzip ", path, ", then ") : "",
      absl::StrReplaceAll(
          Of(to_do),
          {{"FILE", plain}, {"NEW", absl::StrCat("utf8", EndOf(plain))}}));
}

}  // namespace podsim
