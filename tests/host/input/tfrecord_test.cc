// Framing and tf.train.Example: what an independent writer made, and damage.
#include "host/input/tfrecord.h"

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "host/input/dataset.h"
#include "host/input/tf_example.h"
#include "host/storage/storage.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TfRecord, MasksAsTheFormatSays) {
  // CRC32C("123456789") is 0xe3069283; rotated right by 15, plus 0xa282ead8.
  constexpr std::uint32_t kCrc = 0xe3069283U;
  EXPECT_EQ(
      MaskedCrc("123456789"),
      static_cast<std::uint32_t>(((kCrc >> 15) | (kCrc << 17)) + 0xa282ead8U));
}

TEST(TfRecord, ReadsWhatItFrames) {
  for (const std::size_t size : {0, 1, 7, 4096}) {
    const std::string record(size, 'x');
    const std::string framed = FrameRecord(record);
    ASSERT_EQ(framed.size(), size + kRecordHeader + kRecordFooter);
    ASSERT_OK_AND_ASSIGN(const std::string_view read,
                         CheckRecord(framed, 0, "f"));
    EXPECT_EQ(read, record);
  }
}

TEST(TfRecord, SeesEveryFlippedBitAndEveryCut) {
  const std::string framed = FrameRecord("abcdefgh");
  for (std::size_t bit = 0; bit < 8 * framed.size(); ++bit) {
    std::string bad = framed;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    ASSERT_THAT(CheckRecord(bad, 100, "dir/f"),
                StatusIs(kDataLoss, HasSubstr("dir/f: offset 100: ")))
        << bit;
  }
  for (std::size_t size = 0; size < framed.size(); ++size)
    ASSERT_THAT(CheckRecord(framed.substr(0, size), 100, "dir/f"),
                StatusIs(kDataLoss, HasSubstr("cut short")))
        << size;
}

std::string Unhex(const char* hex) { return absl::HexStringToBytes(hex); }

// Written out by hand: an int64_list of 1 and 300, packed and not.
TEST(TfExample, ReadsPackedAndUnpackedNumbers) {
  // features { feature { key: "a" value { int64_list { 1, 300 } } } }
  const std::string packed = Unhex("0a0e0a0c0a016112071a050a0301ac02");
  const std::string single = Unhex("0a0e0a0c0a016112071a05080108ac02");
  for (const std::string& bytes : {packed, single}) {
    const std::vector<std::string> names = {"b", "a"};
    std::array<FeatureView, 2> found;
    ASSERT_THAT(FindFeatures(bytes, names, absl::MakeSpan(found)), IsOk());
    EXPECT_EQ(found[0].kind, FeatureKind::kAbsent);
    ASSERT_EQ(found[1].kind, FeatureKind::kInts);
    std::vector<std::int64_t> values(2);
    ASSERT_OK_AND_ASSIGN(const std::int64_t count,
                         ReadInts(found[1].list, absl::MakeSpan(values)));
    EXPECT_EQ(count, 2);
    EXPECT_THAT(values, ElementsAre(1, 300));
    // Less room than values: counted, not written.
    values.assign(1, 0);
    ASSERT_OK_AND_ASSIGN(const std::int64_t all,
                         ReadInts(found[1].list, absl::MakeSpan(values)));
    EXPECT_EQ(all, 2);
    EXPECT_THAT(values, ElementsAre(1));
  }
}

TEST(TfExample, ReadsPackedAndUnpackedFloats) {
  for (const char* hex : {"0a080000803f000000c0", "0d0000803f0d000000c0"}) {
    std::vector<float> values(2);
    ASSERT_OK_AND_ASSIGN(const std::int64_t count,
                         ReadFloats(Unhex(hex), absl::MakeSpan(values)));
    EXPECT_EQ(count, 2);
    EXPECT_THAT(values, ElementsAre(1.0F, -2.0F));
  }
  std::vector<float> values(2);
  EXPECT_THAT(ReadFloats(Unhex("0a0300000000"), absl::MakeSpan(values)),
              StatusIs(kDataLoss, HasSubstr("")));
}

