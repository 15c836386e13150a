// Formats other than TFRecord, of files that other libraries wrote
// (tests/golden/data/make.py), and damaged ones.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/dataset.h"
#include "host/input/fields.h"
#include "host/input/image_file.h"
#include "host/input/image_steps.h"
#include "host/input/stream.h"
#include "host/input/zip.h"
#include "host/storage/wrapper.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Golden(const std::string& name) {
  return absl::StrCat(PODSIM_GOLDEN_DATA, "/", name);
}

std::string FileOf(const std::string& name) {
  const auto bytes = NewLocalStore()->Read(Golden(name));
  PODSIM_CHECK(bytes.ok());
  return *bytes;
}

// An example's fields.
std::vector<std::vector<std::byte>> RowsOf(const Dataset& dataset, Split split,
                                           std::int64_t index,
                                           std::uint64_t key = 0) {
  const auto fields = FieldsOf(dataset.config());
  PODSIM_CHECK(fields.ok());
  std::vector<std::vector<std::byte>> rows;
  for (const DataField& field : *fields)
    rows.emplace_back(static_cast<std::size_t>(RowBytes(field)));
  const std::vector<std::span<std::byte>> spans(rows.begin(), rows.end());
  const absl::Status status = dataset.Read(split, index, {.key = key}, spans);
  EXPECT_THAT(status, IsOk());
  return rows;
}

template <typename T>
std::vector<T> Values(const std::vector<std::byte>& row) {
  const auto* const begin = reinterpret_cast<const T*>(row.data());
  return {begin, begin + row.size() / sizeof(T)};
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenFormat(
    const std::string& name, const std::string& folder,
    const std::string& features = "", std::int32_t classes = 0) {
  static ObjectStore& store = *NewLocalStore().release();
  return OpenDataset({.name = name,
                      .data_dir = Golden(folder),
                      .classes = classes,
                      .features = features},
                     store);
}

float CifarPixel(std::int64_t n, std::int64_t c, std::int64_t p) {
  return static_cast<float>((n * 7 + c * 80 + p) % 256);
}

TEST(Cifar, ReadsTenClasses) {
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenFormat("cifar10", "cifar10"));
  EXPECT_EQ(dataset->config().classes(), 10);
  ASSERT_EQ(dataset->size(Split::kTrain), 3);
  ASSERT_EQ(dataset->size(Split::kEval), 1);
  for (std::int64_t n = 0; n < 3; ++n) {
    const auto rows = RowsOf(*dataset, Split::kTrain, n);
    const auto image = Values<float>(rows[0]);
    ASSERT_EQ(image.size(), 3072);
    for (std::int64_t p = 0; p < 1024; ++p)
      for (std::int64_t c = 0; c < 3; ++c)
        ASSERT_EQ(image[3 * p + c], CifarPixel(n, c, p) * (1.0F / 255));
    EXPECT_THAT(Values<std::int32_t>(rows[1]), ElementsAre(n));
  }
}

TEST(Cifar, ReadsAHundredClassesAndTheirTwenty) {
  ASSERT_OK_AND_ASSIGN(
      const auto dataset,
      OpenFormat(
          "cifar100", "cifar100",
          "features=image:uint8[32,32,3],labels=label:int64,coarse=coarse_"
          "label:int32"));
  const auto rows = RowsOf(*dataset, Split::kTrain, 0);
  EXPECT_EQ(rows[0].size(), 3072);
  EXPECT_THAT(Values<std::int32_t>(rows[1]), ElementsAre(3));
  EXPECT_THAT(Values<std::int32_t>(rows[2]), ElementsAre(13 % 5));
  EXPECT_THAT(OpenFormat("cifar10", "cifar100"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("none is called data_batch_*.bin")));
  EXPECT_THAT(OpenFormat("cifar10", "cifar10", "labels=coarse_label:int64"),
              StatusIs(kInvalid, HasSubstr("has no feature coarse_label")));
}

TEST(Cifar, AFileOfAnotherLengthIsRefused) {
  const auto store = NewMemoryStore();
  const std::string bytes(3073 * 2 + 5, 'x');
  ASSERT_THAT(store->Write("/c/data_batch_1.bin", bytes), IsOk());
  EXPECT_THAT(
      OpenDataset({.name = "cifar10", .data_dir = "/c"}, *store),
      StatusIs(kDataLoss,
               "/c/data_batch_1.bin: offset 6146: 5 bytes are left where "
               "a record of cifar10 has 3073"));
}

