#include "runtime/report/kept_pieces.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

#include "absl/strings/escaping.h"
#include "proto/trace.pb.h"

namespace podsim {
namespace {

// Of random letters, which hardly deflate: 8 bytes more than the name's, where
// that has 16 KiB and more.
TracePart PartOf(std::size_t bytes) {
  std::mt19937 random(11);
  std::string name(bytes, '\0');
  for (char& letter : name) letter = static_cast<char>(random() % 128);
  TracePart part;
  part.add_spans()->set_name(name);
  return part;
}

// As zlib packs them, however few they become.
std::string Deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string deflated(size, '\0');
  EXPECT_EQ(
      compress(reinterpret_cast<Bytef*>(deflated.data()), &size,
               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
      Z_OK);
  deflated.resize(size);
  return deflated;
}

TEST(KeptPieces, AreJoinedToTheMessage) {
  for (const std::size_t bytes :
       {0U, 1U, (1U << 20) - 8, (1U << 20) - 7, 3'000'000U}) {
    const TracePart part = PartOf(bytes);
    JoinedPieces joined(std::size_t{1} << 22);
    bool is_whole = false;
    for (const KeptPiece& piece : PiecesOf(part)) {
      EXPECT_FALSE(is_whole);
      EXPECT_LT(piece.text.size(), 1'500'000U);
      const auto read = BytesOfPiece(piece.text);
      ASSERT_TRUE(read.has_value());
      is_whole = joined.Add(*read, piece.is_last);
    }
    ASSERT_TRUE(is_whole) << bytes;
    EXPECT_EQ(joined.Take(), part.SerializeAsString());
  }
}

TEST(KeptPieces, OfAnEmptyMessageAreOne) {
  const std::vector<KeptPiece> pieces = PiecesOf(TracePart());
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_TRUE(pieces[0].is_last);
  EXPECT_EQ(BytesOfPiece(pieces[0].text), "");
}

TEST(KeptPieces, WhatIsNoPieceIsRefused) {
  EXPECT_EQ(BytesOfPiece(""), std::nullopt);
  EXPECT_EQ(BytesOfPiece("!"), std::nullopt);
  EXPECT_EQ(BytesOfPiece(absl::Base64Escape("no deflated bytes")),
            std::nullopt);
  // A few KB that would become 8 MiB.
  const std::string zeros(std::size_t{1} << 23, '\0');
  const std::string small = Deflated(zeros);
  ASSERT_LT(small.size(), 100'000U);
  EXPECT_EQ(BytesOfPiece(absl::Base64Escape(small)), std::nullopt);
}

// Few bytes that would become many are refused, and never written.
TEST(KeptPieces, OfOneLetterAreReadToo) {
  TracePart part;
  part.add_spans()->set_name(std::string(500'000, 'a'));
  const std::vector<KeptPiece> pieces = PiecesOf(part);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(BytesOfPiece(pieces[0].text), part.SerializeAsString());
  const std::string bytes = part.SerializeAsString();
  const std::string small = Deflated(bytes);
  EXPECT_EQ(BytesOfPiece(absl::Base64Escape(small)), std::nullopt);
}

TEST(JoinedPieces, OneThatIsTooLongIsDroppedWhole) {
  JoinedPieces joined(4);
  EXPECT_FALSE(joined.Add("abc", false));
  EXPECT_FALSE(joined.Add("de", false));
  EXPECT_FALSE(joined.Add("f", true));
  EXPECT_TRUE(joined.Add("abcd", true));
  EXPECT_EQ(joined.Take(), "abcd");
  EXPECT_FALSE(joined.Add("ab", false));
  joined.Clear();
  EXPECT_TRUE(joined.Add("c", true));
  EXPECT_EQ(joined.Take(), "c");
}

}  // namespace
}  // namespace podsim