TEST(TfExample, SaysWhereARecordIsNone) {
  const std::vector<std::string> names = {"a"};
  std::array<FeatureView, 1> found;
  const auto refused = [&](const char* hex, const char* why) {
    const std::string bytes = Unhex(hex);
    EXPECT_THAT(FindFeatures(bytes, names, absl::MakeSpan(found)),
                StatusIs(kDataLoss, AllOf(HasSubstr("of the record is no "
                                                    "tf.train.Example's"),
                                          HasSubstr(why))))
        << hex;
  };
  refused("0aff", "a number does not end");
  refused("0a05", "a field of 5 bytes, but 0 are left");
  refused("0801", "its features are no message");
  refused("0b", "wire type 3");
  refused("02", "the number 0");
  refused("0a020801", "no entry of a map");
  refused("0a040a020801", "a feature's name or value is a number");
}

// Whatever the bytes are: views within them, or an error.
TEST(TfExample, RandomDamageIsReadOrRefused) {
  ExampleWriter writer;
  writer.AddBytes("image", std::string(50, 'p'));
  writer.AddFloats("a", std::vector<float>{1, 2, 3});
  writer.AddInts("b", std::vector<std::int64_t>{-1, 300});
  const std::string whole = std::move(writer).Finish();
  const std::vector<std::string> names = {"image", "a", "b"};
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  int refused = 0;
  for (int run = 0; run < 5000; ++run) {
    std::string bytes = whole;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    std::array<FeatureView, 3> found;
    const absl::Status status =
        FindFeatures(bytes, names, absl::MakeSpan(found));
    if (!status.ok()) {
      ASSERT_EQ(status.code(), kDataLoss);
      ++refused;
      continue;
    }
    for (const FeatureView& view : found) {
      if (view.kind == FeatureKind::kAbsent) continue;
      ASSERT_GE(view.list.data(), bytes.data());
      ASSERT_LE(view.list.data() + view.list.size(),
                bytes.data() + bytes.size());
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 4900);
}

// What other libraries wrote (tests/golden/data/make.py).
TEST(Golden, TfRecordsOfAnotherWriter) {
  const auto store = NewLocalStore();
  for (const char* folder : {"tfrecord", "tfrecord_gzip", "tfrecord_zlib"}) {
    SCOPED_TRACE(folder);
    ASSERT_OK_AND_ASSIGN(
        const auto dataset,
        OpenDataset({.name = "tfrecord",
                     .data_dir = absl::StrCat(PODSIM_GOLDEN_DATA, "/", folder),
                     .classes = 10,
                     .features = "features=image_raw:uint8[2,3]/2,labels=label:"
                                 "int64,weights=float32[3],ids=int64[2]"},
                    *store));
    ASSERT_EQ(dataset->size(Split::kTrain), 12);
    ASSERT_EQ(dataset->size(Split::kEval), 3);
    for (const auto& [split, first] :
         {std::pair(Split::kTrain, 0), {Split::kEval, 100}})
      for (std::int64_t i = 0; i < dataset->size(split); ++i) {
        const std::int64_t n = first + i;
        std::vector<float> image(6);
        std::int32_t label = -1;
        std::vector<float> weights(3);
        std::vector<std::int32_t> ids(2);
        const std::vector<std::span<std::byte>> rows = {
            std::as_writable_bytes(std::span(image)),
            std::as_writable_bytes(std::span(&label, 1)),
            std::as_writable_bytes(std::span(weights)),
            std::as_writable_bytes(std::span(ids))};
        ASSERT_THAT(dataset->Read(split, i, {}, rows), IsOk());
        for (int p = 0; p < 6; ++p)
          EXPECT_EQ(image[p], static_cast<float>((n + p) % 256) / 2);
        EXPECT_EQ(label, n % 10);
        EXPECT_THAT(weights, ElementsAre(static_cast<float>(n) + 0.5F,
                                         static_cast<float>(-n), 1e-3F));
        EXPECT_THAT(ids, ElementsAre(-n, 2147483647 - n));
      }
  }
}

}  // namespace
}  // namespace podsim
