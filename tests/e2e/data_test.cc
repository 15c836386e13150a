// Data sets as shards, with the programs that people use: the bits of what they
// were made from, on other slices too, and an end that says what is damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/pod.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ShardsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Subprocess convert(
        {.command = {Program("pod_data"), "convert", "--dataset=digits",
                     "--shards=7", "--output=" + dir_.file("shards")}});
    ASSERT_EQ(convert.Wait(kDeadline), 0) << convert.output();
  }

  // A job, its index kept in this test's folder.
  std::vector<std::string> Job(std::vector<std::string> more) const {
    more.insert(more.end(), {"--model=mlp", "--hidden=16", "--batch_per_core=4",
                             "--learning_rate=0.05", "--reduction=tree",
                             "--microbatch_size=4"});
    return more;
  }
  std::vector<std::string> OfShards(std::vector<std::string> more) const {
    more.insert(more.end(), {"--dataset=tfrecord", "--classes=10",
                             "--data_dir=" + dir_.file("shards/train-*"),
                             "--features=features=float32[8,8],labels=int32"});
    return Job(std::move(more));
  }
  std::vector<std::pair<std::string, std::string>> Environment() const {
    return {{"XDG_CACHE_HOME", dir_.file("cache")}};
  }
  std::string Hash(const std::vector<std::string>& flags) const {
    PodRun pod(flags, Environment());
    EXPECT_EQ(pod.Wait(), 0) << pod.output();
    const nlohmann::json summary = pod.Event("summary");
    return summary.value("weights_hash", pod.output());
  }

  const TempDir dir_;
};

TEST_F(ShardsTest, TrainToTheBitsOfWhatTheyWereMadeFrom) {
  const std::string digits =
      Hash(Job({"--dataset=digits", "--topology=v3-32", "--train_steps=30",
                "--reference_topology=v3-32"}));
  EXPECT_EQ(digits.size(), 64u) << digits;
  for (const char* threads : {"--input_threads=1", "--input_threads=5"})
    EXPECT_EQ(Hash(OfShards({"--topology=v3-32", "--train_steps=30",
                             "--reference_topology=v3-32", threads,
                             "--input_memory=2M"})),
              digits);
}

// What was read off a file that no flag describes.
TEST(CsvFileTest, StandsInTheShortPlan) {
  const TempDir dir;
  std::ofstream(dir.file("my.csv")) << "x,label\n1,0\n2,1\n";
  Subprocess plan(
      {.command = {Program("pod_launch"), "--dry_run", "--model=mlp",
                   "--hidden=4", "--topology=v3-8", "--batch_per_core=1",
                   "--train_steps=1", "--learning_rate=0.1",
                   "--data_dir=" + dir.file("my.csv")}});
  EXPECT_EQ(plan.Wait(kDeadline), 0) << plan.output();
  EXPECT_THAT(plan.output(),
              HasSubstr("\ndata           no --features: by its header, my.csv "
                        "is read as"));
}

// 20 steps of 128 examples, then 80 of 32 on another slice, which begins in the
// middle of an epoch.
TEST_F(ShardsTest, GoOnOnAnotherSliceWhereTheyWere) {
  const std::string model = "--model_dir=" + dir_.file("m");
  const std::string other = "--model_dir=" + dir_.file("o");
  Hash(OfShards({"--topology=v3-32", "--train_steps=20", model,
                 "--reference_topology=v3-32"}));
  Hash(Job({"--dataset=digits", "--topology=v3-32", "--train_steps=20", other,
            "--reference_topology=v3-32"}));
  const std::vector<std::string> on = {"--topology=v3-8", "--train_steps=160",
                                       "--reference_topology=v3-8"};
  std::vector<std::string> shards = on;
  shards.push_back(model);
  std::vector<std::string> digits = on;
  digits.insert(digits.end(), {"--dataset=digits", other});
  const std::string hash = Hash(OfShards(shards));
  EXPECT_EQ(hash.size(), 64u) << hash;
  EXPECT_EQ(hash, Hash(Job(digits)));
}

