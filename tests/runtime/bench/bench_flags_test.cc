// nccl-tests' flags and the pod's, in both spellings, and what is refused how.
#include "runtime/bench/bench_flags.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>

#include "runtime/job/bench_settings.h"
#include "settings/programs.h"
#include "settings/words.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<BenchFlags> Parse(const std::vector<std::string>& args,
                                 const Variables& variables = {}) {
  return ParseBenchFlags(args, variables);
}

TEST(BenchFlagsTest, EveryFieldOfTheSpecHasAFlag) {
  std::multiset<std::string> fields;
  for (const Flag& flag : FlagsOf(PodBench()))
    if (flag.field->containing_type() == BenchSpec::descriptor())
      fields.insert(flag.field->name());
  const auto* descriptor = BenchSpec::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    EXPECT_EQ(fields.count(descriptor->field(i)->name()), 1u)
        << descriptor->field(i)->name();
  }
}

TEST(BenchFlagsTest, ResultsLieInFilesOfThisMachine) {
  for (const char* flag : {"-J", "--output_file", "--write_choices"}) {
    EXPECT_THAT(
        Parse({"all_reduce", flag, "gs://bucket/r.json"}),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr("gs://bucket/r.json: this cannot lie on gs://")))
        << flag;
  }
}

TEST(BenchFlagsTest, OnlyWhatIsGivenIsSet) {
  ASSERT_OK_AND_ASSIGN(const BenchFlags flags, Parse({"all_reduce"}));
  EXPECT_EQ(flags.spec.bench().collective(), words::Collective::all_reduce);
  BenchSpec only;
  only.set_collective(words::Collective::all_reduce);
  EXPECT_EQ(flags.spec.bench().SerializeAsString(), only.SerializeAsString());
  EXPECT_FALSE(flags.spec.has_topology());
  EXPECT_FALSE(flags.settings.has_output_file());
}

TEST(BenchFlagsTest, ShortNamesAreThoseOfNcclTests) {
  ASSERT_OK_AND_ASSIGN(const BenchFlags flags, Parse({"reduce_scatter",
                                                      "-b",
                                                      "1K",
                                                      "-e",
                                                      "64M",
                                                      "-i",
                                                      "2M",
                                                      "-f",
                                                      "4",
                                                      "-n",
                                                      "7",
                                                      "-w",
                                                      "3",
                                                      "-m",
                                                      "2",
                                                      "-N",
                                                      "0",
                                                      "-o",
                                                      "max",
                                                      "-d",
                                                      "int32",
                                                      "-r",
                                                      "1",
                                                      "-c",
                                                      "0",
                                                      "-a",
                                                      "3",
                                                      "-z",
                                                      "1",
                                                      "-T",
                                                      "30",
                                                      "-J",
                                                      "x.json",
                                                      "-S",
                                                      "1",
                                                      "-M",
                                                      "1",
                                                      "-I",
                                                      "1",
                                                      "-K",
                                                      "2",
                                                      "-t",
                                                      "1",
                                                      "-g",
                                                      "1"}));
  const BenchSpec& bench = flags.spec.bench();
  EXPECT_EQ(bench.collective(), words::Collective::reduce_scatter);
  EXPECT_EQ(bench.minbytes(), 1024);
  EXPECT_EQ(bench.maxbytes(), 64 << 20);
  EXPECT_EQ(bench.stepbytes(), 2 << 20);
  EXPECT_EQ(bench.stepfactor(), 4);
  EXPECT_EQ(bench.iters(), 7);
  EXPECT_EQ(bench.warmup_iters(), 3);
  EXPECT_EQ(bench.agg_iters(), 2);
  EXPECT_EQ(bench.run_cycles(), 0);
  EXPECT_TRUE(bench.has_run_cycles());
  EXPECT_THAT(WordsIn<words::Operation::Word>(bench.op()), ElementsAre("max"));
  EXPECT_THAT(WordsIn<words::DataType::Word>(bench.datatype()),
              ElementsAre("int32"));
  EXPECT_THAT(bench.root(), ElementsAre(1));
  EXPECT_TRUE(bench.has_check());
  EXPECT_EQ(bench.check(), 0);
  EXPECT_EQ(bench.average(), 3);
  EXPECT_EQ(bench.blocking(), 1);
  EXPECT_EQ(bench.timeout(), 30);
  EXPECT_TRUE(bench.per_iter_timing());
  EXPECT_EQ(bench.per_iter_skip(), 2);
  EXPECT_EQ(flags.settings.output_file(), "x.json");
  EXPECT_TRUE(flags.settings.report_timestamps());
  EXPECT_TRUE(flags.settings.memory());
}

