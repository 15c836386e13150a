#include "host/input/synthetic.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/host/input/read_example.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Example;
using ::podsim::testing::ReadExample;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

DatasetRequest Request() {
  return {.name = "synthetic",
          .example_shape = {6, 7},
          .classes = 10,
          .examples = 1200,
          .seed = 1};
}

std::shared_ptr<const Dataset> OpenNamed(const DatasetRequest& request) {
  const auto store = NewMemoryStore();
  const auto dataset = OpenDataset(request, *store);
  PODSIM_CHECK(dataset.ok());
  return *dataset;
}

TEST(Synthetic, Describes) {
  const auto dataset = OpenNamed(Request());
  EXPECT_EQ(ReadExample(*dataset, Split::kTrain, 0).features.size(), 42);
  EXPECT_EQ(dataset->size(Split::kTrain), 1200);
  EXPECT_EQ(dataset->size(Split::kEval), 200);
  EXPECT_EQ(dataset->config().classes(), 10);
  EXPECT_EQ(dataset->config().example_shape_size(), 2);
}

TEST(Synthetic, SizesHaveAFloorAndADefault) {
  DatasetRequest request = Request();
  request.examples = 1;
  EXPECT_EQ(OpenNamed(request)->size(Split::kEval), 1);
  request.examples = 0;
  EXPECT_EQ(OpenNamed(request)->size(Split::kTrain), 60'000);
}

TEST(Synthetic, ExampleDependsOnSeedSplitAndIndexAlone) {
  const auto one = OpenNamed(Request());
  DatasetRequest longer = Request();
  longer.examples = 100'000;
  const auto two = OpenNamed(longer);
  for (std::int64_t index = 199; index >= 0; --index)
    EXPECT_EQ(ReadExample(*one, Split::kTrain, index),
              ReadExample(*two, Split::kTrain, index));
  DatasetRequest other_seed = Request();
  other_seed.seed = 2;
  EXPECT_NE(ReadExample(*one, Split::kTrain, 0),
            ReadExample(*OpenNamed(other_seed), Split::kTrain, 0));
  EXPECT_NE(ReadExample(*one, Split::kTrain, 0).features,
            ReadExample(*one, Split::kEval, 0).features);
}

TEST(Synthetic, ExamplesDifferAndStayInRange) {
  const auto dataset = OpenNamed(Request());
  std::set<std::vector<float>> distinct;
  std::set<std::int32_t> labels;
  for (std::int64_t index = 0; index < 1200; ++index) {
    const Example example = ReadExample(*dataset, Split::kTrain, index);
    for (const float feature : example.features) {
      EXPECT_GE(feature, 0);
      EXPECT_LE(feature, 1);
    }
    labels.insert(example.label);
    distinct.insert(example.features);
  }
  EXPECT_EQ(distinct.size(), 1200);
  EXPECT_EQ(labels.size(), 10);
  EXPECT_EQ(*labels.begin(), 0);
  EXPECT_EQ(*labels.rbegin(), 9);
}

// The simplest learner there is, the mean of each class, must generalise: the
// squared distance between two centres is about 42 * 0.03 = 1.3 here, the noise
// along the line between them has a standard deviation of 0.08.
TEST(Synthetic, NearestClassMeanIsRightOnHeldOutExamples) {
  const auto dataset = OpenNamed(Request());
  std::vector<std::vector<double>> mean(10, std::vector<double>(42));
  std::vector<int> count(10);
  for (std::int64_t index = 0; index < 1200; ++index) {
    const Example example = ReadExample(*dataset, Split::kTrain, index);
    ++count[example.label];
    for (int f = 0; f < 42; ++f) mean[example.label][f] += example.features[f];
  }
  int right = 0;
  for (std::int64_t index = 0; index < 200; ++index) {
    const Example example = ReadExample(*dataset, Split::kEval, index);
    std::vector<double> distance(10);
    for (int c = 0; c < 10; ++c) {
      for (int f = 0; f < 42; ++f) {
        const double gap = mean[c][f] / count[c] - example.features[f];
        distance[c] += gap * gap;
      }
    }
    const auto nearest = std::min_element(distance.begin(), distance.end());
    if (nearest - distance.begin() == example.label) ++right;
  }
  EXPECT_GE(right, 196);
}

TEST(Synthetic, FingerprintCoversEveryParameter) {
  std::set<std::string> fingerprints;
  const DatasetRequest base = Request();
  DatasetRequest shape = base;
  shape.example_shape = {7, 6};
  DatasetRequest classes = base;
  classes.classes = 11;
  DatasetRequest examples = base;
  examples.examples = 1201;
  DatasetRequest seed = base;
  seed.seed = 2;
  for (const DatasetRequest& request : {base, shape, classes, examples, seed})
    fingerprints.insert(OpenNamed(request)->config().fingerprint());
  EXPECT_EQ(fingerprints.size(), 5);
  EXPECT_TRUE(fingerprints.count(OpenNamed(base)->config().fingerprint()));
}

TEST(Synthetic, RefusesWhatIsOutOfRange) {
  const auto refused = [](const DatasetRequest& request, const char* given,
                          const char* flag) {
    EXPECT_THAT(OpenSynthetic(request),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(given), HasSubstr(flag))));
  };
  DatasetRequest request = Request();
  for (const auto& [shape, text] :
       std::vector<std::pair<std::vector<std::int32_t>, const char*>>{
           {{}, "[]"},
           {{28, 0}, "[28,0]"},
           {{-1}, "[-1]"},
           {{0, 5, 5}, "[0,5,5]"},
           {{65536, 65536}, "[65536,65536]"},
           {{2147483647, 2147483647, 2147483647}, "2147483647"}}) {
    request.example_shape = shape;
    refused(request, text, "--example_shape=28,28");
  }
  request = Request();
  for (const std::int32_t classes : {-1, 0, 1, 2'000'000}) {
    request.classes = classes;
    refused(request, std::to_string(classes).c_str(), "--classes=10");
  }
  request = Request();
  request.examples = -5;
  refused(request, "-5", "synthetic_examples");
}

}  // namespace
}  // namespace podsim
