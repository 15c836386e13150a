// What is said of flags that other frameworks have.
#include "settings/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "settings/programs.h"
#include "settings/unknown_flag.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

const MainProgram* ProgramNamed(const std::string& name) {
  for (const MainProgram* program : AllPrograms())
    if (name == program->name) return program;
  return nullptr;
}

std::set<std::string> FlagsIn(const MainProgram& program) {
  std::set<std::string> names;
  for (const Flag& flag : FlagsOf(program))
    if (!SettingOf(*flag.field).positional())
      for (const std::string& name : NamesOf(flag)) names.insert(name);
  return names;
}

// Every "--flag" of the text is one of the program named last before it.
TEST(AdviceTest, NamesFlagsThatThereAre) {
  for (const Advice& advice : AllAdvice()) {
    const MainProgram* program = ProgramNamed(advice.program);
    ASSERT_NE(program, nullptr) << advice.program;
    for (const absl::string_view part :
         absl::StrSplit(advice.text, absl::ByAnyChar(" ,:;"))) {
      const std::string word(part);
      if (const MainProgram* other = ProgramNamed(word)) program = other;
      if (!word.starts_with("--")) continue;
      EXPECT_EQ(FlagsIn(*program).count(word.substr(2)), 1u)
          << advice.text << ": " << word;
    }
  }
}

TEST(AdviceTest, StandsOnceAndIsOfNoFlag) {
  std::map<std::string, std::set<std::string>> seen;
  for (const Advice& advice : AllAdvice()) {
    const MainProgram& program = *ProgramNamed(advice.program);
    for (const absl::string_view part : absl::StrSplit(advice.typed, ' ')) {
      const std::string typed(part);
      EXPECT_TRUE(seen[advice.program].insert(typed).second) << typed;
      EXPECT_EQ(FlagsIn(program).count(typed), 0u) << typed;
      for (const Flag& flag : FlagsOf(program)) {
        const auto& mistaken = SettingOf(*flag.field).mistaken();
        EXPECT_EQ(std::count(mistaken.begin(), mistaken.end(), typed), 0)
            << typed;
      }
    }
  }
}

struct Typed {
  const MainProgram& program;
  const char* flag;
  const char* said;
};

