#include "runtime/report/kept_pieces.h"

#include <zlib.h>

#include <algorithm>

#include "absl/strings/escaping.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
// What a piece inflates to at most: parts of traces come to 2 to 5 times.
constexpr std::size_t kMostTimes = 100;

std::string Deflated(std::string_view bytes, int level) {
  uLongf size = compressBound(bytes.size());
  std::string deflated(size, '\0');
  PODSIM_CHECK(compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                         reinterpret_cast<const Bytef*>(bytes.data()),
                         bytes.size(), level) == Z_OK);
  deflated.resize(size);
  return deflated;
}

// So that a reader takes it.
std::string Packed(std::string_view bytes) {
  std::string deflated = Deflated(bytes, Z_DEFAULT_COMPRESSION);
  return bytes.size() <= kMostTimes * deflated.size()
             ? deflated
             : Deflated(bytes, Z_NO_COMPRESSION);
}

// nullopt: it is none, or of more than a piece's bytes.
std::optional<std::string> Inflated(std::string_view bytes) {
  uLongf size = std::min(kPieceBytes, kMostTimes * bytes.size());
  std::string inflated(size, '\0');
  if (uncompress(reinterpret_cast<Bytef*>(inflated.data()), &size,
                 reinterpret_cast<const Bytef*>(bytes.data()),
                 bytes.size()) != Z_OK)
    return std::nullopt;
  inflated.resize(size);
  return inflated;
}

}  // namespace

std::vector<KeptPiece> PiecesOf(const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  std::vector<KeptPiece> pieces;
  std::size_t from = 0;
  do {
    const std::string_view piece =
        std::string_view(bytes).substr(from, kPieceBytes);
    from += piece.size();
    pieces.push_back({.text = absl::Base64Escape(Packed(piece)),
                      .is_last = from == bytes.size()});
  } while (from < bytes.size());
  return pieces;
}

std::optional<std::string> BytesOfPiece(const std::string& text) {
  std::string deflated;
  if (!absl::Base64Unescape(text, &deflated)) return std::nullopt;
  return Inflated(deflated);
}

bool JoinedPieces::Add(std::string_view bytes, bool is_last) {
  too_long_ = too_long_ || bytes.size() > most_bytes_ - bytes_.size();
  if (too_long_)
    bytes_.clear();
  else
    bytes_.append(bytes);
  const bool is_whole = is_last && !too_long_;
  if (is_last) too_long_ = false;
  return is_whole;
}

void JoinedPieces::Clear() {
  bytes_.clear();
  too_long_ = false;
}

}  // namespace podsim
