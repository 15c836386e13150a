// Images of a folder and of records, read by class, ahead, and damaged.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/image_file.h"
#include "host/input/stream.h"
#include "host/storage/wrapper.h"
#include "tests/host/input/format_files.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::FileOf;
using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::kInvalid;
using ::podsim::testing::OpenFormat;
using ::podsim::testing::RowsOf;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::podsim::testing::Values;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

// On a disk an empty folder is one, in a bucket it is none: labels are the
// same.
TEST(Images, AFolderWithoutImagesIsNoClass) {
  const TempDir dir;
  const auto store = NewLocalStore();
  const std::string png = FileOf("images/train/cat/0.png");
  for (const char* name : {"/train/cat/x.png", "/train/eel/x.png",
                           "/train/dog/notes.txt", "/val/eel/x.png"})
    ASSERT_THAT(store->Write(dir.path() + name, png), IsOk());
  for (const char* name : {"/train/ant", "/val/ant", "/val/yak"})
    ASSERT_TRUE(std::filesystem::create_directory(dir.path() + name));
  ASSERT_OK_AND_ASSIGN(
      const auto dataset,
      OpenDataset({.name = "images",
                   .data_dir = dir.path(),
                   .features = "features=image:image[4,6,3],labels=label:"
                               "int64"},
                  *store));
  EXPECT_EQ(dataset->config().classes(), 2);
  ASSERT_EQ(dataset->size(Split::kTrain), 2);
  ASSERT_EQ(dataset->size(Split::kEval), 1);
  for (const auto& [split, index, label] : {std::tuple(Split::kTrain, 0, 0),
                                            {Split::kTrain, 1, 1},
                                            {Split::kEval, 0, 1}})
    EXPECT_THAT(Values<std::int32_t>(RowsOf(*dataset, split, index)[1]),
                ElementsAre(label));
}

TEST(Images, ClassesMayBeMoreThanThereAreButNotFewer) {
  const auto store = NewMemoryStore();
  const std::string png = FileOf("images/train/cat/0.png");
  for (const char* name : {"cat", "dog", "eel"})
    ASSERT_THAT(store->Write(absl::StrCat("/i/train/", name, "/x.png"), png),
                IsOk());
  const auto open = [&](std::int32_t classes) {
    return OpenDataset({.name = "images",
                        .data_dir = "/i",
                        .classes = classes,
                        .features = "features=image:image[4,6,3],labels=label:"
                                    "int64"},
                       *store);
  };
  for (const auto& [given, has] : {std::pair(0, 3), {3, 3}, {5, 5}}) {
    ASSERT_OK_AND_ASSIGN(const auto dataset, open(given));
    EXPECT_EQ(dataset->config().classes(), has);
  }
  EXPECT_THAT(open(2), StatusIs(kInvalid,
                                "classes is 2, but 3 folders have images for "
                                "training: leave classes out, or give at "
                                "least 3"));
}

// As torchvision takes them.
TEST(Images, OfFoldersInAClassAreTheClasss) {
  const auto store = NewMemoryStore();
  const std::string png = FileOf("images/train/cat/0.png");
  for (const char* name :
       {"train/cat/a.png", "train/cat/young/b.png", "train/cat/young/.c.png",
        "train/dog/images/big/c.png", "train/stray.png", "train/.hidden/d.png"})
    ASSERT_THAT(store->Write(absl::StrCat("/i/", name), png), IsOk());
  ASSERT_OK_AND_ASSIGN(
      const auto dataset,
      OpenDataset({.name = "images",
                   .data_dir = "/i",
                   .features = "features=image:image[4,6,3],labels=label:"
                               "int64"},
                  *store));
  EXPECT_EQ(dataset->config().classes(), 2);
  ASSERT_EQ(dataset->size(Split::kTrain), 3);
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(Values<std::int32_t>(RowsOf(*dataset, Split::kTrain, i)[1]),
                ElementsAre(i / 2));
  EXPECT_THAT(dataset->notes(),
              ElementsAre("2 images of 3 in folders inside a class (such as "
                          "/i/train/cat/young): taken for the class",
                          "1 image in /i/train itself left out: they are in no "
                          "class's folder"));
}

