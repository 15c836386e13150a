// Formats other than TFRecord and images, of files that other libraries wrote,
// and damaged ones.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/dataset.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "host/input/zip.h"
#include "tests/host/input/format_files.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::FileOf;
using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::kInvalid;
using ::podsim::testing::OpenFormat;
using ::podsim::testing::RowsOf;
using ::podsim::testing::StatusIs;
using ::podsim::testing::Values;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
               "a record of cifar10 has 3073: fetch the file again"));
}

// As the archive that is downloaded, in whose place its folder is wanted.
TEST(Cifar, AnArchiveIsToldApartFromACutFile) {
  std::string tar(1024, '\0');
  tar.replace(0, 16, "data_batch_1.bin");
  tar.replace(257, 6, std::string("ustar\0", 6));
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/d/c.tar.gz", testing::Gzip(tar)), IsOk());
  EXPECT_THAT(
      OpenDataset({.name = "cifar10", .data_dir = "/d/c.tar.gz"}, *store),
      StatusIs(kInvalid,
               "/d/c.tar.gz is a tar archive packed with gzip: unpack it "
               "with tar -xzf /d/c.tar.gz and give the folder with "
               "data_batch_*.bin"));
  ASSERT_THAT(store->Write("/d/c.tar", tar), IsOk());
  EXPECT_THAT(
      OpenDataset({.name = "cifar100", .data_dir = "/d/c.tar"}, *store),
      StatusIs(kInvalid,
               "/d/c.tar is a tar archive: unpack it with tar -xf /d/c.tar "
               "and give the folder with train.bin"));
  EXPECT_THAT(
      OpenDataset({.name = "mnist", .data_dir = "/d/c.tar.gz"}, *store),
      StatusIs(kInvalid, HasSubstr("unpack it with tar -xf /d/c.tar.gz, "
                                   "and give that")));
}

// In a TFRecord, bytes where the schema wants numbers.
TEST(TfExample, BytesWhereNumbersAreWantedAreSaidSo) {
  ExampleWriter writer;
  writer.AddBytes("label", "7");
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/t/train", FrameRecord(std::move(writer).Finish())),
              IsOk());
  const auto read = [&](const std::string& type) -> absl::Status {
    PODSIM_ASSIGN_OR_RETURN(const auto dataset,
                            OpenDataset({.name = "tfrecord",
                                         .data_dir = "/t",
                                         .features = "a=label:" + type},
                                        *store));
    std::vector<std::byte> row(type == "float32[2]" ? 8 : 4);
    const std::vector<std::span<std::byte>> rows = {row};
    return dataset->Read(Split::kTrain, 0, {}, rows);
  };
  EXPECT_THAT(read("int64"),
              StatusIs(kDataLoss,
                       HasSubstr("feature label: it has a string of 1 byte "
                                 "where the schema wants 1 integer (or their "
                                 "8 bytes)")));
  EXPECT_THAT(read("float32[2]"),
              StatusIs(kDataLoss, HasSubstr("wants 2 floats (or their 8")));
}

