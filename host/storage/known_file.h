// What a file is by its first bytes, whatever was expected in its place: the
// one table of them. Pure.
#ifndef PODSIM_HOST_STORAGE_KNOWN_FILE_H_
#define PODSIM_HOST_STORAGE_KNOWN_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace podsim {

// Bytes of a file's begin that are looked at.
inline constexpr std::size_t kKnownFileBytes = 4096;

// How `to_do` ends for an archive, for who knows better what to give.
inline constexpr std::string_view kGiveAFileOfIt = ", and give a file of it";

enum class FileMark : std::uint8_t {
  kNone,    // known by nothing
  kArray,   // .npy
  kArrays,  // .npz
  kHdf5,
  kTable,     // of another program: Parquet, a database
  kPickle,    // Python's
  kZip,       // but .npz and workbooks
  kOffice,    // .xls, .xlsx
  kPhoto,     // PNG or JPEG
  kOldPhoto,  // an image of another format
  kModel,     // of another framework
  kPointer,   // says where the file itself is
  kWrapped,   // to be unpacked, converted or fetched again
};

struct KnownFile {
  FileMark mark = FileMark::kNone;
  std::string what;  // "a zip archive"; empty: known by nothing
  // How to come to the file that was meant, a command of a shell where there is
  // one; empty: it is another file.
  std::string to_do = {};
};

// `start`: up to kKnownFileBytes of it, unpacked if `path`, which is for the
// command, ends with .gz.
KnownFile KnownFileOf(std::string_view start, const std::string& path);

// `to_do` with `path` for FILE, and NEW for a file beside it; of unpacked bytes
// of a .gz the file is unpacked first, a tar archive by tar itself.
std::string CommandFor(std::string_view to_do, const std::string& path);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_KNOWN_FILE_H_