TEST(Csv, ReadsColumnsByName) {
  ASSERT_OK_AND_ASSIGN(
      const auto dataset,
      OpenFormat("csv", "csv",
                 "features=pixel0..pixel2:uint8[3]/2,labels=label:int64", 10));
  ASSERT_EQ(dataset->size(Split::kTrain), 5);
  ASSERT_EQ(dataset->size(Split::kEval), 1);
  for (const auto& [split, first] :
       {std::pair(Split::kTrain, 0), {Split::kEval, 100}})
    for (std::int64_t i = 0; i < dataset->size(split); ++i) {
      const auto rows = RowsOf(*dataset, split, i);
      const auto f = static_cast<float>(first + i);
      EXPECT_THAT(Values<float>(rows[0]),
                  ElementsAre(f / 2, (f + 1) / 2, (f + 2) / 2));
      EXPECT_THAT(Values<std::int32_t>(rows[1]), ElementsAre((first + i) % 10));
    }
}

TEST(Csv, ReadsColumnsByPlaceFromPackedFiles) {
  ASSERT_OK_AND_ASSIGN(
      const auto dataset,
      OpenFormat("csv", "csv_plain",
                 "features=1..3:uint8[3]/2,labels=0:int64,w=4:float32", 10));
  ASSERT_EQ(dataset->size(Split::kTrain), 5);
  for (std::int64_t n = 0; n < 5; ++n) {
    const auto rows = RowsOf(*dataset, Split::kTrain, n);
    const auto f = static_cast<float>(n);
    EXPECT_THAT(Values<float>(rows[0]),
                ElementsAre(f / 2, (f + 1) / 2, (f + 2) / 2));
    EXPECT_THAT(Values<std::int32_t>(rows[1]), ElementsAre(n));
    EXPECT_THAT(Values<float>(rows[2]), ElementsAre(f / 4));
  }
}

TEST(Csv, SaysWhatIsMissing) {
  EXPECT_THAT(OpenFormat("csv", "csv", "a=pixel9:int64"),
              StatusIs(kInvalid, AllOf(HasSubstr("no column pixel9"),
                                       HasSubstr("header begins label"))));
  EXPECT_THAT(OpenFormat("csv", "csv", "a=pixel2..pixel0:int64[3]"),
              StatusIs(kInvalid, HasSubstr("no range FIRST..LAST")));
  EXPECT_THAT(OpenFormat("csv", "csv"),
              StatusIs(kInvalid, HasSubstr("--features")));
  const auto store = NewMemoryStore();
  const auto read = [&](const char* bytes, const char* features) {
    PODSIM_CHECK(store->Write("/c/train.csv", bytes).ok());
    const auto dataset = OpenDataset(
        {.name = "csv", .data_dir = "/c", .features = features}, *store);
    if (!dataset.ok()) return dataset.status();
    std::int32_t value = 0;
    const std::vector<std::span<std::byte>> rows = {
        std::as_writable_bytes(std::span(&value, 1))};
    return (*dataset)->Read(Split::kTrain, (*dataset)->size(Split::kTrain) - 1,
                            {}, rows);
  };
  EXPECT_THAT(read("1,2\n3,4", "a=1:int64"), IsOk());
  EXPECT_THAT(read("1,2\n3\n", "a=1:int64"),
              StatusIs(kDataLoss,
                       "/c/train.csv: offset 4: the line has no column 1 "
                       "(from 0)"));
  EXPECT_THAT(
      read("1,2\n3,x\n", "a=1:int64"),
      StatusIs(kDataLoss, HasSubstr("/c/train.csv: offset 4: feature 1: 'x' "
                                    "is no number")));
  // A quote that does not end takes the rest of the file.
  EXPECT_THAT(read("\"1,2\n3,4\n", "a=1:int64"),
              StatusIs(kDataLoss, HasSubstr("the line has no column 1")));
  ASSERT_THAT(store->Write("/c/train2.csv", "b,a\n1,2\n"), IsOk());
  EXPECT_THAT(
      read("a,b\n1,2\n", "a=a:int64"),
      StatusIs(kDataLoss, HasSubstr("/c/train2.csv: offset 0: its first "
                                    "line is not the header")));
}

