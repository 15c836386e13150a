// Unpacking from the middle of a file: the same bytes, and damage is seen.
#include "host/input/span_reader.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/packed_source.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/host/storage/counting_store.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::CountingStore;
using ::podsim::testing::Deflated;
using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::kGzipBits;
using ::podsim::testing::kZlibBits;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr unsigned kTextSeed = 11;
constexpr std::int64_t kReadBytes = 16 << 10;

// Words that come again, numbers, and noise, in turn.
std::string WordsAndNoise(std::size_t size) {
  std::mt19937 random(kTextSeed);
  std::string text;
  for (int i = 0; text.size() < size; ++i) {
    absl::StrAppend(&text, "example ", random() % 1000, ",", i, "\n");
    if (i % 3000 == 0)
      for (int n = 0; n < 20'000; ++n) text += static_cast<char>(random());
  }
  text.resize(size);
  return text;
}

struct Packer {
  std::string name;
  std::string (*pack)(const std::string& text);
  std::size_t least_spans;
};

std::string Members(const std::string& text, std::size_t size, int level) {
  std::string packed;
  for (std::size_t at = 0; at < text.size(); at += size)
    packed += Deflated(text.substr(at, size), level, kGzipBits);
  return packed;
}

const std::vector<Packer>& Packers() {
  static const std::vector<Packer> kAll = {
      {"stored",
       [](const std::string& text) { return Deflated(text, 0, kGzipBits); },
       15},
      {"fast",
       [](const std::string& text) { return Deflated(text, 1, kGzipBits); },
       15},
      {"best",
       [](const std::string& text) { return Deflated(text, 9, kGzipBits); },
       10},
      {"zlib",
       [](const std::string& text) { return Deflated(text, 6, kZlibBits); },
       10},
      // Each is a span, or some are; one ends where a span would begin.
      {"members",
       [](const std::string& text) { return Members(text, 700'000, 6); }, 10},
      {"small_members",
       [](const std::string& text) { return Members(text, 9'999, 6); }, 15},
      {"empty_members",
       [](const std::string& text) {
         const std::string none = Deflated("", 6, kGzipBits);
         return none + Members(text, 300'000, 1) + none + none;
       },
       10},
      {"nothing", [](const std::string&) { return Deflated("", 6, kGzipBits); },
       1},
  };
  return kAll;
}

class Spans : public ::testing::TestWithParam<Packer> {
 protected:
  void SetUp() override {
    text_ = GetParam().name == "nothing" ? "" : WordsAndNoise(3 << 20);
    packed_ = GetParam().pack(text_);
    file_ = {.path = "/f", .bytes = static_cast<std::int64_t>(packed_.size())};
    ASSERT_THAT(memory_->Write("/f", packed_), IsOk());
    points_.span_bytes = 128 << 10;
    PackedSource source(file_, *memory_, 1 << 20, &points_);
    ASSERT_THAT(source.Skip(std::int64_t{1} << 40), IsOk());
    ASSERT_EQ(points_.end, static_cast<std::int64_t>(text_.size()));
    spans_ = {.points = points_.points,
              .windows = points_.windows,
              .end = points_.end};
    ASSERT_TRUE(spans_.valid());
  }

  PackedSpan SpanNumber(std::size_t i) const {
    return spans_.Span(i, file_.bytes);
  }
  std::string PartOf(const PackedSpan& span) const {
    return text_.substr(static_cast<std::size_t>(span.begin),
                        static_cast<std::size_t>(span.end - span.begin));
  }
  absl::StatusOr<std::string> ReadSpan(const PackedSpan& span,
                                       std::int64_t pieces,
                                       ObjectStore& store) const {
    SpanReader reader(file_, span, store, kReadBytes);
    std::string all;
    while (!reader.ended()) {
      EXPECT_EQ(reader.offset(),
                span.begin + static_cast<std::int64_t>(all.size()));
      PODSIM_ASSIGN_OR_RETURN(const std::string some, reader.Next(pieces));
      all += some;
    }
    return all;
  }

  const std::unique_ptr<ObjectStore> memory_ = NewMemoryStore();
  std::string text_;
  std::string packed_;
  ShardFile file_;
  RestartPoints points_;
  PackedSpans spans_;
};

TEST_P(Spans, HaveTheBytesOfTheFileAndReadNoOthers) {
  EXPECT_GE(spans_.points.size(), GetParam().least_spans);
  for (std::size_t i = 0; i < spans_.points.size(); ++i) {
    const PackedSpan span = SpanNumber(i);
    const std::int64_t packed = span.packed_end - span.packed + 1;
    for (const std::int64_t pieces : {1 << 10, 100'000, 1 << 30}) {
      CountingStore store(memory_.get());
      ASSERT_OK_AND_ASSIGN(const std::string read,
                           ReadSpan(span, pieces, store));
      ASSERT_TRUE(read == PartOf(span)) << i;
      if (span.begin == span.end) continue;
      EXPECT_GE(store.first(), span.packed - (span.bits > 0 ? 1 : 0));
      EXPECT_LE(store.end(), span.packed_end);
      EXPECT_LE(store.read, packed);
      EXPECT_LE(store.calls, (packed + kReadBytes - 1) / kReadBytes);
    }
  }
}

// Deflate has no checksum: whatever is flipped, bytes are right or refused.
TEST_P(Spans, OfADamagedFileAreRightOrRefused) {
  std::mt19937 random(kTextSeed);
  int refused = 0;
  for (int flip = 0; flip < 15; ++flip) {
    std::string bad = packed_;
    char& byte = bad[random() % bad.size()];
    byte = static_cast<char>(byte ^ static_cast<char>(1U << random() % 8));
    ASSERT_THAT(memory_->Write("/f", bad), IsOk());
    for (std::size_t i = 0; i < spans_.points.size(); ++i) {
      const auto read = ReadSpan(SpanNumber(i), 100'000, *memory_);
      if (read.ok()) {
        ASSERT_TRUE(*read == PartOf(SpanNumber(i)));
        continue;
      }
      EXPECT_THAT(read, StatusIs(kDataLoss, HasSubstr("/f: offset ")));
      ++refused;
    }
  }
  EXPECT_GE(refused, text_.empty() ? 0 : 8);
}

TEST_P(Spans, OfAFileCutShortAreRefused) {
  ASSERT_THAT(memory_->Write("/f", packed_.substr(0, packed_.size() / 2)),
              IsOk());
  if (text_.empty()) return;
  const std::size_t last = spans_.points.size() - 1;
  EXPECT_THAT(ReadSpan(SpanNumber(last), 1 << 20, *memory_),
              StatusIs(kDataLoss, AllOf(HasSubstr("/f: offset "),
                                        HasSubstr("cut short"))));
}

INSTANTIATE_TEST_SUITE_P(Packers, Spans, ::testing::ValuesIn(Packers()),
                         [](const auto& info) { return info.param.name; });

class WrongIndex : public Spans {};

TEST_P(WrongIndex, IsRefusedWithFileAndOffset) {
  PackedSpan span = SpanNumber(3);
  span.crc ^= 1;
  EXPECT_THAT(
      ReadSpan(span, 1 << 20, *memory_),
      StatusIs(kDataLoss,
               absl::StrCat("/f: offset ", span.begin, ": the checksum of the ",
                            span.end - span.begin,
                            " unpacked bytes from here is not the "
                            "index's: the file is damaged, or has been "
                            "changed since it was indexed")));
  span = SpanNumber(3);
  span.window = span.window.substr(0, span.window.size() / 2);
  EXPECT_THAT(ReadSpan(span, 1 << 20, *memory_),
              StatusIs(kDataLoss, HasSubstr("its index is damaged here")));
  span = SpanNumber(spans_.points.size() - 1);
  span.end += 5;
  EXPECT_THAT(ReadSpan(span, 1 << 20, *memory_),
              StatusIs(kDataLoss,
                       absl::StrCat("/f: offset ", text_.size(),
                                    ": the unpacked bytes end here, but went "
                                    "on to ",
                                    text_.size() + 5,
                                    " when the file was indexed: it is "
                                    "damaged, or has been changed since")));
}

INSTANTIATE_TEST_SUITE_P(Packers, WrongIndex,
                         ::testing::Values(Packers()[1], Packers()[3]),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace podsim
