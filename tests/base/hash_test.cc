#include "base/hash.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

std::vector<std::byte> Bytes(std::size_t count, int first, int step) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < count; ++i)
    bytes.push_back(static_cast<std::byte>(first + static_cast<int>(i) * step));
  return bytes;
}

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// RFC 3720, B.4: 32 bytes of zeros, of ones, ascending, descending, and an
// iSCSI read command. The RFC lists the CRC's bytes in the order sent, lowest
// first.
TEST(Crc32c, GivesTheAnswersOfRfc3720) {
  EXPECT_EQ(Crc32c(Bytes(32, 0, 0)), 0x8a9136aaU);
  EXPECT_EQ(Crc32c(Bytes(32, 0xff, 0)), 0x62a8ab43U);
  EXPECT_EQ(Crc32c(Bytes(32, 0, 1)), 0x46dd794eU);
  EXPECT_EQ(Crc32c(Bytes(32, 31, -1)), 0x113fdb5cU);
  std::vector<std::byte> command(48);
  for (const auto& [at, value] : std::vector<std::pair<int, int>>{{0, 0x01},
                                                                  {1, 0xc0},
                                                                  {16, 0x14},
                                                                  {22, 0x04},
                                                                  {27, 0x14},
                                                                  {31, 0x18},
                                                                  {32, 0x28},
                                                                  {40, 0x02}})
    command[at] = static_cast<std::byte>(value);
  EXPECT_EQ(Crc32c(command), 0xd9963a56U);
}

TEST(Crc32c, GivesTheCustomaryCheckValue) {
  EXPECT_EQ(Crc32c(AsBytes("123456789")), 0xe3069283U);
  EXPECT_EQ(Crc32c({}), 0U);
}

TEST(Crc32c, ContinuesFromAnyCut) {
  const std::vector<std::byte> bytes = Bytes(1000, 3, 7);
  const std::span<const std::byte> all(bytes);
  const std::uint32_t whole = Crc32c(all);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    ASSERT_EQ(Crc32c(all.subspan(cut), Crc32c(all.first(cut))), whole) << cut;
}

TEST(Crc32c, SeesEveryFlippedBit) {
  std::vector<std::byte> bytes = Bytes(64, 1, 5);
  const std::uint32_t before = Crc32c(bytes);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const std::byte mask{static_cast<unsigned char>(1 << (bit % 8))};
    bytes[bit / 8] ^= mask;
    ASSERT_NE(Crc32c(bytes), before) << bit;
    bytes[bit / 8] ^= mask;
  }
}

// FIPS 180-2, appendix B (the third: one million times "a"), and the empty one.
TEST(Sha256, GivesTheAnswersOfFips180) {
  EXPECT_EQ(Sha256Hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeOneHash) {
  Sha256 hash;
  hash.Update("ab");
  hash.Update("");
  hash.Update(AsBytes("c"));
  EXPECT_EQ(hash.HexDigest(), Sha256Hex("abc"));
}

}  // namespace
}  // namespace podsim