TEST(Npz, ReadsStoredAndDeflatedMembers) {
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenFormat("npz", "npz"));
  ASSERT_EQ(dataset->size(Split::kTrain), 5);
  ASSERT_EQ(dataset->size(Split::kEval), 3);
  EXPECT_EQ(dataset->config().name(), "npz");
  for (const auto& [split, first] :
       {std::pair(Split::kTrain, 0), {Split::kEval, 100}})
    for (std::int64_t i = 0; i < dataset->size(split); ++i) {
      const auto rows = RowsOf(*dataset, split, i);
      const auto f = static_cast<float>(first + i);
      EXPECT_THAT(Values<float>(rows[0]), ElementsAre(f, f + 1, f + 2, f + 3));
      EXPECT_THAT(Values<std::int32_t>(rows[1]), ElementsAre((first + i) % 10));
      EXPECT_THAT(Values<std::uint8_t>(rows[2]),
                  ElementsAre(i == 0, i == 1, i == 2));
    }
}

// Whatever is wrong with the archive, no byte of it is believed.
TEST(Npz, EveryFlippedByteOfADeflatedArrayIsSeenOrHarmless) {
  const std::string whole = FileOf("npz/eval.npz");
  ASSERT_OK_AND_ASSIGN(const auto members, ReadZipDirectory(whole, "f"));
  ASSERT_EQ(members.size(), 3);
  ASSERT_OK_AND_ASSIGN(const std::string first,
                       ReadZipMember(whole, members[0], "f"));
  int seen = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bad = whole;
    bad[i] = static_cast<char>(bad[i] ^ 0x11);
    const auto read = ReadZipDirectory(bad, "f");
    if (!read.ok()) {
      ASSERT_THAT(read, StatusIs(kDataLoss, HasSubstr("f: offset "))) << i;
      ++seen;
      continue;
    }
    for (const ZipMember& member : *read) {
      const auto bytes = ReadZipMember(bad, member, "f");
      if (bytes.ok() && member.offset == members[0].offset)
        EXPECT_EQ(*bytes, first) << i;
      seen += bytes.ok() ? 0 : 1;
    }
  }
  EXPECT_GT(seen, 100);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    ASSERT_THAT(ReadZipDirectory(whole.substr(0, size), "f"),
                StatusIs(kDataLoss, HasSubstr("f: offset ")));
}

TEST(Images, ReadsAFolderByClass) {
  ASSERT_OK_AND_ASSIGN(
      const auto dataset,
      OpenFormat("images", "images",
                 "features=image:image[4,6,3],labels=label:int64"));
  EXPECT_EQ(dataset->config().classes(), 2);
  ASSERT_EQ(dataset->size(Split::kTrain), 5);
  ASSERT_EQ(dataset->size(Split::kEval), 1);
  for (const auto& [split, index, n, label] :
       {std::tuple(Split::kTrain, 0, 0, 0),
        {Split::kTrain, 1, 1, 0},
        {Split::kEval, 0, 2, 1}}) {
    const auto rows = RowsOf(*dataset, split, index);
    const auto image = Values<std::uint8_t>(rows[0]);
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 6; ++x) {
        EXPECT_EQ(image[std::size_t{3} * (y * 6 + x)], n);
        EXPECT_EQ(image[(y * 6 + x) * 3 + 1], 10 * x);
        EXPECT_EQ(image[(y * 6 + x) * 3 + 2], 10 * y);
      }
    EXPECT_THAT(Values<std::int32_t>(rows[1]), ElementsAre(label));
  }
  // Of one color each: grey.jpeg, ink.jpg, red.jpg. JPEG at quality 95 is
  // within its quantisation of a flat color: 2, and inks are rounded twice.
  const int colors[3][3] = {{90, 90, 90}, {200, 100, 50}, {250, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    const auto rows = RowsOf(*dataset, Split::kTrain, 2 + i);
    const auto image = Values<std::uint8_t>(rows[0]);
    for (std::size_t at = 0; at < image.size(); ++at)
      ASSERT_NEAR(image[at], colors[i][at % 3], 5) << i << " " << at;
  }
}

