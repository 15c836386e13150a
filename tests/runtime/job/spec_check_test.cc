// Values that no job may have are refused, with what is allowed.
#include "runtime/job/spec_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "interconnect/collectives/algorithms.h"
#include "job/bench_cases.h"
#include "models/kernels/kernels.h"
#include "settings/setting.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Every number in the message has a bound: a new field needs one too.
TEST(SpecCheckTest, EveryNumberIsBounded) {
  const auto* descriptor = JobSpec::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    SCOPED_TRACE(field->name());
    JobSpec spec;
    const auto* reflection = spec.GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        if (field->is_repeated())
          reflection->AddInt32(&spec, field, -1);
        else
          reflection->SetInt32(&spec, field, -1);
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        if (field->is_repeated())
          reflection->AddInt64(&spec, field, -1);
        else
          reflection->SetInt64(&spec, field, -1);
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        if (field->is_repeated())
          reflection->AddDouble(&spec, field, -1);
        else
          reflection->SetDouble(&spec, field, -1);
        break;
      default:
        continue;  // text; and the seed may be any number
    }
    EXPECT_THAT(
        CheckSpec(spec),
        StatusIs(kInvalid, AllOf(HasSubstr(field->name()), HasSubstr("-1"))));
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE) continue;
    for (const double value :
         {std::nan(""), std::numeric_limits<double>::infinity()}) {
      if (field->is_repeated())
        reflection->SetRepeatedDouble(&spec, field, 0, value);
      else
        reflection->SetDouble(&spec, field, value);
      EXPECT_THAT(CheckSpec(spec),
                  StatusIs(kInvalid, HasSubstr(field->name())));
    }
  }
}

struct RefusedSpec {
  const char* text;
  const char* allowed;
};

class RefusedSpecTest : public ::testing::TestWithParam<RefusedSpec> {};

TEST_P(RefusedSpecTest, SaysWhatIsAllowed) {
  EXPECT_THAT(CheckSpec(Spec(GetParam().text)),
              StatusIs(kInvalid, HasSubstr(GetParam().allowed)));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedSpecTest,
    ::testing::Values(
        RefusedSpec{"train_steps: 0", "train_steps is 0; allowed: 1 to"},
        RefusedSpec{"train_steps: 9223372036854775807", "1,099,511,627,776"},
        RefusedSpec{"batch_per_core: 0", "allowed: 1 to"},
        RefusedSpec{"epochs: 0", "more than 0"},
        RefusedSpec{"learning_rate: 0", "more than 0"},
        RefusedSpec{"momentum: 1", "at least 0 and less than 1"},
        RefusedSpec{"precision: 16", "16; allowed: bfloat16, float32"},
        RefusedSpec{"lr_scaling: 3", "linear, sqrt, none"},
        RefusedSpec{"transport: 3", "shm, unix, tcp"},
        RefusedSpec{"isa: 5", "v2, v3, v4, bf16, amx"},
        RefusedSpec{"wrap: -1", "auto, torus, mesh"},
        RefusedSpec{
            "model_dir: 's3://bucket/x'",
            "model_dir: s3://bucket/x: no store serves s3://; give a plain "
            "path"},
        RefusedSpec{"data_dir: 's3://bucket/mnist'",
                    "data_dir: s3://bucket/mnist: no store serves s3://"},
        RefusedSpec{"restore: 'file:///tmp/m/100'",
                    "restore: file:///tmp/m/100: no store serves file://"},
        RefusedSpec{"log_dir: 'gs://bucket/logs'",
                    "log_dir: gs://bucket/logs: this cannot lie on gs://"},
        RefusedSpec{"log_dir: 'hdfs:/logs'",
                    "log_dir: hdfs:/logs: this cannot lie on hdfs://"},
        RefusedSpec{"chunk_bytes: 6", "multiples of 4 bytes, such as 4 or 8"},
        RefusedSpec{"chunk_bytes: 8388608", "4,194,304"},
        RefusedSpec{"classes: 1", "allowed: 2 to"},
        RefusedSpec{"hidden: [128, 0]",
                    "hidden is 128,0; allowed: numbers from 1"},
        RefusedSpec{"hidden: 2000000", "1,048,576"},
        RefusedSpec{"example_shape: [5000, 5000]", "16,777,216"},
        RefusedSpec{"example_shape: [2147483647, 2147483647, 2147483647]",
                    "16,777,216"},
        RefusedSpec{"example_shape: [1,1,1,1,1,1,1,1,1]", "up to 8 numbers"}));

struct Excluding {
  const char* text;
  const char* first;
  const char* second;
};

class ExclusiveTest : public ::testing::TestWithParam<Excluding> {};

TEST_P(ExclusiveTest, BothAreNamed) {
  EXPECT_THAT(CheckSpec(Spec(GetParam().text)),
              StatusIs(kInvalid, AllOf(HasSubstr(GetParam().first),
                                       HasSubstr(GetParam().second),
                                       HasSubstr("give one of them"))));
}

INSTANTIATE_TEST_SUITE_P(
    All, ExclusiveTest,
    ::testing::Values(Excluding{"train_batch_size: 64 batch_per_core: 8",
                                "train_batch_size", "batch_per_core"},
                      Excluding{"train_steps: 1 epochs: 1", "train_steps",
                                "epochs"},
                      Excluding{"learning_rate: 0.1 base_learning_rate: 0.1",
                                "learning_rate", "base_learning_rate"}));