TEST(TfExample, AKeyThatIsNotThereIsSaidWithThoseThatAre) {
  ExampleWriter writer;
  writer.AddBytes("image/encoded", "x");
  const std::int64_t label = 7;
  writer.AddInts("image/class/label", absl::MakeConstSpan(&label, 1));
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/t/train", FrameRecord(std::move(writer).Finish())),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const auto dataset,
                       OpenDataset({.name = "tfrecord",
                                    .data_dir = "/t",
                                    .features = "a=image/encode:uint8"},
                                   *store));
  std::byte value{};
  const std::vector<std::span<std::byte>> rows = {std::span(&value, 1)};
  EXPECT_THAT(
      dataset->Read(Split::kTrain, 0, {}, rows),
      StatusIs(kDataLoss,
               "/t/train: offset 0: feature image/encode: the record has none "
               "of that name; did you mean image/encoded? it has "
               "image/class/label, image/encoded"));
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
  EXPECT_THAT(
      OpenFormat("csv", "csv", "a=pixel9:int64"),
      StatusIs(
          kInvalid,
          AllOf(HasSubstr("features: the CSV files of "),
                HasSubstr("/csv have no column pixel9; did you mean pixel0 or "
                          "pixel1 or pixel2? the header begins label, pixel0, "
                          "pixel1, pixel2, weight, kg (5 columns)"))));
  EXPECT_THAT(
      OpenFormat("csv", "csv", "a=pixel1..pixel9:int64"),
      StatusIs(kInvalid,
               HasSubstr("no column pixel9 (of pixel1..pixel9); did you mean "
                         "pixel0 or pixel2? the header begins")));
  EXPECT_THAT(OpenFormat("csv", "csv", "a=pixel2..pixel0:int64[3]"),
              StatusIs(kInvalid, HasSubstr("no range FIRST..LAST of columns: "
                                           "write pixel0..pixel2")));
  EXPECT_THAT(OpenFormat("csv", "csv", "a=pixel0..pixel1..pixel2:int64[3]"),
              StatusIs(kInvalid, HasSubstr(": write pixel0..pixel2")));
  EXPECT_THAT(OpenFormat("csv", "csv", "a=height:int64"),
              StatusIs(kInvalid, HasSubstr("; name one of them, or give its "
                                           "place, such as #0")));
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
  EXPECT_THAT(
      read("1,2\n3\n", "a=1:int64"),
      StatusIs(kDataLoss,
               "/c/train.csv: line 2: column 1 (from 0): the line has 1 "
               "cell, not this one; mend the line, or delete it"));
  EXPECT_THAT(
      read("1,2\n3,x\n", "a=1:int64"),
      StatusIs(kDataLoss,
               "/c/train.csv: line 2: column 1 (from 0): 'x' is no whole "
               "number; write numbers there, or give another type or other "
               "columns in --features"));
  EXPECT_THAT(read("\n \r\na,b\n1,2\n", "a=a:int64"), IsOk());
  ASSERT_THAT(store->Write("/c/train2.csv", "b,a\n1,2\n"), IsOk());
  EXPECT_THAT(
      read("a,b\n1,2\n", "a=a:int64"),
      StatusIs(kDataLoss,
               "/c/train2.csv: offset 0: its first line is not the header of "
               "the first file: column 0 is 'b', not 'a'; give all files one "
               "header, or leave this one out by a name that begins with _"));
}

TEST(Csv, ATfRecordFileIsKnownByItsName) {
  const auto store = NewMemoryStore();
  for (const char* name : {"/d/a.tfrecord", "/d/x.tfrecord-00000-of-00002"}) {
    ASSERT_THAT(store->Write(name, "x"), IsOk());
    EXPECT_THAT(
        OpenDataset({.name = "csv", .data_dir = name}, *store),
        StatusIs(kInvalid,
                 absl::StrCat(name,
                              " is a TFRecord file by its name, no csv: "
                              "dataset=tfrecord reads it, with --features "
                              "(pod_data show ",
                              name, " lists its keys)")));
  }
}

// strtod takes 0x10 for 16.
TEST(Csv, ReadsDecimalNumbersAlone) {
  const auto store = NewMemoryStore();
  const auto read = [&](const std::string& cell) {
    PODSIM_CHECK(
        store
            ->Write("/c/my.csv",
                    absl::StrCat("a,b,c\n\n\"x\ny\",1,2\nz,3,", cell, "\n"))
            .ok());
    const auto dataset = OpenDataset({.name = "csv",
                                      .data_dir = "/c",
                                      .features = "features=b..c:float32[2]"},
                                     *store);
    if (!dataset.ok()) return dataset.status();
    float values[2] = {};
    const std::vector<std::span<std::byte>> rows = {
        std::as_writable_bytes(std::span(values))};
    return (*dataset)->Read(Split::kTrain, 1, {}, rows);
  };
  for (const char* good : {"16", "-2.5", "1e-3", "+.5", "nan", "inf"})
    EXPECT_THAT(read(good), IsOk()) << good;
  for (const std::string bad : {"0x10", "0X1p3", "1;5", "ten"})
    EXPECT_FALSE(read(bad).ok()) << bad;
  EXPECT_THAT(read("0x10"),
              StatusIs(kDataLoss,
                       "/c/my.csv: line 5: column 2 (c): '0x10' is no decimal "
                       "number; write numbers there, or leave the column out: "
                       "--features='features=b..b:float32[1]'"));
}