// Read ahead where the store is no disk: the same examples, each file once.
TEST(Images, AreReadAheadOfAStore) {
  class Counting final : public ObjectStoreWrapper {
   public:
    using ObjectStoreWrapper::ObjectStoreWrapper;
    absl::StatusOr<std::string> ReadRange(std::string_view path,
                                          std::int64_t offset,
                                          std::int64_t length) override {
      ++reads;
      return ObjectStoreWrapper::ReadRange(path, offset, length);
    }
    bool CanMap(std::string_view) const override { return false; }
    std::atomic<int> reads{0};
  };
  const auto local = NewLocalStore();
  Counting store(local.get());
  const auto open = [](ObjectStore& from) {
    return OpenDataset({.name = "images",
                        .data_dir = absl::StrCat(PODSIM_GOLDEN_DATA, "/images"),
                        .features = "features=image:image[4,6,3],labels=label:"
                                    "int64"},
                       from);
  };
  ASSERT_OK_AND_ASSIGN(const auto near, open(*local));
  ASSERT_OK_AND_ASSIGN(const auto far, open(store));
  EXPECT_GT(far->config().stored_bytes(), 0);
  BatchPlace place = {.batch_per_core = 2, .cores = 2, .global_batch = 4};
  EXPECT_EQ(near->Ahead(Split::kTrain, TrainRowsInOrder(*near, 3, place, 9)),
            nullptr);
  Infeed infeed(far, 3, place, 9);
  Batch want;
  for (int step = 0; step < 9; ++step) {
    ASSERT_OK_AND_ASSIGN(const Batch* got, infeed.Next());
    ASSERT_THAT(FillTrainBatch(*near, 3, place, want), IsOk());
    ASSERT_EQ(got->fields, want.fields) << step;
    place.consumed += place.global_batch;
  }
  EXPECT_EQ(store.reads, 5) << "they all fit";
}

TEST(Images, DamageNamesTheFile) {
  const auto store = NewMemoryStore();
  const std::string jpeg = FileOf("images/train/dog/red.jpg");
  const std::string png = FileOf("images/train/cat/0.png");
  const auto read = [&](const std::string& bytes) {
    PODSIM_CHECK(store->Write("/i/train/cat/x.jpg", bytes).ok());
    const auto dataset = OpenDataset(
        {.name = "images",
         .data_dir = "/i",
         .features = "features=image:image[4,4,3],labels=label:int64"},
        *store);
    PODSIM_CHECK(dataset.ok());
    std::vector<std::byte> image(48);
    std::int32_t label = 0;
    const std::vector<std::span<std::byte>> rows = {
        image, std::as_writable_bytes(std::span(&label, 1))};
    return (*dataset)->Read(Split::kTrain, 0, {}, rows);
  };
  EXPECT_THAT(read(jpeg), IsOk());
  EXPECT_THAT(read(png), IsOk());
  for (const std::string& whole : {jpeg, png})
    // What ends a file, of up to 16 bytes, is no pixel's.
    for (std::size_t size = 0; size + 16 < whole.size(); size += 7)
      ASSERT_THAT(read(whole.substr(0, size)),
                  StatusIs(kDataLoss, HasSubstr("/i/train/cat/x.jpg: offset 0: "
                                                "feature image: ")))
          << size;
}

SchemaField FieldOf(const std::string& line) {
  const auto schema = ParseSchema(line);
  PODSIM_CHECK(schema.ok());
  return schema->fields[0];
}

Pixels Ramp(std::int32_t rows, std::int32_t columns) {
  Pixels pixels = {.rows = rows, .columns = columns, .channels = 1};
  for (std::int32_t i = 0; i < rows * columns; ++i)
    pixels.values.push_back(static_cast<std::uint8_t>(i % columns * 10));
  return pixels;
}

std::vector<float> Made(const Pixels& pixels, const std::string& line,
                        bool training = false, std::uint64_t key = 0) {
  const SchemaField field = FieldOf(line);
  std::vector<float> row(static_cast<std::size_t>(field.elements()));
  RunImageSteps(pixels, field, training, key,
                std::as_writable_bytes(std::span(row)));
  return row;
}

