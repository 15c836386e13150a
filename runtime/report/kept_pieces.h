// A message of any size in lines of a metrics file: in pieces, each deflated by
// itself and in base64, so that no line is long. Pure.
//
//   for (const KeptPiece& piece : PiecesOf(part)) ...
//   JoinedPieces joined(1 << 20);
//   if (joined.Add(bytes, is_last)) part.ParseFromString(joined.Take());
#ifndef PODSIM_RUNTIME_REPORT_KEPT_PIECES_H_
#define PODSIM_RUNTIME_REPORT_KEPT_PIECES_H_

#include <google/protobuf/message_lite.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podsim {

struct KeptPiece {
  std::string text;  // in base64
  bool is_last = false;
};

// One at least.
std::vector<KeptPiece> PiecesOf(const google::protobuf::MessageLite& message);

// The bytes of a piece's text: 1 MiB at most, and 100 times what it deflates
// to. nullopt: it is no piece's.
std::optional<std::string> BytesOfPiece(const std::string& text);

// The bytes of a message whose pieces follow each other.
class JoinedPieces {
 public:
  // Beyond so many bytes a message is dropped, whole: a file may say anything.
  explicit JoinedPieces(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // True: the message is whole, and Take has it.
  bool Add(std::string_view bytes, bool is_last);
  std::string Take() { return std::exchange(bytes_, {}); }
  void Clear();

 private:
  const std::size_t most_bytes_;
  std::string bytes_;
  bool too_long_ = false;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_KEPT_PIECES_H_
