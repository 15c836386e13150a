#include "host/input/idx.h"

#include <string>

#include "tests/host/input/idx_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BigEndianWords;
using ::podsim::testing::IdxImages;
using ::podsim::testing::IdxLabels;
using ::podsim::testing::IsOk;
using ::podsim::testing::Mutated;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kIdxFile[] = "/data/file";

TEST(Idx, ReadsImages) {
  ASSERT_OK_AND_ASSIGN(
      const IdxHeader header,
      ParseIdx(IdxKind::kImages, IdxImages(3, 2, 5), kIdxFile));
  EXPECT_EQ(header.count, 3);
  EXPECT_EQ(header.rows, 2);
  EXPECT_EQ(header.columns, 5);
  EXPECT_EQ(header.header_bytes, 16);
  EXPECT_EQ(header.payload_bytes(), 30);
}

TEST(Idx, ReadsLabels) {
  ASSERT_OK_AND_ASSIGN(const IdxHeader header,
                       ParseIdx(IdxKind::kLabels, IdxLabels(3, 2), kIdxFile));
  EXPECT_EQ(header.count, 3);
  EXPECT_EQ(header.header_bytes, 8);
  EXPECT_EQ(header.payload_bytes(), 3);
}

struct BadIdx {
  std::string name;
  IdxKind kind;
  std::string bytes;
  std::string offset;
  std::string reason;
};

class RefusedIdx : public ::testing::TestWithParam<BadIdx> {};

TEST_P(RefusedIdx, NamesFileOffsetAndReason) {
  const BadIdx& bad = GetParam();
  EXPECT_THAT(ParseIdx(bad.kind, bad.bytes, kIdxFile),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr(kIdxFile),
                             HasSubstr("offset " + bad.offset + ":"),
                             HasSubstr(bad.reason))));
}

INSTANTIATE_TEST_SUITE_P(
    Files, RefusedIdx,
    ::testing::Values(
        BadIdx{"Empty", IdxKind::kImages, "", "0", "inside its header"},
        BadIdx{"HeaderCut", IdxKind::kImages, IdxImages(1, 1, 1).substr(0, 15),
               "15", "inside its header of 16 bytes"},
        BadIdx{
            "LabelsForImages", IdxKind::kImages, IdxLabels(100, 10), "0",
            "0x00000801, must be 0x00000803 for images; it holds labels: the "
            "two files seem to have each other's names"},
        BadIdx{
            "ImagesForLabels", IdxKind::kLabels, IdxImages(1, 1, 1), "0",
            "0x00000803, must be 0x00000801 for labels; it holds images: the "
            "two files seem to have each other's names"},
        BadIdx{"WebPage", IdxKind::kLabels, "<html>404 Not Found</html>", "0",
               "it begins with \"<htm\", as a web page does: fetch the file "
               "again"},
        BadIdx{"Packed", IdxKind::kLabels, "\x1f\x8b\x08 and so on", "0",
               "give it a name that ends with .gz"},
        BadIdx{"NoImages", IdxKind::kImages, IdxImages(0, 2, 2), "4",
               "the count is 0, must be 1 to"},
        BadIdx{"NoRows", IdxKind::kImages, IdxImages(1, 0, 2), "8",
               "the row count is 0"},
        BadIdx{"WideImage", IdxKind::kImages,
               BigEndianWords({0x803, 1, 1, 5000}), "12",
               "the column count is 5000, must be 1 to 4096"},
        BadIdx{"HugeCount", IdxKind::kLabels,
               BigEndianWords({0x801, 0xFFFFFFFF}), "4", "4294967295"},
        BadIdx{"HugeInAll", IdxKind::kImages,
               BigEndianWords({0x803, 1'000'000'000, 4096, 4096}), "4",
               "the most supported"},
        BadIdx{"PayloadCut", IdxKind::kImages, IdxImages(2, 3, 3).substr(0, 33),
               "33", "promises 34 bytes"},
        BadIdx{"Trailing", IdxKind::kLabels, IdxLabels(4, 2) + "xyz", "12",
               "3 bytes more"}),
    [](const auto& info) { return info.param.name; });

TEST(Idx, EveryCutIsRefused) {
  const std::string images = IdxImages(3, 4, 5);
  for (std::size_t length = 0; length < images.size(); ++length)
    EXPECT_THAT(ParseIdx(IdxKind::kImages, images.substr(0, length), kIdxFile),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("offset " + std::to_string(length) + ":")));
  const std::string labels = IdxLabels(20, 3);
  for (std::size_t length = 0; length < labels.size(); ++length)
    EXPECT_THAT(ParseIdx(IdxKind::kLabels, labels.substr(0, length), kIdxFile),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("offset " + std::to_string(length) + ":")));
}

TEST(Idx, MutationsAreRefusedOrConsistent) {
  constexpr std::uint64_t kSeed = 20240611;
  RecordProperty("seed", static_cast<int>(kSeed));
  const std::string original = IdxImages(3, 4, 5);
  int refused = 0;
  int accepted = 0;
  for (std::uint64_t round = 0; round < 20'000; ++round) {
    const std::string bytes = Mutated(original, kSeed, round);
    const auto header = ParseIdx(IdxKind::kImages, bytes, kIdxFile);
    if (!header.ok()) {
      ASSERT_THAT(header,
                  StatusIs(absl::StatusCode::kDataLoss, HasSubstr(kIdxFile)));
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_EQ(header->file_bytes(), bytes.size()) << "round " << round;
  }
  // Changed pixels are still a valid file; everything else is not.
  EXPECT_GT(refused, 1000);
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace podsim
