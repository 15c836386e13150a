// Data sets of NumPy's files.
#include "host/input/arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/npy.h"
#include "host/storage/uri_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

// As numpy.save writes: a header of 64 n bytes in all.
std::string Npy(const std::string& descr, const std::string& shape,
                const std::string& elements) {
  std::string header =
      absl::StrCat("{'descr': '", descr,
                   "', 'fortran_order': False, 'shape': (", shape, "), }");
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + elements;
}

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

TEST(NpyTest, ReadsTypesAndShapes) {
  const std::string file =
      Npy("<i4", "2, 3", BytesOf<std::int32_t>({1, 2, 3, 4, 5, 6}));
  ASSERT_OK_AND_ASSIGN(const NpyHeader header, ParseNpy(file, "x.npy"));
  EXPECT_EQ(header.dtype, DType::kInt32);
  EXPECT_EQ(header.shape, (std::vector<std::int64_t>{2, 3}));
  ASSERT_OK_AND_ASSIGN(const NpyHeader one,
                       ParseNpy(Npy("<f4", "2,", std::string(8, 0)), "x"));
  EXPECT_EQ(one.shape, std::vector<std::int64_t>{2});
  ASSERT_OK_AND_ASSIGN(const NpyHeader scalar,
                       ParseNpy(Npy("|b1", "", std::string(1, 1)), "x"));
  EXPECT_TRUE(scalar.shape.empty());
}

TEST(NpyTest, RefusesWithFileOffsetAndReason) {
  const std::string good = Npy("<f4", "2, 3", std::string(24, 0));
  const auto refused = [](const std::string& file, absl::StatusCode code,
                          const std::string& why) {
    EXPECT_THAT(
        ParseNpy(file, "x.npy"),
        StatusIs(code, AllOf(HasSubstr("x.npy: offset"), HasSubstr(why))));
  };
  const auto damaged = absl::StatusCode::kDataLoss;
  const auto invalid = absl::StatusCode::kInvalidArgument;
  refused("", damaged, "no file of NumPy's");
  refused("PK\x03\x04 something else", damaged, "no file of NumPy's");
  refused(good.substr(0, 40), damaged, "header");
  refused(good.substr(0, good.size() - 1), damaged, "its header says 24");
  refused(good + "x", damaged, "25 bytes of elements");
  refused(Npy("<f8", "3,", std::string(24, 0)), invalid, "float32");
  refused(Npy("<f4", "99999999999, 99999999999", ""), damaged, "out of range");
  std::string columns = good;
  columns.replace(columns.find("False"), 5, "True ");
  refused(columns, damaged, "none that NumPy");
}

class ArraysTest : public ::testing::Test {
 protected:
  void Put(const std::string& path, const std::string& bytes) {
    const std::filesystem::path file = dir_.file(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }
  void PutGood() {
    Put("train/x.npy", Npy("<f4", "3, 2", BytesOf<float>({1, 2, 3, 4, 5, 6})));
    Put("train/y/label.npy",
        Npy("<i4", "3,", BytesOf<std::int32_t>({7, 8, 9})));
  }
  absl::StatusOr<std::shared_ptr<const Dataset>> Open() {
    return OpenArrays(dir_.path(), *store_);
  }

  testing::TempDir dir_;
  const std::unique_ptr<ObjectStore> store_ = NewUriStore();
};

TEST_F(ArraysTest, AreReadWhereNothingCanBeMapped) {
  PutGood();
  ASSERT_OK_AND_ASSIGN(const auto mapped, Open());
  const std::unique_ptr<ObjectStore> memory = NewMemoryStore();
  for (const char* name : {"/train/x.npy", "/train/y/label.npy"}) {
    ASSERT_OK_AND_ASSIGN(const std::string bytes,
                         store_->Read(dir_.path() + name));
    ASSERT_THAT(memory->Write(std::string("/a") + name, bytes), IsOk());
  }
  ASSERT_OK_AND_ASSIGN(const auto read, OpenArrays("/a", *memory));
  EXPECT_EQ(read->config().fingerprint(), mapped->config().fingerprint());
}

TEST_F(ArraysTest, OffersEachFileAsAField) {
  PutGood();
  ASSERT_OK_AND_ASSIGN(const auto dataset, Open());
  EXPECT_EQ(dataset->size(Split::kTrain), 3);
  EXPECT_EQ(dataset->size(Split::kEval), 0);
  ASSERT_EQ(dataset->config().fields_size(), 2);
  EXPECT_EQ(dataset->config().fields(1).name(), "y/label");
  std::vector<float> x(2);
  std::vector<std::int32_t> y(1);
  const std::vector<std::span<std::byte>> rows = {
      std::as_writable_bytes(std::span(x)),
      std::as_writable_bytes(std::span(y))};
  ASSERT_THAT(dataset->Read(Split::kTrain, 2, {}, rows), IsOk());
  EXPECT_EQ(x, (std::vector<float>{5, 6}));
  EXPECT_EQ(y[0], 9);
}

TEST_F(ArraysTest, HasAFingerprintOfAllThatIsRead) {
  PutGood();
  ASSERT_OK_AND_ASSIGN(const auto before, Open());
  Put("train/y/label.npy", Npy("<i4", "3,", BytesOf<std::int32_t>({7, 8, 8})));
  ASSERT_OK_AND_ASSIGN(const auto after, Open());
  EXPECT_NE(before->config().fingerprint(), after->config().fingerprint());
}

TEST_F(ArraysTest, RefusesFieldsThatDoNotFitTogether) {
  EXPECT_THAT(Open(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("train")));
  PutGood();
  Put("eval/x.npy", Npy("<f4", "1, 2", BytesOf<float>({1, 2})));
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("eval/y/label.npy is not there")));
  Put("eval/y/label.npy", Npy("<i4", "2,", BytesOf<std::int32_t>({7, 8})));
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("examples")));
  Put("eval/y/label.npy", Npy("<i4", "1,", BytesOf<std::int32_t>({7})));
  ASSERT_OK_AND_ASSIGN(const auto dataset, Open());
  EXPECT_EQ(dataset->size(Split::kEval), 1);
  Put("train/z.npy", Npy("<f4", "", BytesOf<float>({1})));
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("no examples")));
}

}  // namespace
}  // namespace podsim