// A folder of this machine that is said to be on another continent: nothing
// comes faster than the line carries it.
TEST_F(ShardsTest, ComeAsSlowlyAsTheirPlaceIsFar) {
  const std::string links = dir_.file("links");
  std::ofstream(links)
      << "links { from: \"anywhere\" round_trip_seconds { value: 0.2 }"
         " jitter_seconds { value: 0.05 } host_bytes_per_second { value: 1e6 } "
         "}"
         "links { from: \"same-region\" round_trip_seconds { value: 1e-3 }"
         " jitter_seconds { value: 1e-4 } host_bytes_per_second { value: 1e10 }"
         " }";
  const auto run = [&](const std::string& location) {
    PodRun pod(
        OfShards({"--topology=v3-32", "--train_steps=30",
                  "--reference_topology=v3-32", "--input_memory=2M",
                  "--simulate_geography", "--zone=europe-west4-a",
                  "--bucket_location=" + location, "--bucket_links=" + links}),
        Environment());
    EXPECT_EQ(pod.Wait(), 0) << pod.output();
    return pod.Event("summary");
  };
  const nlohmann::json near = run("europe-west4");
  const nlohmann::json far = run("asia-east1");
  ASSERT_EQ(far.at("weights_hash"), near.at("weights_hash"));
  // The first batch of a host is there after a round trip and its bytes.
  EXPECT_GT(far.at("seconds_input").get<double>(), 0.15);
  EXPECT_GT(far.at("seconds_input").get<double>(),
            near.at("seconds_input").get<double>());
}

// As numpy.save writes it.
void WriteNpy(const std::string& path, const std::string& type,
              const std::string& shape, const std::string& bytes) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(118 - 1, ' ');
  header += '\n';
  std::ofstream(path, std::ios::binary)
      << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header << bytes;
}

// Its host can say so to nobody but its own log, and then is gone.
TEST(ArraysTest, AFileThatIsShortenedInMidRunIsTheReason) {
  constexpr int kRows = 20000;
  const TempDir dir;
  std::filesystem::create_directory(dir.file("train"));
  const std::string features = dir.file("train/features.npy");
  WriteNpy(features, "<f4", "20000, 8, 8", std::string(kRows * 64 * 4, '\0'));
  std::string labels(kRows * 4, '\0');
  for (int row = 0; row < kRows; ++row)
    labels[4 * row] = static_cast<char>(row % 10);
  WriteNpy(dir.file("train/labels.npy"), "<i4", "20000,", labels);
  const std::string model = dir.file("model");
  Subprocess write(
      {.command = {Program("pod_launch"), "--model=mlp", "--hidden=16",
                   "--dataset=digits", "--write_model=" + model}});
  ASSERT_EQ(write.Wait(kDeadline), 0) << write.output();
  PodRun pod({"--dataset=arrays", "--data_dir=" + dir.path(),
              "--model_file=" + model, "--topology=v3-32", "--batch_per_core=4",
              "--learning_rate=0.05", "--train_steps=100000000"});
  ASSERT_TRUE(pod.WaitForEvents("step", 5)) << pod.output();
  std::filesystem::resize_file(features, 4096);
  EXPECT_EQ(pod.Wait(), 1) << pod.output();
  const std::string why = features + ": it was shortened from ";
  EXPECT_THAT(pod.Event("failure").value("message", pod.output()),
              HasSubstr(why));
  EXPECT_THAT(pod.Unwrapped(), HasSubstr("reason " + why));
}

TEST_F(ShardsTest, DamageEndsTheJobByName) {
  const std::string path = dir_.file("shards/train-00003-of-00007");
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5000);
    file.put('X');
  }
  PodRun pod(OfShards({"--topology=v3-32", "--train_steps=60",
                       "--reference_topology=v3-32"}),
             Environment());
  EXPECT_EQ(pod.Wait(), 1) << pod.output();
  EXPECT_THAT(pod.Unwrapped(),
              AllOf(HasSubstr("reason input: " + path +
                              ": offset 4728: the "
                              "checksum of a record's bytes is wrong"),
                    HasSubstr(", input")));
}

}  // namespace
}  // namespace podsim::testing