TEST(BenchFlagsTest, LongNamesTakeDashesAndUnderscores) {
  ASSERT_OK_AND_ASSIGN(
      const BenchFlags flags,
      Parse({"all-reduce", "--minbytes=8", "--maxbytes=8", "--warmup-iters=5",
             "--output_file=y.json", "--tpu", "v3-64", "--wire-dtype=bfloat16",
             "--algo=torus2d", "--memory_report=1", "--ranks=cores",
             "--transport=tcp", "--chunk-bytes=64K", "--processes=2"}));
  EXPECT_EQ(flags.spec.bench().collective(), words::Collective::all_reduce);
  EXPECT_EQ(flags.spec.bench().warmup_iters(), 5);
  EXPECT_EQ(flags.spec.bench().wire_dtype(), words::WireType::bfloat16);
  EXPECT_THAT(
      WordsIn<words::BenchAlgorithm::Word>(flags.spec.bench().algorithm()),
      ElementsAre("torus2d"));
  EXPECT_EQ(flags.spec.bench().ranks(), words::RankKind::cores);
  EXPECT_EQ(flags.spec.topology(), "v3-64");
  EXPECT_EQ(flags.spec.transport(), words::Transport::tcp);
  EXPECT_EQ(flags.spec.chunk_bytes(), 64 << 10);
  EXPECT_EQ(flags.spec.processes(), 2);
  EXPECT_TRUE(flags.settings.memory());
  EXPECT_EQ(flags.settings.output_file(), "y.json");
}

TEST(BenchFlagsTest, ListsAndAll) {
  ASSERT_OK_AND_ASSIGN(
      const BenchFlags flags,
      Parse({"broadcast", "-d", "float,bfloat16", "-r", "all", "-o", "all"}));
  EXPECT_THAT(WordsIn<words::DataType::Word>(flags.spec.bench().datatype()),
              ElementsAre("float", "bfloat16"));
  EXPECT_THAT(flags.spec.bench().root(), ElementsAre(-1));
  EXPECT_THAT(WordsIn<words::Operation::Word>(flags.spec.bench().op()),
              ElementsAre("all"));
  EXPECT_THAT(Parse({"broadcast", "-r", "-1"})->spec.bench().root(),
              ElementsAre(-1));
}

TEST(BenchFlagsTest, TheEnvironmentComesSecond) {
  ASSERT_OK_AND_ASSIGN(const BenchFlags flags,
                       Parse({"all_reduce", "--algo=ring"},
                             {{"PODSIM_ALGO", "direct"},
                              {"PODSIM_TOPOLOGY", "v3-64"},
                              {"PODSIM_ALLOW_PLAINTEXT_NETWORK", "true"},
                              {"PODSIM_TOKEN", "not a flag"}}));
  EXPECT_THAT(
      WordsIn<words::BenchAlgorithm::Word>(flags.spec.bench().algorithm()),
      ElementsAre("ring"));
  EXPECT_EQ(flags.spec.topology(), "v3-64");
  EXPECT_TRUE(flags.elsewhere.allow_plaintext_network());
}

