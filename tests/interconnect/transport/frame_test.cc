#include "interconnect/transport/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/hash.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kFrameGeneration = 6;

WireHeader Example(std::span<const std::byte> payload) {
  return {.kind = FrameKind::kData,
          .frame = {.from = 3,
                    .to = 255,
                    .lane = Lane::kExpress,
                    .key = {.generation = kFrameGeneration,
                            .group = 0xA1B2C3D4,
                            .sequence = 0x1122334455667788,
                            .chunk = 42}},
          .bytes = payload.size(),
          .payload_crc = Crc32c(payload),
          .pod_tag = PodTag("token")};
}

std::vector<std::byte> HeadAndPayload(const WireHeader& header,
                                      std::span<const std::byte> payload) {
  const HeaderBytes head = EncodeHeader(header);
  std::vector<std::byte> bytes(head.size() + payload.size());
  std::ranges::copy(head, bytes.begin());
  std::ranges::copy(payload, bytes.begin() + head.size());
  return bytes;
}

// All checks that a receiver makes, on a frame cut into parts at `cut`.
absl::Status Receive(std::span<const std::byte> frame, std::size_t cut = 0) {
  Payload::Parts parts = {frame.first(cut), frame.subspan(cut)};
  const auto header = TakeHeader(parts);
  if (!header.ok()) return header.status();
  if (const auto origin =
          VerifyOrigin(*header, PodTag("token"), kFrameGeneration);
      !origin.ok()) {
    return origin;
  }
  return VerifyPayload(*header, parts);
}

std::vector<std::byte> SmallPayload() {
  return {std::byte{1}, std::byte{2}, std::byte{250}, std::byte{0},
          std::byte{7}};
}

std::vector<std::byte> PayloadOf(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(i * 37 + 11);
  }
  return bytes;
}

TEST(Frame, EveryFieldSurvives) {
  const auto payload = SmallPayload();
  const WireHeader sent = Example(payload);
  ASSERT_OK_AND_ASSIGN(const WireHeader got, DecodeHeader(EncodeHeader(sent)));
  EXPECT_EQ(got.kind, sent.kind);
  EXPECT_EQ(got.frame.from, 3);
  EXPECT_EQ(got.frame.to, 255);
  EXPECT_EQ(got.frame.lane, Lane::kExpress);
  EXPECT_EQ(got.frame.key, sent.frame.key);
  EXPECT_EQ(got.bytes, payload.size());
  EXPECT_EQ(got.payload_crc, sent.payload_crc);
  EXPECT_EQ(got.pod_tag, sent.pod_tag);
}

// The bytes on the wire, spelled out once, so that a change of the format
// cannot go unnoticed.
TEST(Frame, LayoutIsFixed) {
  const HeaderBytes bytes = EncodeHeader(Example({}));
  EXPECT_EQ(static_cast<char>(bytes[0]), 'P');
  EXPECT_EQ(static_cast<char>(bytes[3]), 'I');
  EXPECT_EQ(bytes[4], std::byte{1});     // version
  EXPECT_EQ(bytes[7], std::byte{1});     // lane
  EXPECT_EQ(bytes[8], std::byte{3});     // from
  EXPECT_EQ(bytes[12], std::byte{255});  // to
  EXPECT_EQ(bytes[16], std::byte{kFrameGeneration});
  EXPECT_EQ(bytes[20], std::byte{0xD4});  // group, little-endian
  EXPECT_EQ(bytes[24], std::byte{0x88});  // sequence
  EXPECT_EQ(bytes[32], std::byte{42});    // chunk
}

// The frame comes in two parts, cut elsewhere each time.
TEST(Frame, EverySingleFlippedBitIsFound) {
  for (const std::size_t size : {0, 1, 5, 63, 64, 65, 1001}) {
    const auto payload = PayloadOf(size);
    auto frame = HeadAndPayload(Example(payload), payload);
    ASSERT_THAT(Receive(frame), IsOk());
    for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
      const std::byte mask = std::byte{1} << bit % 8;
      frame[bit / 8] ^= mask;
      EXPECT_FALSE(Receive(frame, bit * 7 % frame.size()).ok())
          << "bit " << bit << " of a frame with " << size << " bytes";
      frame[bit / 8] ^= mask;
    }
  }
}

TEST(Frame, HeaderMayStraddleParts) {
  const auto payload = SmallPayload();
  const auto frame = HeadAndPayload(Example(payload), payload);
  for (std::size_t cut = 0; cut <= frame.size(); ++cut) {
    EXPECT_THAT(Receive(frame, cut), IsOk()) << cut;
  }
}

TEST(Frame, EveryTruncationIsFound) {
  const auto payload = SmallPayload();
  const auto frame = HeadAndPayload(Example(payload), payload);
  for (std::size_t length = 0; length < frame.size(); ++length) {
    EXPECT_THAT(Receive(std::span(frame).first(length)),
                StatusIs(absl::StatusCode::kDataLoss, ::testing::_))
        << length;
  }
}

TEST(Frame, EachKindOfDamageHasItsWords) {
  const auto payload = SmallPayload();
  const auto frame = HeadAndPayload(Example(payload), payload);
  const auto damage = [&frame](std::size_t at) {
    auto damaged = frame;
    damaged[at] ^= std::byte{4};
    return Receive(damaged);
  };
  using absl::StatusCode;
  EXPECT_THAT(damage(0), StatusIs(StatusCode::kDataLoss, HasSubstr("magic")));
  EXPECT_THAT(damage(4), StatusIs(StatusCode::kFailedPrecondition,
                                  HasSubstr("version 5")));
  EXPECT_THAT(damage(20),
              StatusIs(StatusCode::kDataLoss, HasSubstr("header damaged")));
  EXPECT_THAT(damage(66),
              StatusIs(StatusCode::kDataLoss, HasSubstr("payload damaged")));
  EXPECT_THAT(Receive(std::span(frame).first(10)),
              StatusIs(StatusCode::kDataLoss, HasSubstr("10 of 64")));
  EXPECT_THAT(Receive(std::span(frame).first(66)),
              StatusIs(StatusCode::kDataLoss, HasSubstr("2 bytes")));
}

TEST(Frame, ForeignPodsAndOtherGenerationsAreRefused) {
  const auto payload = SmallPayload();
  WireHeader header = Example(payload);
  header.pod_tag = PodTag("another token");
  EXPECT_THAT(
      Receive(HeadAndPayload(header, payload)),
      StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("another pod")));
  header = Example(payload);
  header.frame.key.generation = kFrameGeneration - 1;
  EXPECT_THAT(Receive(HeadAndPayload(header, payload)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("generation 5, the pod is in generation 6")));
}

TEST(Frame, UnknownKindsAreRefused) {
  WireHeader header = Example({});
  header.kind = static_cast<FrameKind>(9);
  EXPECT_THAT(DecodeHeader(EncodeHeader(header)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("kind 9")));
}

TEST(Frame, PodTagsDifferAndStay) {
  const std::set<std::uint64_t> tags = {PodTag(""), PodTag("a"), PodTag("b"),
                                        PodTag("ab")};
  EXPECT_EQ(tags.size(), 4);
  EXPECT_EQ(PodTag("a"), PodTag("a"));
}

}  // namespace
}  // namespace podsim::testing