TEST(SpecCheckTest, AnEmptySpecAndTheLimitsAreFine) {
  EXPECT_THAT(CheckSpec(JobSpec()), IsOk());
  EXPECT_THAT(CheckSpec(Spec("train_steps: 1099511627776 momentum: 0 "
                             "warmup_steps: 0 seed: 18446744073709551615 "
                             "chunk_bytes: 4 learning_rate: 1e30")),
              IsOk());
}

TEST(SpecCheckTest, TextIsUtf8) {
  JobSpec spec;
  for (const char* good :
       {"", "a/b", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
    spec.set_data_dir(good);
    EXPECT_THAT(CheckSpec(spec), IsOk()) << good;
  }
  for (const char* bad :
       {"\xff", "a\xc3", "\xc3(", "\x80", "\xc0\x80", "\xf0\x9f\x98"}) {
    spec.set_data_dir(bad);
    EXPECT_THAT(CheckSpec(spec), StatusIs(kInvalid, HasSubstr("UTF-8")));
  }
}

template <typename Names>
std::string Listed(const Names& names, const std::string& first,
                   const std::string& last) {
  std::vector<std::string> words;
  if (!first.empty()) words.push_back(first);
  for (const auto& name : names) words.emplace_back(NameOf(name));
  if (!last.empty()) words.push_back(last);
  return absl::StrJoin(words, ", ");
}

std::string WordsIn(const google::protobuf::Descriptor* message,
                    const char* field) {
  return WordList(*message->FindFieldByName(field));
}

// The words of a setting are those of the tables that give them a meaning.
TEST(SpecCheckTest, WordsAreThoseOfTheTables) {
  const auto* job = JobSpec::descriptor();
  const auto* bench = BenchSpec::descriptor();
  EXPECT_EQ(WordsIn(job, "algo"), Listed(AllAlgorithms(), "auto", ""));
  EXPECT_EQ(WordsIn(job, "isa"), absl::StrJoin(IsaLevels(), ", "));
  EXPECT_EQ(WordsIn(bench, "algorithm"),
            Listed(AllAlgorithms(), "auto", "all"));
  EXPECT_EQ(WordsIn(bench, "collective"), Listed(AllCollectives(), "", ""));
  EXPECT_EQ(WordsIn(bench, "datatype"),
            Listed(std::vector{ElementType::kFloat32, ElementType::kBfloat16,
                               ElementType::kInt32},
                   "", "all"));
  EXPECT_EQ(WordsIn(bench, "op"),
            Listed(std::vector{BenchOp::kSum, BenchOp::kProd, BenchOp::kMin,
                               BenchOp::kMax, BenchOp::kAvg},
                   "", "all"));
}

TEST(SpecCheckTest, WrapOf) {
  EXPECT_EQ(WrapOf(JobSpec().wrap()), WrapPolicy::kAuto);
  EXPECT_EQ(WrapOf(words::Wrap::auto_), WrapPolicy::kAuto);
  EXPECT_EQ(WrapOf(words::Wrap::torus), WrapPolicy::kTorus);
  EXPECT_EQ(WrapOf(words::Wrap::mesh), WrapPolicy::kMesh);
}

TEST(SpecCheckTest, SlicesAreAsTheSpecHasThem) {
  ASSERT_OK_AND_ASSIGN(const Slice twisted,
                       SliceNamed("v4-256", Spec("twist: true")));
  EXPECT_TRUE(twisted.twisted);
  ASSERT_OK_AND_ASSIGN(const Slice mesh,
                       SliceNamed("v3-2048", Spec("wrap: mesh")));
  EXPECT_FALSE(mesh.wraps[0]);
  ASSERT_OK_AND_ASSIGN(const Slice plain,
                       PlainSliceNamed("v3-2048", Spec("wrap: mesh")));
  EXPECT_TRUE(plain.wraps[0]);
  const JobSpec own = Spec(
      "hardware { generations { name: 'v3' slices { name: 'v3-16' chips: [2, 4]"
      " } } }");
  ASSERT_THAT(CheckSpec(own), IsOk());
  ASSERT_OK_AND_ASSIGN(const Slice slice, SliceNamed("v3-16", own));
  EXPECT_EQ(slice.replicas, 16);
  EXPECT_FALSE(SliceNamed("v3-16", JobSpec()).ok());
}

TEST(SpecCheckTest, HardwareAndItsAlgorithmAreChecked) {
  EXPECT_THAT(CheckSpec(Spec("hardware { generations { name: 'v9' } }")),
              StatusIs(kInvalid, HasSubstr("hardware: generation 'v9'")));
  EXPECT_THAT(CheckSpec(Spec("ici_algorithm: all")),
              StatusIs(kInvalid, HasSubstr("pod_plan --collective")));
  EXPECT_THAT(CheckSpec(Spec("ici_fault: 'link:(0,0)-(1,0)'")),
              StatusIs(kInvalid, HasSubstr("link:(3,1)-(4,1):0.25")));
  EXPECT_THAT(CheckSpec(Spec("ici_fault: 'link:(0,0)-(1,0):0'")), IsOk());
  EXPECT_THAT(CheckSpec(Spec("ici_algorithm: torus ici_dtype: bfloat16")),
              IsOk());
}

}  // namespace
}  // namespace podsim
