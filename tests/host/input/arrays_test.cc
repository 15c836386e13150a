// Data sets of NumPy's files.
#include "host/input/arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

// A header of 64 n bytes in all.
std::string NpyOf(std::string header, const std::string& elements) {
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + elements;
}

// As numpy.save writes.
std::string Npy(const std::string& descr, const std::string& shape,
                const std::string& elements) {
  return NpyOf(
      absl::StrCat("{'descr': '", descr,
                   "', 'fortran_order': False, 'shape': (", shape, "), }"),
      elements);
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
  refused("<html>", damaged, "it is a web page (HTML)");
  refused("1,2,3\n", damaged, "it is text, beginning '1,2,3'; numpy.save");
  refused(Npy("<U1", "3,", std::string(12, 0)), invalid,
          "numpy.unique(a, return_inverse=True)[1]");
  refused(Npy("<c8", "3,", std::string(24, 0)), invalid,
          "save a.real and a.imag");
  refused(Npy("|O", "3,", std::string(24, 0)), invalid,
          "its dtype is '|O', Python objects (pickled); podsim reads float32");
  refused(Npy("|O", "3,", std::string(24, 0)), invalid,
          "little endian: save np.stack(a).astype('<f4'), with examples all of "
          "one shape");
  refused(good.substr(0, 40), damaged, "header");
  refused(good.substr(0, good.size() - 1), damaged, "its header says 24");
  refused(good + "x", damaged, "25 bytes of elements");
  refused(Npy("<f2", "3,", std::string(6, 0)), invalid,
          "its dtype is '<f2'; podsim reads float32 and float64");
  refused(Npy(">f4", "3,", std::string(12, 0)), invalid,
          "little endian: save a.astype('<f4')");
  refused(Npy("<f4", "99999999999, 99999999999", ""), damaged, "out of range");
  std::string columns = good;
  columns.replace(columns.find("False"), 5, "True ");
  refused(columns, invalid, "its columns come first");
  refused(NpyOf("{'descr': '<f4', 'shape': (3,)}", std::string(12, 0)), damaged,
          "its header, {'descr': '<f4', 'shape': (3,)}");
  refused(NpyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (3)}",
                std::string(12, 0)),
          damaged, "is no dict of descr, fortran_order and shape");
}

TEST(NpyTest, ReadsHeadersThatAreSpacedOtherwise) {
  const std::pair<const char*, std::vector<std::int64_t>> headers[] = {
      {"{'descr':'<f4','fortran_order':False,'shape':(2,1)}", {2, 1}},
      {"{'descr':'<f4','fortran_order':False,'shape':(1,2,1)}", {1, 2, 1}},
      {"{'shape': (2L, 1L), 'fortran_order': False, 'descr': '<f4'}", {2, 1}},
      {"{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2 ,)}", {2}},
      {" { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 1, 2, ) }",
       {1, 2}}};
  for (const auto& [text, shape] : headers) {
    const auto header = ParseNpy(NpyOf(text, std::string(8, 0)), "x");
    ASSERT_THAT(header.status(), IsOk()) << text;
    EXPECT_EQ(header->shape, shape) << text;
  }
}

TEST(NpyTest, SaysThatElementsAreRecords) {
  const std::string file = NpyOf(
      "{'descr': [('pixels', '<f4', (2,)), ('label', '<i8')], "
      "'fortran_order': False, 'shape': (3,), }",
      std::string(48, 0));
  EXPECT_THAT(
      ParseNpy(file, "x.npy"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("its elements are records, [('pixels', '<f4', "
                               "(2,)), ('label', '<i8')]"),
                     HasSubstr("numpy.save('pixels.npy', a['pixels'])"))));
}

