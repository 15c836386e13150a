#include "host/input/mnist.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/idx_bytes.h"
#include "tests/host/input/read_example.h"
#include "tests/host/storage/limited_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::BigEndianWords;
using ::podsim::testing::Gzip;
using ::podsim::testing::IdxImages;
using ::podsim::testing::IdxLabels;
using ::podsim::testing::IsOk;
using ::podsim::testing::Mutated;
using ::podsim::testing::ReadExample;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kTrainImages[] = "/data/train-images-idx3-ubyte";
constexpr char kTrainLabels[] = "/data/train-labels-idx1-ubyte";
constexpr char kEvalImages[] = "/data/t10k-images-idx3-ubyte";
constexpr char kEvalLabels[] = "/data/t10k-labels-idx1-ubyte";

class Mnist : public ::testing::Test {
 protected:
  void SetUp() override {
    Put(kTrainImages, IdxImages(12, 3, 4));
    Put(kTrainLabels, IdxLabels(12, 5));
    Put(kEvalImages, IdxImages(4, 3, 4));
    Put(kEvalLabels, IdxLabels(4, 3));
  }

  void Put(const std::string& path, const std::string& bytes) {
    ASSERT_THAT(store_->Write(path, bytes), IsOk());
  }
  // Replaces a file by its packed form.
  void Pack(const std::string& path) {
    ASSERT_OK_AND_ASSIGN(const std::string bytes, store_->Read(path));
    Put(path + ".gz", Gzip(bytes));
    ASSERT_THAT(store_->Delete(path), IsOk());
  }
  absl::StatusOr<std::shared_ptr<const Dataset>> Open() {
    return OpenDataset({.name = "mnist", .data_dir = "/data"}, *store_);
  }

  const std::unique_ptr<ObjectStore> store_ = NewMemoryStore();
};

TEST_F(Mnist, ReadsAnyImageSizeAndClassCount) {
  ASSERT_OK_AND_ASSIGN(const auto dataset, Open());
  const DatasetConfig& config = dataset->config();
  EXPECT_EQ(config.name(), "mnist");
  ASSERT_EQ(config.example_shape_size(), 2);
  EXPECT_EQ(config.example_shape(0), 3);
  EXPECT_EQ(config.example_shape(1), 4);
  EXPECT_EQ(config.classes(), 5);
  EXPECT_EQ(dataset->size(Split::kTrain), 12);
  EXPECT_EQ(dataset->size(Split::kEval), 4);
  for (int index = 0; index < 12; ++index) {
    const auto [features, label] = ReadExample(*dataset, Split::kTrain, index);
    ASSERT_EQ(features.size(), 12);
    EXPECT_EQ(label, index % 5);
    for (int f = 0; f < 12; ++f)
      EXPECT_EQ(features[f],
                static_cast<float>((index * 12 + f) % 251) * (1 / 255.F));
  }
  EXPECT_EQ(ReadExample(*dataset, Split::kEval, 3).label, 0);
}

TEST_F(Mnist, ClassesCoverLabelsAbove127AndThoseOnlyHeldOut) {
  std::string labels = IdxLabels(4, 3);
  labels.back() = static_cast<char>(200);
  Put(kEvalLabels, labels);
  ASSERT_OK_AND_ASSIGN(const auto dataset, Open());
  EXPECT_EQ(dataset->config().classes(), 201);
  EXPECT_EQ(ReadExample(*dataset, Split::kEval, 3).label, 200);
}

TEST_F(Mnist, PackedAndPlainAreTheSameDataSet) {
  ASSERT_OK_AND_ASSIGN(const auto plain, Open());
  for (const char* path : {kTrainImages, kTrainLabels, kEvalImages}) Pack(path);
  ASSERT_OK_AND_ASSIGN(const auto packed, Open());
  EXPECT_EQ(packed->config().SerializeAsString(),
            plain->config().SerializeAsString());
  for (int index = 0; index < 12; ++index)
    EXPECT_EQ(ReadExample(*plain, Split::kTrain, index),
              ReadExample(*packed, Split::kTrain, index));
}

TEST_F(Mnist, FingerprintChangesWithAnyFile) {
  ASSERT_OK_AND_ASSIGN(const auto before, Open());
  for (const char* path :
       {kTrainImages, kTrainLabels, kEvalImages, kEvalLabels}) {
    ASSERT_OK_AND_ASSIGN(std::string bytes, store_->Read(path));
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    Put(path, bytes);
    ASSERT_OK_AND_ASSIGN(const auto after, Open());
    EXPECT_NE(after->config().fingerprint(), before->config().fingerprint())
        << path;
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    Put(path, bytes);
  }
}

TEST_F(Mnist, MissingFileIsNamedInBothForms) {
  for (const char* path :
       {kTrainImages, kTrainLabels, kEvalImages, kEvalLabels}) {
    ASSERT_OK_AND_ASSIGN(const std::string bytes, store_->Read(path));
    ASSERT_THAT(store_->Delete(path), IsOk());
    EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kNotFound,
                                 AllOf(HasSubstr(path), HasSubstr(".gz"),
                                       HasSubstr("; it holds t"))));
    Put(path, bytes);
  }
}

TEST_F(Mnist, AFolderMayEndInASlash) {
  const auto open = [&] {
    return OpenDataset({.name = "mnist", .data_dir = "/data/"}, *store_);
  };
  EXPECT_THAT(open(), IsOk());
  ASSERT_THAT(store_->Delete(kTrainImages), IsOk());
  EXPECT_THAT(open(),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("neither /data/train-images-idx3-ubyte nor")));
}

