// One bit flipped anywhere in a message is noticed by whoever reads it. The
// messages are those of the streams, cut into slices at odd places.
#include "interconnect/transport/grpc/grpc_wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/status.h"
#include "base/units.h"
#include "tests/interconnect/transport/test_pod.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

// Messages up to this long have every bit flipped in turn.
constexpr std::size_t kWhollyFlipped = 2 * kKiB;
// Of longer ones every bit of the header, and this many bits behind it.
constexpr int kSampledBits = 300;
constexpr std::uint32_t kSeed = 20261121;

PodIdentity Identity() {
  return {.pod_tag = PodTag("token"), .generation = kGeneration};
}

WireHeader DataHeader(std::span<const std::byte> payload) {
  return {.frame = {.from = 3,
                    .to = 1,
                    .lane = Lane::kExpress,
                    .key = {.generation = kGeneration,
                            .group = kGroup,
                            .sequence = 412,
                            .chunk = 7}},
          .bytes = payload.size(),
          .payload_crc = Crc32c(payload),
          .pod_tag = Identity().pod_tag};
}

std::vector<std::byte> BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<std::byte> bytes;
  const absl::StatusOr<Message> message = OpenMessage(buffer);
  EXPECT_THAT(message, IsOk());
  for (const auto& part : message->parts) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

// The same bytes in slices that point to them.
grpc::ByteBuffer CutAtOddPlaces(const std::vector<std::byte>& bytes,
                                std::mt19937& random) {
  std::vector<grpc::Slice> slices;
  const std::size_t longest = std::max<std::size_t>(bytes.size() / 4, 50);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length =
        std::min<std::size_t>(1 + random() % longest, bytes.size() - at);
    slices.emplace_back(bytes.data() + at, length, grpc::Slice::STATIC_SLICE);
    at += length;
  }
  return {slices.data(), slices.size()};
}

// What a stream does with what it reads.
absl::Status Read(const grpc::ByteBuffer& buffer) {
  PODSIM_ASSIGN_OR_RETURN(Message message, OpenMessage(buffer));
  PODSIM_ASSIGN_OR_RETURN(const WireHeader header, TakeHeader(message.parts));
  PODSIM_RETURN_IF_ERROR(
      VerifyOrigin(header, Identity().pod_tag, Identity().generation));
  if (header.kind != FrameKind::kData) return absl::OkStatus();
  return VerifyPayload(header, message.parts);
}

std::vector<std::size_t> BitsToFlip(std::size_t bytes, std::mt19937& random) {
  const std::size_t whole = bytes <= kWhollyFlipped ? bytes : kFrameHeaderBytes;
  std::vector<std::size_t> bits(8 * whole);
  for (std::size_t bit = 0; bit < bits.size(); ++bit) bits[bit] = bit;
  if (whole < bytes) {
    bits.push_back(8 * bytes - 1);
    for (int i = 0; i < kSampledBits; ++i) {
      bits.push_back(8 * whole + random() % (8 * (bytes - whole)));
    }
  }
  return bits;
}

void ExpectEveryFlipIsNoticed(const grpc::ByteBuffer& message) {
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::vector<std::byte> bytes = BytesOf(message);
  ASSERT_THAT(Read(CutAtOddPlaces(bytes, random)), IsOk());
  for (const std::size_t bit : BitsToFlip(bytes.size(), random)) {
    const std::byte mask = std::byte{1} << bit % 8;
    bytes[bit / 8] ^= mask;
    ASSERT_FALSE(Read(CutAtOddPlaces(bytes, random)).ok()) << "bit " << bit;
    bytes[bit / 8] ^= mask;
  }
}

class DataMessage : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Bytes, DataMessage,
                         ::testing::Values(0, 1, 3, 64, 1001,
                                           kCopiedPayloadBytes,
                                           kCopiedPayloadBytes + 1, kMiB));

TEST_P(DataMessage, EveryFlippedBitIsNoticed) {
  const std::vector<std::byte> payload = Pattern(5, GetParam());
  const HeaderBytes header = EncodeHeader(DataHeader(payload));
  if (payload.size() <= kCopiedPayloadBytes) {
    ExpectEveryFlipIsNoticed(MakeMessage(header, payload));
  }
  if (!payload.empty()) {
    ExpectEveryFlipIsNoticed(
        MakeMessage(header, payload, std::make_shared<Loan>()));
  }
}

TEST(CreditMessage, EveryFlippedBitIsNoticed) {
  const Route route = {.from = 3, .to = 1};
  for (const FrameKind kind :
       {FrameKind::kCredit, FrameKind::kCreditRequest, FrameKind::kWake}) {
    ExpectEveryFlipIsNoticed(
        MakeMessage(HeaderOf(kind, route, 65536, Identity())));
  }
}

}  // namespace
}  // namespace podsim::testing