TEST(BenchFlagsTest, HostsElsewhereNeedAnAddress) {
  ASSERT_OK_AND_ASSIGN(
      const BenchFlags flags,
      Parse({"all_reduce", "--external_hosts", "--listen=0.0.0.0:8476",
             "--allow_plaintext_network"}));
  EXPECT_TRUE(flags.elsewhere.external_hosts());
  EXPECT_EQ(flags.elsewhere.listen(), "0.0.0.0:8476");
  EXPECT_THAT(
      Parse({"all_reduce", "--external_hosts"}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--listen")));
  EXPECT_THAT(
      Parse({"all_reduce", "--external_hosts", "--listen=0.0.0.0:8476"}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("--allow_plaintext_network")));
  EXPECT_THAT(Parse({"all_reduce", "--listen=0.0.0.0:1"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--external_hosts")));
}

TEST(BenchFlagsTest, ChoicesAreReadFromAndWrittenToFiles) {
  ASSERT_OK_AND_ASSIGN(const BenchFlags flags,
                       Parse({"all_reduce", "--choices=x.txt", "--algo=all",
                              "--write-choices", "y.txt"}));
  EXPECT_EQ(flags.settings.choices(), "x.txt");
  EXPECT_EQ(flags.settings.write_choices(), "y.txt");
  EXPECT_TRUE(flags.spec.choices().empty());
  EXPECT_FALSE(Parse({"all_reduce"})->settings.has_choices());
  EXPECT_FALSE(Parse({"all_reduce"})->settings.has_write_choices());
}

TEST(BenchFlagsTest, WhatACollectiveDoesNotReadIsNamed) {
  const auto unused = [](const std::vector<std::string>& args) {
    return UnusedBenchSettings(Parse(args)->spec.bench());
  };
  EXPECT_THAT(unused({"barrier", "-d", "int32", "-b", "1K"}),
              ElementsAre("--minbytes is not used: barrier carries no data",
                          "--datatype is not used: barrier carries no data"));
  EXPECT_THAT(unused({"all_reduce", "-r", "0"}),
              ElementsAre("--root is not used: all_reduce has no root"));
  EXPECT_THAT(unused({"all_gather", "-o", "max"}),
              ElementsAre("--op is not used: all_gather combines no values"));
  EXPECT_THAT(unused({"broadcast", "-r", "0", "-d", "int32", "-b", "1K"}),
              ElementsAre());
  EXPECT_THAT(unused({"all_reduce", "-o", "max"}), ElementsAre());
  EXPECT_THAT(unused({"all_reduce", "-f", "2", "-i", "1K"}),
              ElementsAre("--stepbytes is not used: --stepfactor 2 says which "
                          "size is the next"));
  EXPECT_THAT(unused({"all_reduce", "-f", "1", "-i", "1K"}), ElementsAre());
  EXPECT_THAT(unused({"all_reduce", "-K", "2"}),
              ElementsAre("--per_iter_skip is not used: the columns that it is "
                          "for come with --per_iter_timing 1"));
  EXPECT_THAT(unused({"all_reduce", "-K", "2", "-I", "1"}), ElementsAre());
}

TEST(BenchFlagsTest, HelpTeaches) {
  for (const char* flag : {"-h", "--help"})
    EXPECT_THAT(Parse({flag})->text,
                AllOf(HasSubstr("pod_bench all_reduce -b 1K -e 64M -f 4"),
                      HasSubstr("--help=all")));
  for (const char* flag : {"--help=all"}) {
    ASSERT_OK_AND_ASSIGN(const BenchFlags flags, Parse({flag}));
    EXPECT_THAT(flags.text,
                AllOf(HasSubstr("pod_bench all_reduce -b 1K -e 64M -f 4"),
                      HasSubstr("busbw"), HasSubstr("--minbytes"),
                      HasSubstr("Exit status"), HasSubstr("compose")));
    for (std::size_t at = 0, end = 0; at < flags.text.size(); at = end + 1) {
      end = std::min(flags.text.find('\n', at), flags.text.size());
      EXPECT_LE(end - at, 80u) << flags.text.substr(at, end - at);
    }
  }
  EXPECT_THAT(Parse({"--version"})->text, HasSubstr("pod_bench"));
}

struct Refused {
  std::vector<std::string> args;
  const char* said;
};

class RefusedTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedTest, InOneLineThatSaysWhatIsAllowed) {
  const auto parsed = Parse(GetParam().args);
  EXPECT_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr(GetParam().said)));
  EXPECT_THAT(std::string(parsed.status().message()), Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(
    Flags, RefusedTest,
    ::testing::Values(
        Refused{{}, "which collective?"},
        Refused{{"allreduce"}, "there are all_reduce, reduce_scatter"},
        Refused{{"all_reduce", "more"}, "unexpected \"more\""},
        Refused{{"all_reduce", "--itres=3"}, "did you mean --iters?"},
        Refused{{"all_reduce", "-q"}, "unknown flag -q"},
        Refused{{"all_reduce", "-b", "1X"}, "--minbytes is \"1X\"; give"},
        Refused{{"all_reduce", "-b"}, "--minbytes"},
        Refused{{"all_reduce", "--algo", "--iters=3"}, "--algo has no value"},
        Refused{{"all_reduce", "-g", "8"}, "--topology"},
        Refused{{"all_reduce", "-b", "64M"},
                "-b 64M is more than -e 32M; -b is the smallest size and -e "
                "the largest: give both, as in -b 32M -e 64M"},
        Refused{{"all_reduce", "-b", "64M", "-e", "1500"},
                "-b 64M is more than -e 1500"},
        Refused{{"all_reduce", "-b", "3"},
                "-b is 3, but an element has 4 bytes: give a multiple of 4, "
                "such as -b 4"},
        Refused{{"all_reduce", "-b", "3", "-d", "bfloat16"},
                "an element has 2 bytes"},
        Refused{{"all_reduce", "-b", "6", "-d", "all"},
                "an element has 4 bytes"},
        Refused{{"all_reduce", "-b", "0", "-f", "2"}, "minbytes is 0"},
        Refused{{"all_reduce", "-b", "0", "-e", "1G", "-i", "4"}, "sizes"},
        Refused{{"all_reduce", "-d", "half"}, "float, bfloat16, int32, all"},
        Refused{{"all_reduce", "-o", "mulsum"}, "sum, prod, min, max, avg"},
        Refused{{"all_to_all", "--algo=torus2d"}, "allowed: auto"},
        Refused{{"all_reduce", "--ranks=chips"}, "hosts, cores"},
        Refused{{"all_reduce", "--wire_dtype=int8"}, "float32, bfloat16"},
        Refused{{"all_reduce", "-d", "int32", "--wire_dtype=bfloat16"},
                "only float travels"},
        Refused{{"all_reduce", "-n", "0"}, "iters is 0; allowed: 1"},
        Refused{{"all_reduce", "-a", "4"}, "average is 4"},
        Refused{{"all_reduce", "-K", "20"}, "per_iter_skip is 20"},
        Refused{{"all_reduce", "-T", "-1"}, "timeout is -1"},
        Refused{{"all_reduce", "--write_choices=x"}, "give --algo=all"},
        Refused{{"all_reduce", "--write_choices=x", "--algo=all", "-o", "all"},
                "op all"},
        Refused{{"all_reduce", "-S", "maybe"}, "give 0 or 1"}));

}  // namespace
}  // namespace podsim