// A file of a near name is no folder.
TEST_F(Mnist, AFolderThatIsMissingIsNamedWithFoldersBesideIt) {
  const testing::TempDir dir;
  const auto local = NewLocalStore();
  ASSERT_THAT(local->Write(dir.file("mnist.zip"), "x"), IsOk());
  ASSERT_THAT(local->Write(dir.file("mnist_idx/x"), "x"), IsOk());
  EXPECT_THAT(
      OpenDataset({.name = "mnist", .data_dir = dir.file("mnist")}, *local),
      StatusIs(
          absl::StatusCode::kNotFound,
          AllOf(HasSubstr("there is no folder " + dir.file("mnist") +
                          "; --data_dir must hold train-images"),
                HasSubstr("; did you mean " + dir.file("mnist_idx") + "?"))));
}

TEST_F(Mnist, DataDirIsAskedFor) {
  EXPECT_THAT(OpenDataset({.name = "mnist"}, *store_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("the path of its folder")));
}

TEST_F(Mnist, CountsAndSizesMustAgree) {
  Put(kTrainLabels, IdxLabels(11, 5));
  EXPECT_THAT(Open(),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr(kTrainLabels), HasSubstr("offset 4"),
                             HasSubstr("11 labels"), HasSubstr("12 images"))));
  Put(kTrainLabels, IdxLabels(12, 5));
  Put(kEvalImages, IdxImages(4, 4, 3));
  EXPECT_THAT(Open(),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr(kEvalImages), HasSubstr("offset 8"),
                             HasSubstr("4 x 3"), HasSubstr("3 x 4"))));
}

TEST_F(Mnist, PackedFileMayNotHoldMoreThanItsHeaderPromises) {
  std::string zeros;
  zeros.resize(10'000'000);
  ASSERT_THAT(store_->Delete(kTrainImages), IsOk());
  Put(std::string(kTrainImages) + ".gz",
      Gzip(BigEndianWords({0x803, 12, 3, 4}) + zeros));
  EXPECT_THAT(Open(),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr(kTrainImages), HasSubstr("offset 160"),
                             HasSubstr("more data than the header promises"))));
}

// 20 GB that take no disk: refused by their size, before they are read.
TEST_F(Mnist, AHugeFileIsNotRead) {
  constexpr std::int64_t kHuge = 20'000'000'000;
  const std::unique_ptr<ObjectStore> files = NewLocalStore();
  testing::LimitedStore limited(files.get(), std::int64_t{8} << 20);
  for (const bool packed : {false, true}) {
    for (const char* huge : {kTrainImages, kTrainLabels, kEvalLabels}) {
      testing::TempDir dir;
      for (const char* path :
           {kTrainImages, kTrainLabels, kEvalImages, kEvalLabels}) {
        ASSERT_OK_AND_ASSIGN(std::string bytes, store_->Read(path));
        if (packed) bytes = Gzip(bytes);
        const std::string name = dir.path() + path + (packed ? ".gz" : "");
        ASSERT_THAT(files->Write(name, bytes), IsOk());
        if (path == huge) std::filesystem::resize_file(name, kHuge);
      }
      EXPECT_THAT(
          OpenDataset({.name = "mnist", .data_dir = dir.file("data")}, limited),
          StatusIs(absl::StatusCode::kDataLoss,
                   AllOf(HasSubstr(huge), HasSubstr("offset"),
                         HasSubstr("the header promises"))))
          << packed;
    }
  }
}

TEST_F(Mnist, EveryCutOfEveryFileIsRefused) {
  for (const char* path : {kTrainImages, kEvalLabels}) {
    ASSERT_OK_AND_ASSIGN(const std::string bytes, store_->Read(path));
    ASSERT_THAT(store_->Delete(path), IsOk());
    const std::string packed = Gzip(bytes);
    for (std::size_t length = 0; length < packed.size(); ++length) {
      Put(std::string(path) + ".gz", packed.substr(0, length));
      ASSERT_THAT(Open(), StatusIs(absl::StatusCode::kDataLoss,
                                   AllOf(HasSubstr(path), HasSubstr("offset"))))
          << length;
    }
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      Put(path, bytes.substr(0, length));
      ASSERT_THAT(Open(), StatusIs(absl::StatusCode::kDataLoss,
                                   AllOf(HasSubstr(path), HasSubstr("offset"))))
          << length;
    }
    Put(path, bytes);
  }
}

TEST_F(Mnist, MutatedFilesAreRefusedOrReadable) {
  constexpr std::uint64_t kSeed = 20240613;
  RecordProperty("seed", static_cast<int>(kSeed));
  const std::string images = IdxImages(12, 3, 4);
  int readable = 0;
  for (std::uint64_t round = 0; round < 3'000; ++round) {
    Put(kTrainImages, Mutated(images, kSeed, round));
    const auto dataset = Open();
    if (!dataset.ok()) {
      ASSERT_THAT(dataset, StatusIs(absl::StatusCode::kDataLoss,
                                    HasSubstr(kTrainImages)));
      continue;
    }
    ++readable;
    for (int index = 0; index < 12; ++index) {
      const auto example = ReadExample(**dataset, Split::kTrain, index);
      ASSERT_EQ(example.features.size(), 12);
      ASSERT_LT(example.label, 5);
    }
  }
  EXPECT_GT(readable, 100);
}

}  // namespace
}  // namespace podsim