TEST(Images, OfOtherFormatsAreToldOf) {
  const auto store = NewMemoryStore();
  for (const char* name : {"cat/a.webp", "dog/b.GIF", "dog/notes.txt"})
    ASSERT_THAT(store->Write(absl::StrCat("/i/train/", name), "x"), IsOk());
  const auto open = [&] {
    return OpenDataset({.name = "images", .data_dir = "/i"}, *store);
  };
  EXPECT_THAT(
      open(),
      StatusIs(absl::StatusCode::kNotFound,
               HasSubstr("; 2 images of formats that are not read (such "
                         "as /i/train/cat/a.webp): make them JPEG or "
                         "PNG")));
  ASSERT_THAT(
      store->Write("/i/train/dog/c.png", FileOf("images/train/cat/0.png")),
      IsOk());
  ASSERT_OK_AND_ASSIGN(const auto dataset, open());
  EXPECT_EQ(dataset->size(Split::kTrain), 1);
  ASSERT_EQ(dataset->notes().size(), 2);
  EXPECT_EQ(dataset->notes()[0],
            "2 images of formats that are not read (such as "
            "/i/train/cat/a.webp) left out: make them JPEG or PNG");
}

TEST(Images, OneFolderDeeperThanClassesAreRefused) {
  const auto store = NewMemoryStore();
  const std::string png = FileOf("images/train/cat/0.png");
  const auto open = [&](const char* folder) {
    return OpenDataset({.name = "images", .data_dir = folder}, *store);
  };
  ASSERT_THAT(store->Write("/i/pets/cat/a.png", png), IsOk());
  ASSERT_THAT(store->Write("/i/pets/dog/a.png", png), IsOk());
  EXPECT_THAT(open("/i"),
              StatusIs(kInvalid,
                       "/i: images lie one folder deeper than classes, in "
                       "/i/pets/cat; classes are the folders of data_dir or of "
                       "data_dir/train: give the folder that has the classes, "
                       "such as --data_dir=/i/pets"));
  ASSERT_OK_AND_ASSIGN(const auto pets, open("/i/pets"));
  EXPECT_EQ(pets->config().classes(), 2);
  ASSERT_THAT(store->Write("/set/v1/train/cat/a.png", png), IsOk());
  EXPECT_THAT(open("/set"),
              StatusIs(kInvalid, HasSubstr("such as --data_dir=/set/v1")));
  ASSERT_THAT(store->Write("/flat/a.png", png), IsOk());
  EXPECT_THAT(open("/flat"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("1 image in /flat itself: put those of each "
                                 "class into a folder of its name")));
}

TEST(Images, SplitsAreNotTakenForClasses) {
  const auto store = NewMemoryStore();
  const std::string png = FileOf("images/train/cat/0.png");
  const auto open = [&] {
    return OpenDataset({.name = "images", .data_dir = "/i"}, *store);
  };
  ASSERT_THAT(store->Write("/i/Training/a.png", png), IsOk());
  ASSERT_THAT(store->Write("/i/test/a.png", png), IsOk());
  EXPECT_THAT(open(),
              StatusIs(kInvalid,
                       "/i: images lie in Training, test, which are called as "
                       "splits are, not classes: name them train and eval, "
                       "with a folder for each class in both"));
  ASSERT_THAT(store->Write("/i/cat/a.png", png), IsOk());
  EXPECT_THAT(open(), IsOk());
}