TEST(Csv, OneFileIsADataSetThatItsHeaderDescribes) {
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/c/my.csv",
                           "sepal width,petal,label\n1,2.5,0\n3,4,2\n5,6,1\n"),
              IsOk());
  ASSERT_THAT(store->Write("/c/other.csv", "1,2\n"), IsOk());
  ASSERT_OK_AND_ASSIGN(
      const auto dataset,
      OpenDataset({.name = "csv", .data_dir = "/c/my.csv"}, *store));
  const DatasetConfig& config = dataset->config();
  EXPECT_EQ(config.features(),
            "features=#0..petal:float32[2],labels=label:int64");
  EXPECT_EQ(config.classes(), 3);
  EXPECT_EQ(dataset->size(Split::kTrain), 3);
  EXPECT_EQ(dataset->size(Split::kEval), 0);
  EXPECT_THAT(
      dataset->notes(),
      ElementsAre("no --features: by its header, my.csv is read as "
                  "--features='features=#0..petal:float32[2],labels=label:"
                  "int64', the label in column 2 (label), 3 classes by the "
                  "largest label"));
  const auto rows = RowsOf(*dataset, Split::kTrain, 1);
  EXPECT_THAT(Values<float>(rows[0]), ElementsAre(3, 4));
  EXPECT_THAT(Values<std::int32_t>(rows[1]), ElementsAre(2));
  // As a host opens it, by what the plan says.
  ASSERT_OK_AND_ASSIGN(const auto again,
                       OpenDataset({.name = "csv",
                                    .data_dir = "/c/my.csv",
                                    .classes = config.classes(),
                                    .features = config.features()},
                                   *store));
  EXPECT_EQ(again->config().fingerprint(), config.fingerprint());
  EXPECT_THAT(again->notes(), ElementsAre());
}

TEST(Csv, ALabelThatIsNoneIsSaidWithWhatWasGuessed) {
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/c/my.csv", "a,b,species\n1,2,setosa\n"), IsOk());
  EXPECT_THAT(
      OpenDataset({.name = "csv", .data_dir = "/c/my.csv"}, *store),
      StatusIs(kDataLoss,
               AllOf(HasSubstr("/c/my.csv: line 2, offset 12: column 2 (from "
                               "0): feature species: 'setosa' is no whole "
                               "number; column species is taken for the "
                               "label: write its classes as 0, 1, ..."),
                     HasSubstr("--features='features=a..b:float32[2],"
                               "labels=COLUMN:int64'"))));
  ASSERT_THAT(store->Write("/c/my.csv", "a,b,label\n1,2,-1\n"), IsOk());
  EXPECT_THAT(OpenDataset({.name = "csv", .data_dir = "/c/my.csv"}, *store),
              StatusIs(kDataLoss,
                       HasSubstr("/c/my.csv: line 2: column 2 (label): label "
                                 "-1 is below 0; labels are whole numbers")));
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
      if (bytes.ok() && member.offset == members[0].offset) {
        EXPECT_EQ(*bytes, first) << i;
      }
      seen += bytes.ok() ? 0 : 1;
    }
  }
  EXPECT_GT(seen, 100);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    ASSERT_THAT(ReadZipDirectory(whole.substr(0, size), "f"),
                StatusIs(kDataLoss, HasSubstr("f: offset ")));
}

}  // namespace
}  // namespace podsim
