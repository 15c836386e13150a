// What a file of numbers for one step must hold, tensor by tensor.
#include "runtime/program/given_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/models/zoo/small_model.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::SmallProgram;
using ::podsim::testing::StatusIs;

class GivenTensorsTest : public ::testing::Test {
 protected:
  GivenTensorsTest() {
    Give("variable/dense_0/kernel", "F32", {6, 5});
    Give("variable/dense_0/bias", "F32", {5});
    Give("variable/dense_1/kernel", "F32", {5, 4});
    Give("variable/dense_1/bias", "F32", {4});
    Give("input/features", "F32", {7, 3, 2});
    Give("input/labels", "I32", {7});
  }

  // In the place of what was given by that name.
  void Give(const std::string& name, const std::string& dtype,
            const std::vector<std::int64_t>& shape) {
    Leave(name);
    given_.tensors.push_back({.name = name, .dtype = dtype, .shape = shape});
  }
  void Leave(const std::string& name) {
    std::erase_if(given_.tensors, [&](const SafetensorsEntry& entry) {
      return entry.name == name;
    });
  }
  absl::Status Check() { return CheckGivenTensors(SmallProgram(), given_); }

  SafetensorsHeader given_;
};

TEST_F(GivenTensorsTest, WhatIsReadMustBeThere) {
  EXPECT_THAT(Check(), IsOk());
  Give("exact/loss", "F64", {});  // not looked at
  EXPECT_THAT(Check(), IsOk());
  Leave("input/labels");
  Give("input/label", "I32", {7});
  EXPECT_THAT(Check(), StatusIs(kInvalid,
                                "--values has no tensor input/labels; the "
                                "model reads I32 [B]: give it so; did you "
                                "mean input/label?"));
  Leave("variable/dense_1/bias");
  EXPECT_THAT(Check(),
              StatusIs(kInvalid, ::testing::HasSubstr(
                                     "--values has no tensor "
                                     "variable/dense_1/bias; the model reads "
                                     "F32 [4]: give it so")));
}

TEST_F(GivenTensorsTest, TypesAndShapesAreTheModels) {
  Give("variable/dense_0/kernel", "F64", {6, 5});
  EXPECT_THAT(Check(), StatusIs(kInvalid,
                                "--values has variable/dense_0/kernel as F64 "
                                "[6, 5]; the model reads F32 [6, 5]: give it "
                                "so"));
  Give("variable/dense_0/kernel", "F32", {5, 6});
  EXPECT_THAT(Check(), StatusIs(kInvalid,
                                "--values has variable/dense_0/kernel as F32 "
                                "[5, 6]; the model reads F32 [6, 5]: give it "
                                "so"));
  Give("variable/dense_0/kernel", "F32", {30});
  EXPECT_THAT(Check(), IsOk());
  Give("input/features", "F32", {7, 2, 3});
  EXPECT_THAT(Check(), StatusIs(kInvalid,
                                "--values has input/features as F32 [7, 2, 3]; "
                                "the model reads F32 [B, 3, 2]: give it so"));
  Give("input/features", "F32", {7, 3, 3});
  EXPECT_THAT(Check(), StatusIs(kInvalid,
                                "--values has input/features as F32 [7, 3, 3]; "
                                "the model reads F32 [B, 3, 2]: give it so"));
  Give("input/features", "F32", {6, 3, 2});
  EXPECT_THAT(Check(), StatusIs(kInvalid,
                                "--values has 7 examples in input/labels and 6 "
                                "in input/features: give as many in each"));
}

}  // namespace
}  // namespace podsim