template <typename S, typename T>
void ExpectRead(const std::string& descr, const std::vector<S>& stored,
                DType type, const std::vector<T>& read) {
  const std::string file =
      Npy(descr, absl::StrCat(stored.size(), ","), BytesOf(stored));
  ASSERT_OK_AND_ASSIGN(const NpyHeader header, ParseNpy(file, "x"));
  EXPECT_EQ(header.dtype, type) << descr;
  const std::string_view elements = std::string_view(file).substr(header.begin);
  EXPECT_THAT(CheckNpyValues(header, elements, "x"), IsOk()) << descr;
  std::vector<T> values(read.size());
  ReadNpyElements(header, elements, std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(values, read) << descr;
}

TEST(NpyTest, ReadsEveryWidthAsATypeOfItsOwn) {
  ExpectRead<std::int64_t, std::int32_t>(
      "<i8", {-2147483648, 7, 2147483647}, DType::kInt32,
      {std::numeric_limits<std::int32_t>::min(), 7, 2147483647});
  ExpectRead<std::uint64_t, std::uint32_t>("<u8", {0, 4294967295},
                                           DType::kUint32, {0, 4294967295});
  ExpectRead<std::uint16_t, std::int32_t>("<u2", {0, 1, 65535}, DType::kInt32,
                                          {0, 1, 65535});
  ExpectRead<std::int16_t, std::int32_t>("<i2", {-32768, 3}, DType::kInt32,
                                         {-32768, 3});
  ExpectRead<std::int8_t, std::int32_t>("|i1", {-128, 3}, DType::kInt32,
                                        {-128, 3});
  ExpectRead<double, float>("<f8", {0.1, -2}, DType::kFloat32, {0.1F, -2});
  ExpectRead<std::uint8_t, std::uint8_t>("<u1", {255}, DType::kUint8, {255});
  // Any byte but 0 is true, and true is 1.
  ExpectRead<std::uint8_t, std::uint8_t>("|b1", {0, 1, 2, 255}, DType::kBool,
                                         {0, 1, 1, 1});
}

TEST(NpyTest, RefusesTheFirstValueThatDoesNotFit) {
  const auto refused = [](const std::string& descr, const std::string& bytes,
                          const std::string& why) {
    const std::string file = Npy(descr, "2, 2", bytes);
    ASSERT_OK_AND_ASSIGN(const NpyHeader header, ParseNpy(file, "x.npy"));
    EXPECT_THAT(
        CheckNpyValues(header, std::string_view(file).substr(header.begin),
                       "x.npy"),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  refused("<i8", BytesOf<std::int64_t>({1, 2, 3, 2147483648}),
          "x.npy: [1, 1] is 2147483648, which int32 cannot hold");
  refused("<i8", BytesOf<std::int64_t>({1, -2147483649, 3, 2147483648}),
          "x.npy: [0, 1] is -2147483649, which");
  refused("<u8", BytesOf<std::uint64_t>({1, 2, 4294967296, 0}),
          "x.npy: [1, 0] is 4294967296, which uint32 cannot hold");
  refused("<f8", BytesOf<double>({1, 2, 3, 1e39}), "x.npy: [1, 1] is 1e+39");
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

TEST_F(ArraysTest, CountsMakeShapesOfThemForAPlan) {
  PutGood();
  Put("podsim-counts", "1000000 0");
  ASSERT_OK_AND_ASSIGN(const auto shapes, Open());
  EXPECT_EQ(shapes->size(Split::kTrain), 1'000'000);
  EXPECT_EQ(shapes->size(Split::kEval), 0);
  EXPECT_EQ(shapes->config().fingerprint(), "");
  EXPECT_EQ(shapes->config().fields_size(), 2);
  EXPECT_THAT(shapes->Read(Split::kTrain, 0, {}, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("shapes for a plan alone")));
  for (const char* wrong : {"", "0 0", "5 5", "5 0 0", "-5 0", "many"}) {
    Put("podsim-counts", wrong);
    EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("podsim-counts: ")))
        << wrong;
  }
}

TEST_F(ArraysTest, TakesLabelsOf64BitsThatFitIn32) {
  PutGood();
  ASSERT_OK_AND_ASSIGN(const auto of_32, Open());
  Put("train/y/label.npy", Npy("<i8", "3,", BytesOf<std::int64_t>({7, 8, 9})));
  ASSERT_OK_AND_ASSIGN(const auto of_64, Open());
  EXPECT_EQ(of_64->config().fields(1).dtype(), "int32");
  EXPECT_EQ(of_64->config().fingerprint(), of_32->config().fingerprint());
  std::vector<float> x(2);
  std::vector<std::int32_t> y(1);
  const std::vector<std::span<std::byte>> rows = {
      std::as_writable_bytes(std::span(x)),
      std::as_writable_bytes(std::span(y))};
  ASSERT_THAT(of_64->Read(Split::kTrain, 2, {}, rows), IsOk());
  EXPECT_EQ(y[0], 9);
  Put("train/y/label.npy",
      Npy("<i8", "3,", BytesOf<std::int64_t>({7, 8, std::int64_t{1} << 40})));
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("label.npy: [2] is 1099511627776, "
                                         "which int32 cannot hold")));
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
                               HasSubstr("its shape is (), with no examples")));
}

TEST_F(ArraysTest, AnotherFolderIsSaidWithWhatItHolds) {
  PutGood();
  const auto open = [&](const std::string& folder) {
    return OpenArrays(dir_.path() + folder, *store_).status();
  };
  EXPECT_THAT(open("/train"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("; such as --data_dir=" + dir_.path())));
  EXPECT_THAT(open("/train/y"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("; it holds label.npy: move the arrays into "
                                 "train")));
  EXPECT_THAT(open("/tarin"), StatusIs(absl::StatusCode::kNotFound,
                                       HasSubstr("; did you mean " +
                                                 dir_.file("train") + "?")));
  Put("other/train/notes.txt", "x");
  EXPECT_THAT(open("/other"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("/other/train/features.npy', x) writes it; it "
                                 "holds notes.txt")));
}

// Where other data sets take "test", arrays do not.
TEST_F(ArraysTest, AnEvalSplitOfAnotherNameIsToldOf) {
  PutGood();
  Put("test/x.npy", Npy("<f4", "1, 2", BytesOf<float>({1, 2})));
  ASSERT_OK_AND_ASSIGN(const auto dataset, Open());
  EXPECT_EQ(dataset->size(Split::kEval), 0);
  EXPECT_THAT(dataset->notes(),
              ::testing::ElementsAre("no eval split: " + dir_.file("test/") +
                                     " is left out; call it eval/"));
}

}  // namespace
}  // namespace podsim