TEST(UnknownFlagTest, SaysWhatToUseInstead) {
  for (const Typed& typed : {
           Typed{PodPlan(), "--dry_run",
                 "unknown flag --dry_run; pod_plan starts nothing, all it does "
                 "is a dry run: leave it out"},
           Typed{PodPlan(), "--csv",
                 "unknown flag --csv; --json prints the results as one JSON "
                 "object"},
           Typed{PodBench(), "--collective=all_reduce",
                 "unknown flag --collective; collective is given without "
                 "dashes, as in pod_bench all_reduce -b 1K -e 64M -f 4"},
           Typed{PodLaunch(), "--warmup-epochs=5",
                 "unknown flag --warmup-epochs; --warmup_steps gives the "
                 "warm-up in steps: epochs x examples / batch"},
           Typed{PodLaunch(), "--warmup_ratio=0.1",
                 "unknown flag --warmup_ratio; --warmup_steps gives the "
                 "warm-up in steps: ratio x --train_steps, such as 100 for 0.1 "
                 "of 1000 steps"},
           Typed{PodLaunch(), "--nesterov",
                 "unknown flag --nesterov; it is a value: "
                 "--optimizer=nesterov"},
           Typed{PodLaunch(), "--AdamW",
                 "unknown flag --AdamW; it is a value: --optimizer=adamw"},
           Typed{PodLadder(), "--step",
                 "unknown flag --step; did you mean --steps?"},
           Typed{PodLaunch(), "--cosine",
                 "unknown flag --cosine; it is a value: --lr_schedule=cosine"},
           Typed{PodLaunch(), "--ring",
                 "unknown flag --ring; it is a value: --algo=ring or "
                 "--ici_algorithm=ring"},
           Typed{PodLaunch(), "--float32",
                 "unknown flag --float32; it is a value: --precision=float32"},
           Typed{
               PodPlan(), "--torus",
               "unknown flag --torus; it is a value: --ici_algorithm=torus or "
               "--wrap=torus"},
           Typed{PodCkpt(), "--clean",
                 "unknown flag --clean; clean is given without dashes, as in "
                 "pod_ckpt ls runs/a"},
           Typed{PodLaunch(), "--train_step=5",
                 "unknown flag --train_step; did you mean --train_steps?"},
           Typed{PodCkpt(), "--verify",
                 "unknown flag --verify; verify is given without dashes, as in "
                 "pod_ckpt ls runs/a"},
           Typed{PodPlan(), "--seed=3",
                 "unknown flag --seed; pod_launch has --seed, pod_data has "
                 "--seed, pod_plan has no such setting: leave it out"},
           Typed{PodPlan(), "--rng_seed=3",
                 "unknown flag --rng_seed; pod_launch has --seed, pod_plan has "
                 "no such setting: leave it out"},
           Typed{PodData(), "--label-column=species",
                 "unknown flag --label-column; --features says which columns "
                 "are what, as in --features 'features=height..weight:"
                 "float32[2], labels=species:int64'; without it the column "
                 "label, labels, target or class of a CSV file is the label, "
                 "else the last one"},
           Typed{PodLaunch(), "-v",
                 "unknown flag -v; did you mean --version or --verbose?"},
           Typed{PodData(), "-o", "unknown flag -o; did you mean --output?"},
           Typed{PodLaunch(), "-t",
                 "unknown flag -t; nothing like it is a setting: leave it out; "
                 "--help=all lists all"},
           Typed{PodHost(), "--zzzzzzzz",
                 "unknown flag --zzzzzzzz; nothing like it is a setting: leave "
                 "it out; --help=all lists all"},
           Typed{PodLaunch(), "--distribution_strategy=tpu",
                 "unknown flag --distribution_strategy; training is "
                 "data-parallel, every core holds the whole model: leave it "
                 "out"},
           Typed{PodPlan(), "--mesh-shape=4,2",
                 "unknown flag --mesh-shape; training is data-parallel, every "
                 "core holds the whole model: leave it out"},
       }) {
    EXPECT_THAT(UnknownFlag(typed.program, typed.flag),
                StatusIs(kInvalid, typed.said));
  }
}

// What users of TPUEstimator, MaxText, torchrun, nccl-tests and JAX type.
TEST(UnknownFlagTest, ASwitchIsTurnedOffByFalse) {
  for (const char* typed : {"--no_quiet", "--no-quiet", "--noquiet"})
    EXPECT_THAT(UnknownFlag(PodLaunch(), typed),
                StatusIs(kInvalid, HasSubstr("leave it out, or give "
                                             "--quiet=false")))
        << typed;
  EXPECT_THAT(UnknownFlag(PodHost(), "--token"),
              StatusIs(kInvalid, HasSubstr("PODSIM_TOKEN alone: export it")));
}

