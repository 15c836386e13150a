// What a file is that was given in the place of a data set's, by its first
// bytes. Pure.
#ifndef PODSIM_HOST_INPUT_OTHER_FILE_H_
#define PODSIM_HOST_INPUT_OTHER_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "host/storage/known_file.h"

namespace podsim {

// Bytes of a file's begin that are looked at.
inline constexpr std::size_t kOtherFileBytes = kKnownFileBytes;

enum class OtherFileKind : std::uint8_t {
  kFile,
  kImage,    // of another format than JPEG and PNG
  kPointer,  // says where the file itself is
};

struct OtherFile {
  std::string what;   // "a zip archive", "UTF-16 text"; empty: none known
  std::string to_do;  // "unzip it", a command of a shell where there is one
  OtherFileKind kind = OtherFileKind::kFile;
};

// `start` is of the unpacked bytes, up to kOtherFileBytes; `path` is for the
// command. Of a gzip file that is not to be read so, its first bytes are
// unpacked: "a tar archive packed with gzip".
OtherFile OtherFileOf(std::string_view start, const std::string& path);

// Of text, what cannot be CSV in UTF-8 with lines that end in LF: also JSON, a
// web page and line ends of CR alone. INVALID_ARGUMENT: what the file is and
// what to do.
absl::Status CheckIsCsv(std::string_view start, const std::string& path);

// "; it is a web page (HTML): fetch it again", for the end of an error that
// says what the file is not; of text "; it is text, beginning 'a,b'"; empty: it
// looks like nothing that is known.
std::string OtherFileHint(std::string_view start, const std::string& path);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_OTHER_FILE_H_