TEST(ImageSteps, SizesAreBilinearBetweenCentres) {
  // Two centres of four lie a quarter from each end of a half.
  EXPECT_THAT(Made(Ramp(1, 4), "a=image[1,2,1]/1"), ElementsAre(5, 25));
  EXPECT_THAT(Made(Ramp(1, 2), "a=image[1,4,1]/1"),
              ElementsAre(0, 2.5F, 7.5F, 10));
  EXPECT_THAT(Made(Ramp(2, 3), "a=image[2,3,1]/10"),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(Made(Ramp(1, 2), "a=image[1,2,1]/10+mean:1+std:0.5"),
              ElementsAre(-2, 0));
}

TEST(ImageSteps, FlipsHalfOfTheExamplesInTrainingAlone) {
  int flipped = 0;
  for (std::uint64_t key = 0; key < 400; ++key) {
    const auto row = Made(Ramp(1, 3), "a=image[1,3,1]/1+flip", true, key << 32);
    if (row == std::vector<float>{20, 10, 0})
      ++flipped;
    else
      EXPECT_THAT(row, ElementsAre(0, 10, 20));
    EXPECT_THAT(Made(Ramp(1, 3), "a=image[1,3,1]/1+flip", false, key << 32),
                ElementsAre(0, 10, 20));
  }
  // Binomial of 400 halves: five standard deviations of 10.
  EXPECT_NEAR(flipped, 200, 50);
}

TEST(ImageSteps, PadsMoveTheImageByUpToThem) {
  std::set<std::pair<int, int>> places;
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const ImagePart part =
        ChoosePart(Ramp(8, 8), FieldOf("a=uint8[8,8,1]/1+pad2"), true, key);
    EXPECT_EQ(part.rows, 8);
    places.insert({part.row, part.column});
  }
  EXPECT_EQ(places.size(), 25);
  EXPECT_EQ(*places.begin(), std::pair(-2, -2));
  EXPECT_EQ(*places.rbegin(), std::pair(2, 2));
  // What lies beyond the edge is black.
  Pixels white = {.rows = 2, .columns = 2, .channels = 1};
  white.values.assign(4, 255);
  bool black = false;
  for (std::uint64_t key = 0; key < 50; ++key)
    for (const float value : Made(white, "a=uint8[2,2,1]/255+pad1", true, key))
      black = black || value == 0;
  EXPECT_TRUE(black);
}

TEST(ImageSteps, CropsKeepTheirAreaAndRatio) {
  const Pixels pixels = Ramp(100, 150);
  const SchemaField field = FieldOf("a=image[10,10,1]/1+crop");
  double smallest = 1;
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const ImagePart part = ChoosePart(pixels, field, true, key);
    ASSERT_GE(part.row, 0);
    ASSERT_GE(part.column, 0);
    ASSERT_LE(part.row + part.rows, 100);
    ASSERT_LE(part.column + part.columns, 150);
    const double area = part.rows * part.columns / 15'000.0;
    // Sides are rounded to whole pixels, by half of one of at least 30.
    EXPECT_GT(area, 0.08 * 0.96);
    const double ratio = static_cast<double>(part.columns) / part.rows;
    EXPECT_GT(ratio, 0.75 * 0.96);
    EXPECT_LT(ratio, 4.0 / 3 * 1.04);
    smallest = std::min(smallest, area);
  }
  EXPECT_LT(smallest, 0.12);
  const ImagePart middle = ChoosePart(pixels, field, false, 1);
  EXPECT_EQ(middle.rows, 87);
  EXPECT_EQ(middle.row, 6);
}

TEST(ImageSchema, SaysWhatAnImageMayHave) {
  const auto refused = [](const char* line, const char* why) {
    EXPECT_THAT(ParseSchema(line), StatusIs(kInvalid, HasSubstr(why))) << line;
  };
  refused("a=image", "an image has the shape");
  refused("a=image[4,4]", "an image has the shape");
  refused("a=image[4,4,2]", "an image has the shape");
  refused("a=image[4,4,3]+turn", "there is no step '+turn'");
  refused("a=image[4,4,3]+pad", "pad and 1 to");
  refused("a=image[4,4,3]+crop+pad4", "exclude each other");
  refused("a=image[4,4,3]+mean:1", "say /255");
  refused("a=image[4,4,3]/255+mean:1:2", "2 numbers for 3 channels");
  refused("a=image[4,4,3]/255+std:0", "std must be above 0");
  refused("a=float32[4,4,3]+flip", "steps are for image and uint8");
  const auto schema = ParseSchema(
      "f=image/encoded:image[8,8,3]/255+crop+flip+mean:0.5+std:1:2:3");
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->fields[0].key, "image/encoded");
  EXPECT_EQ(schema->fields[0].dtype(), DType::kFloat32);
  EXPECT_THAT(schema->fields[0].steps.mean, ElementsAre(0.5, 0.5, 0.5));
}

// A picture in a TFRecord goes the same way.
TEST(Images, InTfRecords) {
  ASSERT_OK_AND_ASSIGN(const auto dataset,
                       OpenFormat("tfrecord", "tfrecord",
                                  "features=image/encoded:image[4,6,3]"));
  for (std::int64_t n = 0; n < 12; ++n) {
    const auto image =
        Values<std::uint8_t>(RowsOf(*dataset, Split::kTrain, n)[0]);
    EXPECT_EQ(image[0], n);
    EXPECT_EQ(image[3 * 5 + 1], 50);
  }
}

}  // namespace
}  // namespace podsim
