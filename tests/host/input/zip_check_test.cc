// Archives whose members are not what they seem.
#include "host/input/zip_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/input/zip.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kZipDamaged = absl::StatusCode::kDataLoss;

std::string Little(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

// A member without bytes: CRC 0, nothing packed.
std::string LocalHeader(const std::string& name) {
  return "PK\x03\x04" + std::string(22, '\0') +
         Little(static_cast<std::uint32_t>(name.size()), 4) + name;
}

std::string EntryOf(const std::string& name, std::size_t local) {
  return "PK\x01\x02" + std::string(24, '\0') +
         Little(static_cast<std::uint32_t>(name.size()), 2) +
         std::string(12, '\0') + Little(static_cast<std::uint32_t>(local), 4) +
         name;
}

struct Entry {
  std::string name;
  std::size_t local;
};

std::string Archive(const std::string& members,
                    const std::vector<Entry>& entries) {
  std::string directory;
  for (const Entry& entry : entries)
    directory += EntryOf(entry.name, entry.local);
  const auto count = static_cast<std::uint32_t>(entries.size());
  return members + directory + "PK\x05\x06" + std::string(4, '\0') +
         Little(count, 2) + Little(count, 2) +
         Little(static_cast<std::uint32_t>(directory.size()), 4) +
         Little(static_cast<std::uint32_t>(members.size()), 4) +
         std::string(2, '\0');
}

TEST(ZipCheckTest, MembersInAnyOrderWithBytesOfTheirOwnPass) {
  const std::string members = LocalHeader("x.npy") + LocalHeader("y.npy");
  EXPECT_THAT(
      ReadZipDirectory(Archive(members, {{"y.npy", 35}, {"x.npy", 0}}), "a.npz")
          .status(),
      IsOk());
}

TEST(ZipCheckTest, TwoMembersOfOneNameAreRefused) {
  const std::string members = LocalHeader("x.npy") + LocalHeader("x.npy");
  EXPECT_THAT(
      ReadZipDirectory(Archive(members, {{"x.npy", 0}, {"x.npy", 35}}),
                       "a.npz"),
      StatusIs(kZipDamaged, HasSubstr("a.npz: offset 35: two members are "
                                      "called x.npy, the other at offset 0")));
}

TEST(ZipCheckTest, TwoMembersOfTheSameBytesAreRefused) {
  EXPECT_THAT(
      ReadZipDirectory(
          Archive(LocalHeader("x.npy"), {{"x.npy", 0}, {"y.npy", 0}}), "a.npz"),
      StatusIs(kZipDamaged, HasSubstr("x.npy and member y.npy overlap")));
}

// As a bomb does it: the bytes of each member hold the next one's header.
TEST(ZipCheckTest, AMemberWithinAnotherIsRefused) {
  const std::vector<ZipMember> nested = {
      {.name = "a.npy", .header = 0, .offset = 35, .packed = 100},
      {.name = "c.npy", .header = 200, .offset = 235, .packed = 10},
      {.name = "b.npy", .header = 134, .offset = 169, .packed = 10}};
  EXPECT_THAT(CheckZipMembers(nested, 245, "a.npz"),
              StatusIs(kZipDamaged,
                       HasSubstr("a.npz: offset 134: member a.npy and member "
                                 "b.npy overlap; write the archive again")));
}

TEST(ZipCheckTest, AMemberWithinTheDirectoryIsRefused) {
  const std::vector<ZipMember> one = {
      {.name = "a.npy", .header = 0, .offset = 35, .packed = 100}};
  EXPECT_THAT(CheckZipMembers(one, 135, "a.npz"), IsOk());
  EXPECT_THAT(
      CheckZipMembers(one, 134, "a.npz"),
      StatusIs(kZipDamaged,
               HasSubstr("member a.npy and the archive's directory overlap")));
}

}  // namespace
}  // namespace podsim