TEST(Images, FoldersOfOtherNamesAreToldOf) {
  const auto store = NewMemoryStore();
  const std::string png = FileOf("images/train/cat/0.png");
  const auto open = [&](const char* folder) {
    return OpenDataset({.name = "images", .data_dir = folder}, *store);
  };
  EXPECT_THAT(open("/i"), StatusIs(absl::StatusCode::kNotFound,
                                   "data_dir is '/i', but there is no such "
                                   "folder; give one with train/CLASS/*.jpg or "
                                   "CLASS/*.jpg"));
  ASSERT_THAT(store->Write("/n/notes.txt", "x"), IsOk());
  EXPECT_THAT(open("/n"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("*.jpeg or *.png; it holds notes.txt")));
  ASSERT_THAT(store->Write("/i/train/cat/a.png", png), IsOk());
  ASSERT_THAT(store->Write("/i/train/dog/a.png", png), IsOk());
  ASSERT_THAT(store->Write("/i/holdout/cat/a.png", png), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto dataset, open("/i"));
  EXPECT_EQ(dataset->size(Split::kEval), 0);
  EXPECT_EQ(dataset->notes().front(),
            "no eval split: holdout in /i left out, as none is called eval, "
            "validation, valid, val, test");
  ASSERT_THAT(store->Write("/i/val/cats/a.png", png), IsOk());
  EXPECT_THAT(open("/i"),
              StatusIs(kInvalid,
                       "/i/val has a class cats that /i/train has not; classes "
                       "are folders of the same names in both: rename it, or "
                       "add images of it for training; did you mean cat?"));
}

TEST(Images, WithoutASchemaHaveTheSizeOfTheFiles) {
  const auto store = NewMemoryStore();
  const std::string png = FileOf("images/train/cat/0.png");
  const std::string jpeg = FileOf("images/train/dog/red.jpg");
  ASSERT_THAT(store->Write("/i/train/cat/a.png", png), IsOk());
  ASSERT_THAT(store->Write("/i/train/dog/a.png", png), IsOk());
  ASSERT_OK_AND_ASSIGN(
      auto dataset, OpenDataset({.name = "images", .data_dir = "/i"}, *store));
  EXPECT_EQ(dataset->config().features(),
            "features=image:image[4,6,3]/255,labels=label:int64");
  EXPECT_THAT(dataset->notes(),
              ElementsAre("no --features: images are read as --features='"
                          "features=image:image[4,6,3]/255,labels=label:int64'"
                          ", the size of the 2 images looked at"));
  ASSERT_THAT(store->Write("/i/train/dog/b.jpg", jpeg), IsOk());
  ASSERT_OK_AND_ASSIGN(
      dataset, OpenDataset({.name = "images", .data_dir = "/i"}, *store));
  EXPECT_EQ(dataset->config().features(),
            "features=image:image[224,224,3]/255,labels=label:int64");
}

// Where libjpeg reads on, as in TensorFlow and Pillow, podsim does.
TEST(Images, AJpegWithABadHuffmanCodeIsReadWithOneWarning) {
  const auto store = NewMemoryStore();
  const std::string whole = FileOf("images/train/dog/red.jpg");
  // Codes begin behind the header of the scan.
  const std::size_t scan = whole.find("\xff\xda");
  ASSERT_NE(scan, std::string::npos);
  std::string warned;
  for (std::size_t at = scan + 14; at + 2 < whole.size() && warned.empty();
       ++at) {
    std::string bad = whole;
    bad[at] = '\xfe';
    Pixels pixels;
    if (DecodeImage(bad, 3, pixels).ok() &&
        pixels.warning.find("bad Huffman code") != std::string::npos)
      warned = bad;
  }
  ASSERT_FALSE(warned.empty());
  for (const char* name : {"a", "b"})
    ASSERT_THAT(store->Write(absl::StrCat("/i/dog/", name, ".jpg"), warned),
                IsOk());
  ASSERT_OK_AND_ASSIGN(
      const auto dataset,
      OpenDataset({.name = "images",
                   .data_dir = "/i",
                   .features = "features=image:image[4,6,3],labels=label:"
                               "int64"},
                  *store));
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) RowsOf(*dataset, Split::kTrain, i);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("/i/dog/a.jpg: offset 0: feature image: JPEG: "
                              "Corrupt JPEG data: bad Huffman code"));
  EXPECT_EQ(said.find("/i/dog/b.jpg"), std::string::npos);
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
