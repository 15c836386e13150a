// Both ends of a ring in one process, and on two threads.
#include "interconnect/transport/shared/shared_ring.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "tests/interconnect/transport/test_pod.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kRingBytes = 1024;  // of the ring

// Zero bytes that begin at a line.
class Memory {
 public:
  explicit Memory(std::size_t ring_bytes)
      : lines_((RingMemoryBytes(ring_bytes) + kRingLine - 1) / kRingLine) {}
  std::span<std::byte> bytes() {
    return std::as_writable_bytes(std::span(lines_));
  }
  RingControl& control() {
    return *reinterpret_cast<RingControl*>(bytes().data());
  }
  std::byte* ring() { return bytes().data() + sizeof(RingControl); }

 private:
  struct alignas(kRingLine) Line {
    std::byte bytes[kRingLine] = {};
  };
  std::vector<Line> lines_;
};

HeaderBytes Header(std::uint64_t bytes, std::uint32_t chunk = 0) {
  return EncodeHeader({.frame = {.key = {.chunk = chunk}}, .bytes = bytes});
}

std::vector<std::byte> Joined(const Payload::Parts& parts) {
  std::vector<std::byte> all;
  for (const auto& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Frame `number`, copied into the ring or written there, by turns.
bool PutEitherWay(RingWriter& writer, std::uint32_t number,
                  std::span<const std::byte> bytes) {
  const HeaderBytes header = Header(bytes.size(), number);
  if (number % 2 == 0) return writer.Put(number, header, bytes);
  const std::optional<Places> places = writer.PlacesFor(bytes.size());
  if (!places) return false;
  std::size_t at = 0;
  for (const std::span<std::byte> place : *places) {
    if (at + place.size() < bytes.size()) EXPECT_EQ(place.size() % 64, 0);
    std::memcpy(place.data(), bytes.data() + at, place.size());
    at += place.size();
  }
  EXPECT_EQ(at, bytes.size());
  writer.Commit(number, header, bytes.size());
  return true;
}

TEST(SharedRing, AFrameComesOutAsItWasPut) {
  Memory memory(kRingBytes);
  RingWriter writer(memory.bytes());
  RingReader reader(memory.bytes());
  EXPECT_FALSE(reader.NextMark());
  const auto bytes = Pattern(1, 100);
  ASSERT_TRUE(writer.Put(7, Header(100), bytes));
  EXPECT_EQ(reader.NextMark(), 7);
  ASSERT_OK_AND_ASSIGN(const RingReader::Entry entry, reader.Take());
  EXPECT_EQ(entry.header, Header(100));
  EXPECT_EQ(Joined(entry.payload), bytes);
  EXPECT_FALSE(reader.NextMark());
}

// Sizes and orders at random, against a queue; every end of the ring is met.
TEST(SharedRing, FramesOfAllSizesGoAroundTheRing) {
  constexpr std::uint32_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  Memory memory(kRingBytes);
  RingWriter writer(memory.bytes());
  RingReader reader(memory.bytes());
  std::vector<RingReader::Entry> held;
  std::uint32_t put = 0;
  std::uint32_t taken = 0;
  int refused = 0;
  int wrapped = 0;
  while (taken < 5000) {
    const std::size_t size = random() % 400;
    if (PutEitherWay(writer, put, Pattern(put, size))) {
      ++put;
    } else {
      ++refused;
    }
    if (random() % 2 == 0 && reader.NextMark()) {
      ASSERT_EQ(reader.NextMark(), taken);
      ASSERT_OK_AND_ASSIGN(RingReader::Entry entry, reader.Take());
      ++taken;
      wrapped += entry.payload.size() == 2 ? 1 : 0;
      held.push_back(std::move(entry));
    }
    if (!held.empty() && random() % 2 == 0) {
      const std::size_t which = random() % held.size();
      ASSERT_OK_AND_ASSIGN(const WireHeader header,
                           DecodeHeader(held[which].header));
      ASSERT_EQ(Joined(held[which].payload),
                Pattern(header.frame.key.chunk, header.bytes));
      reader.GiveBack(held[which].number);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(wrapped, 0);
}

TEST(SharedRing, IsFullWhenItIsFullAndNotBefore) {
  Memory memory(kRingBytes);
  RingWriter writer(memory.bytes());
  RingReader reader(memory.bytes());
  const std::size_t most = kRingBytes - RingEntryBytes(0);
  EXPECT_FALSE(writer.Put(0, Header(0), Pattern(1, most + 1)));
  EXPECT_TRUE(writer.Put(0, Header(0), Pattern(1, most)));
  EXPECT_FALSE(writer.Put(0, Header(0), {}));
  ASSERT_OK_AND_ASSIGN(const auto entry, (reader.NextMark(), reader.Take()));
  EXPECT_FALSE(writer.Put(0, Header(0), {})) << "taken, and not given back";
  reader.GiveBack(entry.number);
  EXPECT_TRUE(writer.Put(0, Header(0), Pattern(2, most)));
}

TEST(SharedRing, OneWhoWaitsIsToldOnce) {
  Memory memory(kRingBytes);
  RingWriter writer(memory.bytes());
  RingReader reader(memory.bytes());
  EXPECT_FALSE(writer.TakeWaiting());
  reader.SetWaiting(true);
  EXPECT_TRUE(writer.TakeWaiting());
  EXPECT_FALSE(writer.TakeWaiting());
  reader.SetWaiting(true);
  reader.SetWaiting(false);
  EXPECT_FALSE(writer.TakeWaiting());
}

// What the other process writes is not believed.
TEST(SharedRing, LengthsThatCannotBeAreRefused) {
  for (const std::uint64_t length :
       {std::uint64_t{101}, std::uint64_t{kRingBytes}, std::uint64_t{1} << 40,
        ~std::uint64_t{0}, ~std::uint64_t{127}}) {
    SCOPED_TRACE(length);
    Memory memory(kRingBytes);
    RingWriter writer(memory.bytes());
    RingReader reader(memory.bytes());
    ASSERT_TRUE(writer.Put(0, Header(64), Pattern(1, 64)));
    std::memcpy(memory.ring(), &length, sizeof(length));
    ASSERT_TRUE(reader.NextMark());
    EXPECT_THAT(reader.Take(), StatusIs(absl::StatusCode::kDataLoss,
                                        HasSubstr("shared memory")));
  }
}

TEST(SharedRing, PositionsThatCannotBeAreRefused) {
  for (const std::uint64_t put :
       {std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{kRingBytes + 64},
        std::uint64_t{1} << 63}) {
    SCOPED_TRACE(put);
    Memory memory(kRingBytes);
    RingWriter writer(memory.bytes());
    RingReader reader(memory.bytes());
    memory.control().put = put;
    ASSERT_TRUE(reader.NextMark());
    EXPECT_THAT(reader.Take(), StatusIs(absl::StatusCode::kDataLoss,
                                        HasSubstr("shared memory")));
  }
}

TEST(SharedRing, AnEntryEndsWhereWhatWasPutEnds) {
  Memory memory(kRingBytes);
  RingWriter writer(memory.bytes());
  RingReader reader(memory.bytes());
  ASSERT_TRUE(writer.Put(0, Header(1), Pattern(1, 1)));
  memory.control().put = RingEntryBytes(0) + 1;  // the byte, and not its line
  ASSERT_TRUE(reader.NextMark());
  EXPECT_THAT(reader.Take(), StatusIs(absl::StatusCode::kDataLoss,
                                      HasSubstr("shared memory")));
}

TEST(SharedRing, RoomThatCannotBeIsNotUsed) {
  for (const std::uint64_t taken :
       {std::uint64_t{kRingBytes + 64}, std::uint64_t{1} << 63,
        ~std::uint64_t{0}}) {
    SCOPED_TRACE(taken);
    Memory memory(kRingBytes);
    RingWriter writer(memory.bytes());
    ASSERT_TRUE(writer.Put(0, Header(0), Pattern(1, kRingBytes - 128)));
    memory.control().taken = taken;
    EXPECT_FALSE(writer.Put(0, Header(0), {}));
  }
}

// One thread puts, the other takes, and sleeps as a host does.
TEST(SharedRing, NothingIsLostBetweenTwoThreads) {
  constexpr std::uint32_t kFrames = 20000;
  Memory memory(4096);
  std::atomic<std::uint32_t> bell = 0;
  std::jthread putter([&](const std::stop_token& stop) {
    RingWriter writer(memory.bytes());
    for (std::uint32_t i = 0; i < kFrames; ++i) {
      const auto bytes = Pattern(i, i % 700);
      while (!writer.Put(i, Header(bytes.size(), i), bytes)) {
        if (stop.stop_requested()) return;
        std::this_thread::yield();
      }
      if (writer.TakeWaiting()) {
        bell.store(1);
        bell.notify_one();
      }
    }
  });
  RingReader reader(memory.bytes());
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    while (!reader.NextMark()) {
      reader.SetWaiting(true);
      if (!reader.NextMark()) bell.wait(0);
      reader.SetWaiting(false);
      bell.store(0);
    }
    ASSERT_EQ(reader.NextMark(), i);
    ASSERT_OK_AND_ASSIGN(const RingReader::Entry entry, reader.Take());
    ASSERT_EQ(Joined(entry.payload), Pattern(i, i % 700));
    reader.GiveBack(entry.number);
  }
}

}  // namespace
}  // namespace podsim::testing
