// What an error says of the folder in which something is not there.
#include "host/storage/beside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>

#include "host/storage/no_file.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;

class BesideTest : public ::testing::Test {
 protected:
  void Put(const std::string& name) {
    ASSERT_THAT(store_->Write(dir_.file(name), "x"), IsOk());
  }

  testing::TempDir dir_;
  const std::unique_ptr<ObjectStore> store_ = NewLocalStore();
};

TEST_F(BesideTest, NamesThatAreNearAreOffered) {
  Put("data/train.csv");
  Put("data/notes.txt");
  EXPECT_EQ(BesideText(*store_, dir_.file("data/trian.csv")),
            "; did you mean " + dir_.file("data/train.csv") + "?");
  EXPECT_EQ(BesideText(*store_, dir_.file("dat/")),
            "; did you mean " + dir_.file("data") + "?");
}

TEST_F(BesideTest, OnlyWhatIsWantedIsOffered) {
  Put("mnist.zip");
  Put("mnist_idx/x");
  const std::string path = dir_.file("mnist");
  const std::string zip = path + ".zip";
  const std::string folder = path + "_idx";
  EXPECT_EQ(BesideText(*store_, path),
            "; did you mean " + zip + " or " + folder + "?");
  EXPECT_EQ(BesideText(*store_, path, Wanted::kFile),
            "; did you mean " + zip + "?");
  for (const std::string& given : {path, path + "/"})
    EXPECT_EQ(BesideText(*store_, given, Wanted::kFolder),
              "; did you mean " + folder + "?");
  EXPECT_EQ(BesideText(*store_, path + "/"), "; did you mean " + folder + "?");
  EXPECT_EQ(
      BesideText(*store_, path + "/train"),
      "; there is no folder " + path + " either; did you mean " + folder + "?");
  EXPECT_EQ(BesideText(*store_, dir_.file("mnist.zi"), Wanted::kFolder),
            "; " + dir_.path() + " holds mnist.zip, mnist_idx/");
}

TEST_F(BesideTest, WithoutANearNameItSaysWhatIsThere) {
  for (const char* name : {"d/a.csv", "d/b/c", "d/d.csv", "d/e.csv", "d/.f"})
    Put(name);
  EXPECT_EQ(BesideText(*store_, dir_.file("d/measurements")),
            "; " + dir_.file("d") + " holds a.csv, b/, d.csv and 1 more");
  EXPECT_EQ(BesideText(*store_, dir_.file("d/b/measurements")),
            "; " + dir_.file("d/b") + " holds c");
}

TEST_F(BesideTest, TheFirstFolderThatIsMissingIsNamed) {
  Put("data/x");
  EXPECT_EQ(BesideText(*store_, dir_.file("dta/set/train")),
            "; there is no folder " + dir_.file("dta") +
                " either; did you mean " + dir_.file("data") + "?");
  EXPECT_EQ(
      BesideText(*store_, dir_.file("data/x/train")),
      "; there is no folder " + dir_.file("data/x") + " either: it is a file");
}

TEST_F(BesideTest, WhatIsThereAndCannotBeReadIsSaid) {
  const std::string pipe = dir_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere", dir_.file("link"));
  EXPECT_EQ(BesideText(*store_, pipe),
            ": it is a device or a pipe, not a regular file");
  EXPECT_EQ(BesideText(*store_, pipe + "/x"),
            "; there is no folder " + pipe +
                " either: it is a device or a pipe, not a regular file");
  EXPECT_EQ(BesideText(*store_, dir_.file("link")),
            ": it is a link to nowhere, which is not there");
}

// Of the root nothing is said, nor of a store that is not this machine's.
TEST_F(BesideTest, NothingIsSaidOfOtherPlaces) {
  EXPECT_EQ(BesideText(*store_, "/nowhere-at-all"), "");
  EXPECT_EQ(BesideText(*store_, "/"), "");
  EXPECT_EQ(BesideText(*store_, ""), "");
  EXPECT_EQ(BesideText(*NewMemoryStore(), "a/b"), "");
}

TEST(HoldsText, NamesAFewOrNone) {
  EXPECT_EQ(HoldsText({"a", "b/"}), "; it holds a, b/");
  EXPECT_EQ(HoldsText({"a", "b", "c", "d", "e"}),
            "; it holds a, b, c and 2 more");
  EXPECT_EQ(HoldsText({".hidden"}), "; it is empty");
}

TEST_F(BesideTest, AFileThatIsNotThereIsSaidWithWhatIs) {
  Put("my.model");
  EXPECT_THAT(NoFile(*store_, dir_.file("my.modle"), "model file"),
              StatusIs(absl::StatusCode::kNotFound,
                       "there is no model file " + dir_.file("my.modle") +
                           "; give the path of one that exists; did you mean " +
                           dir_.file("my.model") + "?"));
  EXPECT_THAT(
      NoFolder(*store_, dir_.file("runs"), "a model_dir"),
      StatusIs(absl::StatusCode::kNotFound,
               "there is no folder " + dir_.file("runs") +
                   "; give a model_dir; " + dir_.path() + " holds my.model"));
}

}  // namespace
}  // namespace podsim