TEST(UnknownFlagTest, NamesOfOtherFrameworksLeadToOurs) {
  const struct {
    const MainProgram& program;
    const char* typed;
    const char* ours;
  } kPairs[] = {
      {PodLaunch(), "batch_size", "train_batch_size"},
      {PodLaunch(), "bs", "train_batch_size"},
      {PodLaunch(), "global_batch_size", "train_batch_size"},
      {PodLaunch(), "per_device_batch_size", "batch_per_core"},
      {PodLaunch(), "per_device_train_batch_size", "batch_per_core"},
      {PodLaunch(), "lr", "learning_rate"},
      {PodLaunch(), "peak_lr", "learning_rate"},
      {PodLaunch(), "num_steps", "train_steps"},
      {PodLaunch(), "steps", "train_steps"},
      {PodLaunch(), "max_steps", "train_steps"},
      {PodLaunch(), "epoch", "epochs"},
      {PodLaunch(), "num_epochs", "epochs"},
      {PodLaunch(), "tpu_name", "topology"},
      {PodLaunch(), "accelerator_type", "topology"},
      {PodLaunch(), "compile_topology", "topology"},
      {PodLaunch(), "nodes", "topology"},
      {PodLaunch(), "nnodes", "topology"},
      {PodLaunch(), "num_cores", "topology"},
      {PodLaunch(), "nproc_per_node", "processes"},
      {PodLaunch(), "num_processes", "processes"},
      {PodLaunch(), "data", "dataset"},
      {PodLaunch(), "dataset_name", "dataset"},
      {PodLaunch(), "dataset_path", "data_dir"},
      {PodLaunch(), "train_dir", "data_dir"},
      {PodLaunch(), "output_dir", "model_dir"},
      {PodLaunch(), "base_output_directory", "model_dir"},
      {PodLaunch(), "workdir", "model_dir"},
      {PodLaunch(), "save_checkpoints_steps", "checkpoint_every"},
      {PodLaunch(), "checkpoint_period", "checkpoint_every"},
      {PodLaunch(), "keep_checkpoint_max", "keep"},
      {PodLaunch(), "load_parameters_path", "restore"},
      {PodLaunch(), "resume_from_checkpoint", "restore"},
      {PodLaunch(), "wd", "weight_decay"},
      {PodLaunch(), "adam_b1", "beta1"},
      {PodLaunch(), "adam_eps", "epsilon"},
      {PodLaunch(), "opt_type", "optimizer"},
      {PodLaunch(), "gradient_clipping_threshold", "clip_norm"},
      {PodLaunch(), "max_grad_norm", "clip_norm"},
      {PodLaunch(), "fp16", "precision"},
      {PodLaunch(), "use_bfloat16", "precision"},
      {PodLaunch(), "dtype", "precision"},
      {PodLaunch(), "master_addr", "listen"},
      {PodLaunch(), "backend", "transport"},
      {PodLaunch(), "eval_interval", "steps_per_eval"},
      {PodLaunch(), "do_eval", "mode"},
      {PodLaunch(), "num_label_classes", "classes"},
      {PodLaunch(), "bucket_cap_mb", "bucket_bytes"},
      {PodLaunch(), "config", "job"},
      {PodLaunch(), "report_to", "metrics_file"},
      {PodLaunch(), "tensorboard", "tensorboard_dir"},
      {PodLaunch(), "tb_dir", "tensorboard_dir"},
      {PodLaunch(), "log_level", "verbose"},
      {PodLaunch(), "debug", "quiet"},
      {PodPlan(), "max_cost", "budget"},
      {PodPlan(), "max_time", "deadline"},
      {PodPlan(), "price_list", "chip_prices"},
      {PodPlan(), "currency", "price_per_chip_hour"},
      {PodPlan(), "currency", "chip_prices"},
      {PodPlan(), "currency", "prices"},
      {PodPlan(), "debug", "verbose"},
      {PodPlan(), "profile", "explain"},
      {PodPlan(), "roofline", "explain"},
      {PodLaunch(), "rng_seed", "seed"},
      {PodBench(), "dtype", "datatype"},
      {PodBench(), "iterations", "iters"},
      {PodBench(), "warmup", "warmup_iters"},
      {PodBench(), "size", "minbytes"},
      {PodBench(), "reduce_op", "op"},
      {PodBench(), "csv", "output_file"},
      {PodBench(), "nranks", "topology"},
      {PodPlan(), "price", "price_per_chip_hour"},
      {PodPlan(), "svg", "plot"},
      {PodPlan(), "slices", "topology"},
      {PodPlan(), "lr", "learning_rate"},
      {PodHost(), "rank", "process"},
      {PodHost(), "node_rank", "process"},
      {PodHost(), "coordinator_address", "coordinator"},
      {PodCoordinator(), "port", "listen"},
      {PodData(), "num_shards", "shards"},
      {PodData(), "output_dir", "output"},
      {PodProgram(), "inputs", "values"},
  };
  for (const auto& pair : kPairs) {
    ASSERT_EQ(FlagsIn(pair.program).count(pair.ours), 1u) << pair.ours;
    EXPECT_THAT(UnknownFlag(pair.program, std::string("--") + pair.typed),
                StatusIs(kInvalid, HasSubstr(std::string("--") + pair.ours)))
        << pair.program.name;
  }
}

}  // namespace
}  // namespace podsim
