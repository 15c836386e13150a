// What people mistype, over all programs: each is told in one line what was
// given and what to do, ends with status 2, and leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/e2e/pod.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::Subprocess;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

struct Mistake {
  const char* typed;  // of a shell
  const char* given;  // what the line says of it
  const char* to_do;  // what is allowed, or to be done
  // What the shell does before: files, and the environment.
  const char* before = "true";
};

// The paths below a folder, with what is in files.
std::map<std::string, std::string> FilesBelow(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    std::string& bytes = files[entry.path().string()];
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

class TypedMistakesTest : public ::testing::Test {
 protected:
  // In a folder of its own, so that what is left there is seen.
  static void Expect(const Mistake& mistake) {
    const TempDir dir;
    const std::vector<std::string> words =
        absl::StrSplit(mistake.typed, absl::MaxSplits(' ', 1));
    const std::string begin =
        absl::StrCat("cd '", dir.path(), "'; ", mistake.before);
    const std::string command =
        absl::StrCat(begin, "; exec '", testing::Program(words.front()), "' ",
                     words.size() > 1 ? words.back() : "", " </dev/null");
    Subprocess made({{"/bin/bash", "-c", begin}});
    ASSERT_EQ(made.Wait(std::chrono::seconds(10)), 0) << mistake.before;
    const auto files = FilesBelow(dir.path());
    Subprocess run({{"/bin/bash", "-c", command},
                    {{"PODSIM_TOKEN", std::string(32, 'a')}}});
    EXPECT_EQ(run.Wait(std::chrono::seconds(60)), 2) << mistake.typed << "\n"
                                                     << run.output();
    EXPECT_THAT(run.output(), HasSubstr(mistake.given)) << mistake.typed;
    EXPECT_THAT(run.output(), HasSubstr(mistake.to_do)) << mistake.typed;
    const std::vector<std::string> lines =
        absl::StrSplit(run.output(), '\n', absl::SkipEmpty());
    EXPECT_EQ(lines.size(), 1u) << mistake.typed << "\n" << run.output();
    EXPECT_EQ(FilesBelow(dir.path()), files) << mistake.typed;
  }
};

TEST_F(TypedMistakesTest, PodLaunch) {
  for (const Mistake& mistake : {
           Mistake{"pod_launch --train_batch_size 1,24",
                   "--train_batch_size is \"1,24\"", "give a whole number"},
           Mistake{"pod_launch --train_batch_size many",
                   "--train_batch_size is \"many\"", "give a whole number"},
           Mistake{"pod_launch --train_batch_size 0", "train_batch_size is 0",
                   "allowed: 1 to"},
           Mistake{"pod_launch --topology v3-8 --tpu v3-32",
                   "is given twice, as \"v3-8\" and as \"v3-32\"",
                   "leave one of them out"},
           Mistake{"pod_launch --topology v3-8..v3-32",
                   "'v3-8..v3-32', several slices",
                   "pod_plan compares several"},
           Mistake{"pod_launch --topology v3-33", "'v3-33'",
                   "nearest: v3-32, v3-64"},
           Mistake{"pod_launch --topology tpu-v3-32", "'tpu-v3-32'",
                   "nearest: v3-32;"},
           Mistake{"pod_plan --topology 4x4", "'4x4'",
                   "v2-32, v3-32, v5litepod-16"},
           Mistake{"pod_launch --topology v3-8 \\ --dry_run",
                   "\" --dry_run\" begins with a blank",
                   "must be the last character of its line"},
           Mistake{"pod_ckpt ls runs/a \\ ", "\" \" is a blank and no more",
                   "delete the blanks behind it"},
           Mistake{"pod_launch epochs=3", "unexpected \"epochs=3\"",
                   "give --epochs=3"},
           Mistake{"pod_launch per_device_batch_size=8",
                   "unknown flag --per_device_batch_size", "--batch_per_core"},
           Mistake{"pod_data convert digits out", "unexpected \"out\"",
                   "where to write is --output=out"},
           Mistake{"pod_launch --optimizer=adamw --learning_rate=0.01 "
                   "--weight_decay=0.1 --weight_decay_exclude=biass",
                   "no variable's name contains biass", "did you mean bias?"},
           Mistake{"pod_ckpt diff a", "diff takes two directories, given: a",
                   "; the second is another run or another step: pod_ckpt diff "
                   "a OTHER_RUN, or pod_ckpt diff a/STEP a/OTHER_STEP"},
           Mistake{"pod_program show mlp", "there is no model file mlp",
                   "--model=mlp --write_model=mlp.model"},
           Mistake{"pod_bench all_reduce all_gather", "\"all_gather\"",
                   "one collective is given at a time"},
           Mistake{"pod_plan --collective=all_reduce --topology=v3-32 "
                   "'--ici_fault=link:(0,0)-(2,2):0.5'",
                   "link (0,0)-(2,2)", "chip (0,0) has wires to "},
           Mistake{"pod_launch --topology=v3-8 "
                   "'--ici_fault=link:(2,1)-(3,1):0'",
                   "ici_fault on v3-8: link (2,1)-(3,1)",
                   "its chips are (0,0) to (1,1)"},
           Mistake{"pod_coordinator --job=none.txt --listen=8476",
                   "--listen: address \"8476\": has no host",
                   "give unix:/absolute/path, host:port"},
           Mistake{"pod_launch --dataset=npz --data_dir=. --batch_per_core=2 "
                   "--train_steps=8 --learning_rate=.1 --topology=v3-8",
                   "dataset=npz is for models of your own",
                   "--write_model=FILE"},
           Mistake{"pod_program show m --output=x", "--output is for import",
                   "show has none: leave it out"},
           Mistake{"pod_data verify a --shards=4", "--shards is for convert",
                   "verify has none: leave it out"},
           Mistake{"pod_ckpt ls a --all", "unknown flag --all",
                   "pod_ckpt has --help, --version"},
           Mistake{"pod_coordinator --topology=v3-8", "unknown flag --topology",
                   "the job file says it"},
           Mistake{"pod_plan --model=mlp --topology=v3-8:v3-64",
                   "'v3-8:v3-64' is no slice's name",
                   "a range is written FIRST..LAST"},
           Mistake{"pod_plan --model=mlp --topology=v3-8 "
                   "--batch_per_core=99999999999",
                   "with 99,999,999,999 examples per core",
                   "the largest batch per core that fits "},
           Mistake{"pod_launch --topology=v3-8 labels=labels:int64",
                   "unexpected \"labels=labels:int64\"",
                   "a value with a blank in it stands in quotes"},
           Mistake{"pod_data verify sh/train-0 sh/train-1",
                   "verify takes one path and 2 are given",
                   "a pattern of many files stands in quotes"},
           Mistake{"pod_data verify sh/t-*",
                   "verify takes one path and 3 are given, sh/t-0 and on: the "
                   "shell opened a pattern",
                   "put it in quotes, 'sh/t-*', or give the folder, sh",
                   "mkdir -p sh; touch sh/t-0 sh/t-1 sh/t-2"},
           Mistake{"pod_coordinator --job=none.txt --listen=/tmp/a",
                   "address \"/tmp/a\" is a path", "give unix:/tmp/a"},
           Mistake{
               "pod_data show x --features=features=a:float32, "
               "labels=b:int64",
               "unexpected \"labels=b:int64\": --features is cut at a blank",
               "--features='features=a:float32, labels=b:int64'"},
           Mistake{"pod_launch --model_dir s3://b/run", "s3://b/run",
                   "or gs://b/run for a bucket"},
           Mistake{"pod_launch --topology v5e-16", "'v5e-16'",
                   "nearest: v5litepod-16"},
           Mistake{"pod_launch --topology v5litepod-8",
                   "v5litepod-8 cannot train here",
                   "these train: v5litepod-4, v5litepod-16 and 4 more up to "
                   "v5litepod-256"},
           Mistake{"pod_launch --topology", "--topology has no value",
                   "give NAME"},
           Mistake{"pod_launch -topology v3-8", "unknown flag -topology",
                   "did you mean --topology?"},
           Mistake{"pod_launch --model mpl", "model: no model is called 'mpl'",
                   "did you mean mlp?"},
           Mistake{"pod_launch --model lenet", "'lenet'",
                   "did you mean lenet5 or lenet5_bn?"},
           Mistake{"pod_launch --model MLP", "'MLP'", "did you mean mlp?"},
           Mistake{"pod_launch --dataset mnistt", "'mnistt'",
                   "did you mean mnist?"},
           Mistake{"pod_launch --dataset imagenet", "'imagenet'",
                   "known: arrays"},
           Mistake{"pod_launch --optimizer adm", "--optimizer is \"adm\"",
                   "did you mean adam"},
           Mistake{"pod_launch --optimizer AdamW", "--optimizer is \"AdamW\"",
                   "did you mean adamw or adam?"},
           Mistake{"pod_launch --precision fp32", "--precision is \"fp32\"",
                   "give one of bfloat16, float32"},
           Mistake{"pod_launch --wrap tours", "--wrap is \"tours\"",
                   "did you mean torus?"},
           Mistake{"pod_launch --mode evaluate", "--mode is \"evaluate\"",
                   "give one of train, eval"},
           Mistake{"pod_launch --lr_schedule cosin",
                   "--lr_schedule is \"cosin\"", "did you mean cosine?"},
           Mistake{"pod_launch --warmup_epochs 5",
                   "unknown flag --warmup_epochs", "--warmup_steps"},
           Mistake{"pod_launch --epoch 5", "unknown flag --epoch",
                   "did you mean --epochs?"},
           Mistake{"pod_launch --epochs 5 --train_steps 3",
                   "train_steps=3 and epochs=5 both set the length",
                   "give one of them"},
           Mistake{"pod_launch --epochs five", "--epochs is \"five\"",
                   "give a number"},
           Mistake{"pod_launch --epochs=-1", "epochs is -1",
                   "allowed: more than 0"},
           Mistake{"pod_launch --lr 0.1", "unknown flag --lr",
                   "--learning_rate or --base_learning_rate"},
           Mistake{"pod_launch --learning_rate 0", "learning_rate is 0",
                   "allowed: more than 0"},
           Mistake{"pod_launch --hidden 1,024", "--hidden is \"1,024\"",
                   "such as 1024"},
           Mistake{"pod_launch --hidden 512x256", "--hidden is \"512x256\"",
                   "with commas: 512,256"},
           Mistake{"pod_launch --seed=-1", "--seed is \"-1\"",
                   "a whole number from 0 up"},
           Mistake{"pod_launch --dry_run=please", "--dry_run is \"please\"",
                   "give true or false"},
           Mistake{"pod_launch --dry_run --describe v3-8",
                   "--describe and --dry_run", "give one"},
           Mistake{"pod_launch --describe v3-7",
                   "--describe: no slice is called 'v3-7'", "nearest: v3-8"},
           Mistake{"pod_launch --print_compose v3-7",
                   "--print_compose: no slice is called 'v3-7'",
                   "nearest: v3-8"},
           Mistake{"pod_launch --print_compose v3-8 --epochs 3",
                   "--print_compose goes with no setting of a job",
                   "leave --epochs out"},
           Mistake{"pod_launch --print_hardware v33",
                   "--print_hardware: no generation is called 'v33'",
                   "did you mean v3"},
           Mistake{"pod_launch --metrics_file nodir/x.jsonl",
                   "--metrics_file is \"nodir/x.jsonl\"",
                   "there is no folder nodir"},
           Mistake{"pod_launch --metrics_file .", "--metrics_file is \".\"",
                   "that is a folder"},
           Mistake{"pod_launch --trace nodir/x.pftrace",
                   "--trace is \"nodir/x.pftrace\"",
                   "there is no folder nodir"},
           Mistake{"pod_launch --trace_steps 2:3", "no file for them",
                   "add --trace=FILE"},
           Mistake{"pod_launch --trace x.pftrace --trace_steps 3-5",
                   "trace_steps is '3-5'", "such as 20:25"},
           Mistake{"pod_launch --metrics_file s3://b/x",
                   "no store serves s3://", "give a plain path"},
           Mistake{"pod_launch --write_model nodir/m.model",
                   "--write_model is \"nodir/m.model\"",
                   "there is no folder nodir"},
           Mistake{"pod_launch --links --dry_run", "--links has no value",
                   "\"--dry_run\" follows it"},
           Mistake{"pod_launch --momentum 1.5", "momentum is 1.5",
                   "less than 1"},
           Mistake{"pod_launch --batch_per_core 8 --train_batch_size 64",
                   "train_batch_size=64 and batch_per_core=8",
                   "give one of them"},
           Mistake{"pod_launch --bucket_bytes 1MB", "--bucket_bytes is \"1MB\"",
                   "such as 4096 or 4M, here 1M"},
           Mistake{"pod_launch --train_steps 10k", "--train_steps is \"10k\"",
                   "give a whole number from 1 up: 10000"},
           Mistake{"pod_launch --stall_timeout 5m", "--stall_timeout is \"5m\"",
                   "without a unit: 300"},
           Mistake{"pod_launch --dropout 10% --model encoder",
                   "--dropout is \"10%\"", "less than 1: 0.1"},
           Mistake{"pod_launch '--hidden=[512, 256]'",
                   "--hidden is \"[512, 256]\"", "with commas: 512,256"},
           Mistake{"pod_launch --keep 3", "keep is 3",
                   "give --model_dir=DIR, or leave keep out"},
           Mistake{"pod_launch --mode eval", "mode=eval",
                   "--model_dir=DIR (its newest one)"},
           Mistake{"pod_launch --optimizer adam", "optimizer=adam",
                   "such as --learning_rate=0.001"},
           Mistake{"pod_launch --lr_end 0.1", "lr_end is 0.1",
                   "give --lr_schedule=linear, cosine or polynomial"},
           Mistake{"pod_launch --lr_schedule step --lr_decay_at 0.6,0.3",
                   "lr_decay_at is 0.6,0.3", "in order: 0.3,0.6"},
           Mistake{"pod_launch --warmup_init 0.1 --warmup_steps 0",
                   "warmup_init is 0.1", "give --warmup_steps=N"},
           Mistake{"pod_launch --microbatch_size 4", "microbatch_size is 4",
                   "give --reduction=tree"},
           Mistake{"pod_launch --reduction tree --batch_per_core 8",
                   "microbatch_size is not given",
                   "give --microbatch_size=8, 4, 2 or 1"},
           Mistake{"pod_launch --classes 5", "classes is 5",
                   "--dataset=cifar10, cifar100, csv, images, synthetic or "
                   "tfrecord"},
           Mistake{"pod_launch --dataset mnist", "dataset=mnist needs data_dir",
                   "give --data_dir=DIR"},
           Mistake{"pod_launch --data_dir here", "data_dir is here",
                   "say what its files are, --dataset=arrays"},
           Mistake{"pod_launch --dataset csv --data_dir my.csv",
                   "dataset=csv has no recipe", "as in --batch_per_core=8"},
           Mistake{"pod_launch --model encoder --dataset mnist --data_dir x",
                   "model encoder has no recipe for data set mnist",
                   "give --dataset=digits"},
           Mistake{"pod_launch --bucket_location eu", "bucket_location",
                   "leave bucket_location out, or give --model_dir=gs://"},
           Mistake{"pod_launch --processes 0", "processes is 0",
                   "allowed: 1 to"},
           Mistake{"pod_launch --collective all_reduce",
                   "unknown flag --collective", "pod_bench all_reduce"},
           Mistake{"pod_plan v3-32", "unexpected \"v3-32\"",
                   "give --topology=v3-32"},
           Mistake{"pod_plan --model mlp --topology v3-8 v3-32",
                   "unexpected \"v3-32\" after --topology v3-8",
                   "with commas: --topology v3-8,v3-32"},
           Mistake{"pod_coordinator job.txt", "unexpected \"job.txt\"",
                   "give --job=job.txt"},
           Mistake{"pod_launch --dry_run true", "unexpected \"true\"",
                   "a switch stands alone"},
           Mistake{"pod_launch --dry_run false", "unexpected \"false\"",
                   "behind a =, as in --dry_run=false"},
           Mistake{"pod_ckpt runs/a ls", "no command \"runs/a\"",
                   "pod_ckpt ls runs/a"},
           Mistake{"pod_launch train", "\"train\"", "pod_launch --model=mlp"},
           Mistake{"pod_launch --qqqq", "unknown flag --qqqq",
                   "leave it out; --help=all lists all"},
           Mistake{"pod_launch --help=html", "--help is \"html\"",
                   "--help=json"},
           Mistake{"pod_launch --zone mars", "'mars'", "zone"},
           Mistake{"pod_launch --lr_schedule step --lr_decay_at 30,60,80",
                   "lr_decay_at is 30",
                   "(parts of the run, such as 0.3,0.6,0.8, not epochs or "
                   "steps)"},
           Mistake{"pod_launch --warmup_ratio 0.1",
                   "unknown flag --warmup_ratio", "ratio x --train_steps"},
           Mistake{"pod_launch --nesterov", "unknown flag --nesterov",
                   "it is a value: --optimizer=nesterov"},
           Mistake{"pod_launch --report_to tb", "unknown flag --report_to",
                   "--metrics_file"},
           Mistake{"pod_launch --tb_dir tb", "unknown flag --tb_dir",
                   "--tensorboard_dir"},
           Mistake{"pod_launch --log_level=debug", "unknown flag --log_level",
                   "--verbose"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, ColumnsOfACsvFile) {
  for (const Mistake& mistake : {
           Mistake{"pod_launch --data_dir my.csv --label species",
                   "unknown flag --label; --features says which columns are "
                   "what",
                   "labels=species:int64"},
           Mistake{"pod_launch --data_dir my.csv --target-column=species",
                   "unknown flag --target_column",
                   "--features 'features=height..weight:float32[2], labels="},
           Mistake{"pod_launch --data_dir my.csv --columns height,weight",
                   "unknown flag --columns", "did you mean --features?"},
           Mistake{"pod_data show my.csv --labels species",
                   "unknown flag --labels",
                   "the column label, labels, target or class"},
           Mistake{"pod_plan --dataset csv --header", "unknown flag --header",
                   "columns are numbers from 0"},
           Mistake{"pod_data verify my.csv --sep ';'", "unknown flag --sep",
                   "commas between its columns"},
           Mistake{"pod_data show my.csv --features species",
                   "features, 'species': it names no input of the model",
                   "such as features=image_raw:uint8[28,28]/255 or "
                   "labels=label:int64",
                   "printf 'a,species\n1,0\n' > my.csv"},
           Mistake{"pod_data show my.csv --features labels=species:int64",
                   "the CSV files have no column species",
                   "their header begins a, b, kind (3 columns)",
                   "printf 'a,b,kind\n1,2,0\n' > my.csv"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, PlacesOfDataSets) {
  for (const Mistake& mistake : {
           Mistake{"pod_data verify shrds", "there is no file or folder shrds",
                   "did you mean shards?", "mkdir -p shards"},
           Mistake{"pod_data index plot.png",
                   "plot.png: it is no TFRecord file; it is a PNG image",
                   "--dataset=images reads folders",
                   "printf '\\x89PNG\\r\\n\\x1a\\n\\0\\0' > plot.png"},
           Mistake{"pod_data show plot.png --features=labels=int32",
                   "it is a PNG image", "--dataset=images reads folders",
                   "printf '\\x89PNG\\r\\n\\x1a\\n\\0\\0' > plot.png"},
           Mistake{"pod_data show rows", "rows: offset 0: it is no TFRecord",
                   "it is text, beginning '1,2': --dataset=csv reads",
                   "echo 1,2 > rows"},
           Mistake{"pod_data verify d", "d: no file for training",
                   "it is empty", "mkdir -p d"},
           Mistake{"pod_data verify d",
                   "its folder train holds none; it holds cat/",
                   "or give --dataset=images for images of train/CLASS/",
                   "mkdir -p d/train/cat; touch d/train/cat/a.png"},
           Mistake{"pod_data verify pipe.csv", "pipe.csv",
                   "it is a device or a pipe, not a regular file",
                   "test -p pipe.csv || mkfifo pipe.csv"},
           Mistake{"pod_data verify my.csv", "my.csv",
                   "it is a link to nowhere, which is not there",
                   "ln -sfn nowhere my.csv"},
           Mistake{"pod_data show d",
                   "d/x is in the folder d, but is no file that can be read: "
                   "it is a link to nowhere",
                   "delete it, or name the files that are meant, as in "
                   "d/train-*",
                   "mkdir -p d; ln -sfn nowhere d/x"},
           Mistake{"pod_data verify gs://Bucket/x", "gs://Bucket/x",
                   "3 to 222 of a-z"},
           Mistake{"pod_program show gs://b/x", "gs://b/x", "3 to 222 of a-z"},
           Mistake{"pod_data verify my.csv --dataset=cifar10",
                   "my.csv: it is no file of cifar10; it is text, beginning "
                   "'a,label'",
                   "give the folder with data_batch_*.bin",
                   "printf 'a,label\n1,0\n' > my.csv"},
           Mistake{"pod_data convert --dataset=digits --output=/sys/podsim",
                   "make directory /sys/podsim: ", "place"},
           Mistake{"pod_data verify -", "standard input is not read",
                   "give the name of one, as in pod_data "},
           Mistake{"pod_ckpt ls -- runs/a", "unknown flag --;",
                   "no dashes stand alone here"},
           Mistake{"pod_data stats my.csv", "there is no command \"stats\"",
                   "pod_data show PLACE says what a data set holds"},
           Mistake{"pod_data download mnist", "there is no command",
                   "nothing is fetched"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, ColumnsThatAreAlike) {
  for (const Mistake& mistake : {
           Mistake{"pod_data show my.csv "
                   "--features=features=a:float32,labels=label:int64",
                   "features: a is the name of columns 0 and 2 (from 0)",
                   "give the place of the one that is meant, #0 or #2",
                   "printf 'a,b,a,label\n1,2,3,0\n' > my.csv"},
           Mistake{"pod_data show d/my.csv",
                   "d/my.csv: its first line is 'a;label', without a comma",
                   "write it with commas between",
                   "mkdir -p d; printf 'a;label\n1;0\n' > d/my.csv"},
           Mistake{
               "pod_data verify bytes.csv",
               "bytes.csv is no text, as it has a byte 0 near its beginning",
               "give a CSV file", "printf 'abc\\0\\001' > bytes.csv"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, WhatASmallSlipLeaves) {
  for (const Mistake& mistake : {
           Mistake{"pod_launch --topology $SLICE --dry_run",
                   "--topology has no value: \"--dry_run\" follows it",
                   "give a value, as in --topology v3-32 (a variable of the "
                   "shell may be empty)"},
           Mistake{"pod_launch --data_dir $DATA --dry_run",
                   "--data_dir has no value", "as in --data_dir DIR"},
           Mistake{"pod_launch --clip_norm 0", "clip_norm is 0",
                   "; for no clipping leave it out"},
           Mistake{"pod_launch --shuffle_window 0", "shuffle_window is 0",
                   "; for no shuffling give --shuffle=false"},
           Mistake{"pod_launch --stall_timeout 0", "stall_timeout is 0",
                   "a limit cannot be turned off"},
           Mistake{"pod_plan --price_per_chip_hour 0",
                   "price_per_chip_hour is 0", "; for no price leave it out"},
           Mistake{"pod_launch --dataset=csv ... --topology v3-8",
                   "unexpected \"...\"",
                   "in examples it stands for further flags; leave it out"},
           Mistake{"pod_launch --dry_run …", "unexpected \"…\"",
                   "it stands for further flags; leave it out"},
           Mistake{"pod_ckpt ls runs/a ...", "unexpected \"...\"",
                   "leave it out"},
           Mistake{"pod_launch --train_steps 5 --listen 0.0.0.0:8476",
                   "--listen is for --external_hosts",
                   "; leave it out, or add --external_hosts"},
           Mistake{"pod_ckpt ls gs://$BUCKET/runs/a",
                   "gs:///runs/a: the bucket's name is missing",
                   "(a variable of the shell may be empty)"},
           Mistake{"pod_bench all_reduce -np 8",
                   "unknown flag -np (read as -n p, but --iters has no such "
                   "value)",
                   "--processes"},
           Mistake{"pod_bench all_reduce -bytes 8M",
                   "unknown flag -bytes (read as -b ytes, ",
                   "-b 1M -e 1M is one size"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, PodLadder) {
  for (const Mistake& mistake : {
           Mistake{"pod_ladder --until 0.8", "--until is \"0.8\"",
                   "efficiency:0.8"},
           Mistake{"pod_ladder --until efficiency:80",
                   "--until is \"efficiency:80\"", "at most 1"},
           Mistake{"pod_ladder --steps many", "--steps is \"many\"",
                   "give a whole number"},
           Mistake{"pod_ladder --steps 10 --epochs 1",
                   "--steps and epochs both", "give one of them"},
           Mistake{"pod_ladder --max_steps 10", "unknown flag --max_steps",
                   "did you mean --steps?"},
           Mistake{"pod_ladder --model_dir runs", "unknown flag --model_dir",
                   "did you mean --ladder_dir?"},
           Mistake{"pod_ladder --resume", "--resume needs --ladder_dir",
                   "kept its results"},
           Mistake{"pod_ladder --resume --ladder_dir none",
                   "there is no none/results.jsonl", "leave --resume out"},
           Mistake{"pod_ladder --topology v3-32,v3-8", "v3-8 after v3-32",
                   "give the smaller slice first"},
           Mistake{"pod_ladder --topology v3-8,v3-8", "names v3-8 twice",
                   "one rung"},
           Mistake{"pod_ladder --topology v5litepod-8", "v5litepod-8", ""},
           Mistake{"pod_ladder --plot ladder.png", "--plot is \"ladder.png\"",
                   "give --plot=ladder.svg"},
           Mistake{"pod_ladder --model_file none.model --batch_per_core 8 "
                   "--learning_rate 0.1 --dataset digits",
                   "none.model", ""},
           Mistake{"pod_ladder --model mpl", "'mpl'", "did you mean mlp?"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, PodPlan) {
  for (const Mistake& mistake : {
           Mistake{"pod_plan --dry_run", "unknown flag --dry_run",
                   "leave it out"},
           Mistake{"pod_plan --csv", "unknown flag --csv", "--json"},
           Mistake{"pod_plan --collective all_reduce --links",
                   "--links has no value", "--draw_links"},
           Mistake{"pod_plan --collective allreduce",
                   "--collective is \"allreduce\"", "did you mean all_reduce?"},
           Mistake{"pod_plan --topology v3-8..v4-8", "v3-8..v4-8",
                   "give a range for each"},
           Mistake{"pod_plan --topology v3-32..v3-8", "v3-32..v3-8",
                   "give the smaller slice first"},
           Mistake{"pod_plan --topology v3-8...v3-64",
                   "'v3-8...v3-64' has more than two dots",
                   "as in v3-8..v3-64"},
           Mistake{"pod_plan --plot nodir/l.svg", "--plot is \"nodir/l.svg\"",
                   "there is no folder nodir"},
           Mistake{"pod_plan --plot l.png", "--plot is \"l.png\"",
                   "give --plot=l.svg"},
           Mistake{"pod_plan --topology v3-8-v3-64", "'v3-8-v3-64'",
                   "a range is written FIRST..LAST, as in v3-8..v3-64"},
           Mistake{"pod_plan --collective all_to_all --ici_algorithm ring",
                   "all_to_all by ring",
                   "give --ici_algorithm=direct, or auto"},
           Mistake{"pod_plan --ici_algorithm ring,direct",
                   "ici_algorithm is ring,direct", "give one of them"},
           Mistake{"pod_plan all_reduce -b 1M", "unexpected \"all_reduce\"",
                   "give --collective=all_reduce"},
           Mistake{"pod_plan -b 1M", "--minbytes is for a collective",
                   "--collective all_reduce"},
           Mistake{"pod_plan --collective all_reduce -b 4M -e 1M",
                   "-b 4M is more than -e 1M", "as in -b 1M -e 4M"},
           Mistake{"pod_plan --topology v3-8..v3-64 --train_batch_size 100",
                   "does not divide by the 8 cores of v3-8",
                   "a multiple of 64 fits all of them, such as 64 or 128"},
           Mistake{"pod_plan --warmup_ratio 0.1", "unknown flag --warmup_ratio",
                   "ratio x --train_steps"},
           Mistake{"pod_plan --model mlp --explain",
                   "--explain tells of one slice, and none is given",
                   "say which, as in --topology v3-8"},
           Mistake{"pod_plan --explain --topology v3-8..v3-64",
                   "topology is v3-8..v3-64, 3 slices",
                   "give one of them, as in --topology v3-8"},
           Mistake{"pod_plan --profile --topology v3-8",
                   "unknown flag --profile", "did you mean --explain?"},
           Mistake{"pod_plan --budget 100", "--budget needs the price",
                   "--price_per_chip_hour=X"},
           Mistake{"pod_plan --max_cost 100", "unknown flag --max_cost",
                   "did you mean --budget?"},
           Mistake{"pod_plan --deadline 4", "--deadline is \"4\"",
                   "give 4s for seconds, 4h for hours"},
           Mistake{"pod_plan --chip_prices 2.2", "--chip_prices is \"2.2\"",
                   "--price_per_chip_hour 2.2"},
           Mistake{"pod_plan --chip_prices v3=2.2",
                   "--chip_prices is \"v3=2.2\"",
                   "chip { generation: \"v3\" per_hour: 2.2 }"},
           Mistake{"pod_launch --batch_per_core=max",
                   "--batch_per_core is \"max\"", "for pod_plan alone"},
           Mistake{"pod_plan --batch_per_core max --train_batch_size 64",
                   "--train_batch_size and --batch_per_core=max both set",
                   "leave one of them out"},
           Mistake{"pod_plan --currency EUR", "unknown flag --currency",
                   "as in currency: \"EUR\""},
           Mistake{"pod_plan --prices 2.20", "--prices is \"2.20\"",
                   "--price_per_chip_hour 2.20"},
           Mistake{"pod_plan --collective all_reduce -b 1X",
                   "--minbytes is \"1X\"", "such as 4096 or 4M"},
           Mistake{"pod_plan --collective all_reduce --model mlp",
                   "--model is for a training job", "leave out one"},
           Mistake{"pod_plan --collective all_reduce --ici_algorithm rign",
                   "--ici_algorithm is \"rign\"", "did you mean ring?"},
           Mistake{"pod_plan --price_per_chip_hour free",
                   "--price_per_chip_hour is \"free\"", "give a number"},
           Mistake{"pod_plan --price 1.1", "unknown flag --price",
                   "did you mean --price_per_chip_hour?"},
           Mistake{"pod_plan --seed 3", "unknown flag --seed", "leave it out"},
           Mistake{"pod_plan --model mpl", "'mpl'", "did you mean mlp?"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, PodBench) {
  for (const Mistake& mistake : {
           Mistake{"pod_bench", "which collective?", "pod_bench all_reduce"},
           Mistake{"pod_bench allreduce",
                   "there is no collective \"allreduce\"",
                   "did you mean all_reduce?"},
           Mistake{"pod_bench bcast", "there is no collective \"bcast\"",
                   "it is called broadcast"},
           Mistake{"pod_bench all2all", "there is no collective \"all2all\"",
                   "it is called all_to_all"},
           Mistake{"pod_bench sendrecv", "there is no collective \"sendrecv\"",
                   "it is not measured here"},
           Mistake{"pod_bench all_reduce -F x.csv", "unknown flag -F",
                   "-J FILE writes all results as JSON"},
           Mistake{"pod_bench all_reduce -d float,float",
                   "datatype is float,float", "give it once"},
           Mistake{"pod_bench all_reduce -o all,sum", "op is all,sum",
                   "give it alone"},
           Mistake{"pod_bench all_reduce --algo ring,ring", "algo is ring,ring",
                   "give it once"},
           Mistake{"pod_bench broadcast -r all,1", "root is all,1",
                   "give it alone"},
           Mistake{"pod_bench --collective all_reduce",
                   "unknown flag --collective", "pod_bench all_reduce"},
           Mistake{"pod_bench all_reduce --csv", "unknown flag --csv",
                   "--output_file"},
           Mistake{"pod_bench all_reduce -d fp16", "--datatype is \"fp16\"",
                   "float, bfloat16, int32, all"},
           Mistake{"pod_bench all_reduce -o mean", "--op is \"mean\"",
                   "sum, prod, min, max, avg"},
           Mistake{"pod_bench all_reduce -g 8", "--ngpus is \"8\"",
                   "--topology"},
           Mistake{"pod_bench all_reduce -J nodir/x.json",
                   "--output_file is \"nodir/x.json\"",
                   "there is no folder nodir"},
           Mistake{"pod_bench all_reduce --write_choices nodir/x --algo=all",
                   "--write_choices is \"nodir/x\"",
                   "there is no folder nodir"},
           Mistake{"pod_bench all_reduce --iterations 5",
                   "unknown flag --iterations", "did you mean --iters?"},
           Mistake{"pod_bench all_reduce -n 0", "iters is 0", "allowed: 1"},
           Mistake{"pod_bench all_reduce -b 4 -e 64M -i 4",
                   "stepbytes is 4, which makes", "and more, which make up to"},
           Mistake{"pod_bench all_reduce --write_choices c.txt --algo all "
                   "-d all",
                   "--write_choices with datatype all", "such as -d float"},
           Mistake{"pod_bench all_reduce -b 64M -e 1M",
                   "-b 64M is more than -e 1M", "as in -b 1M -e 64M"},
           Mistake{"pod_bench all_reduce --topology v3-8 -b 3 -e 3",
                   "-b is 3, but an element has 4 bytes", "such as -b 4"},
           Mistake{"pod_bench broadcast --topology v3-8 -b 1K -e 1K -r 2",
                   "root is 2", "allowed: 0, as one rank takes part"},
           Mistake{"pod_bench all_reduce broadcast", "unexpected \"broadcast\"",
                   "pod_bench all_reduce"},
           Mistake{"pod_bench all_reduce --topology v3-9", "'v3-9'",
                   "nearest: v3-8"},
           Mistake{"pod_bench all_reduce --topology v5litepod-8",
                   "v5litepod-8 cannot train here", "v5litepod-4"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, FilesOfRuns) {
  for (const Mistake& mistake : {
           Mistake{"pod_ckpt", "which command?", "pod_ckpt ls runs/a"},
           Mistake{"pod_ckpt lss runs/a", "there is no command \"lss\"",
                   "did you mean ls?"},
           Mistake{"pod_ckpt rm runs/a/20", "there is no command \"rm\"",
                   "pod_launch --keep N keeps the newest N"},
           Mistake{"pod_ckpt list runs/a", "there is no command \"list\"",
                   "pod_ckpt ls DIR lists them"},
           Mistake{"pod_ckpt ls", "which path?", "pod_ckpt ls runs/a"},
           Mistake{"pod_ckpt ls '~/runs'", "path is \"~/runs\"",
                   "give \"$HOME/runs\""},
           Mistake{"pod_data show '~/shards'", "path is \"~/shards\"",
                   "give \"$HOME/shards\""},
           Mistake{"pod_ckpt ls nodir", "there is no folder nodir",
                   "give the folder of a run"},
           Mistake{"pod_ckpt show runs/exp-1", "there is no folder runs/exp-1",
                   "did you mean runs/exp_1?", "mkdir -p runs/exp_1"},
           Mistake{"pod_ckpt diff run/a run/b",
                   "there is no folder run/a; give a model_dir",
                   "there is no folder run either; did you mean runs?",
                   "mkdir -p runs"},
           Mistake{"pod_ckpt verify /dev/null", "there is no folder /dev/null",
                   "it is a device or a pipe, not a regular file"},
           Mistake{"pod_ckpt ls --model_dir runs/a", "unknown flag --model_dir",
                   "pod_ckpt ls runs/a"},
           Mistake{"pod_ckpt show runs/a --step 20", "unknown flag --step",
                   "pod_ckpt show runs/a/20"},
           Mistake{"pod_ckpt verify runs/a/20/manifest.json",
                   "runs/a/20/manifest.json is a file",
                   "give its folder: pod_ckpt verify runs/a/20",
                   "mkdir -p runs/a/20; echo {} > runs/a/20/manifest.json"},
           Mistake{"pod_ckpt --verify runs/a", "unknown flag --verify",
                   "given without dashes"},
           Mistake{"pod_program shw m.model", "there is no command \"shw\"",
                   "did you mean show?"},
           Mistake{"pod_program show", "which path?",
                   "pod_program show mlp.model"},
           Mistake{"pod_program --model m.model", "unknown flag --model",
                   "pod_program show FILE"},
           Mistake{"pod_program import x --output nodir/y.model",
                   "--output is \"nodir/y.model\"", "there is no folder nodir"},
           Mistake{"pod_program show m.model --precision half",
                   "--precision is \"half\"", "give one of bfloat16, float32"},
           Mistake{"pod_program import mine.import",
                   "import needs --output=FILE",
                   "pod_program import mine.import --output=mine.model"},
           Mistake{"pod_program show none.model",
                   "there is no model file none.model", "give the path"},
           Mistake{"pod_data show digits", "path is \"digits\"",
                   "--dataset=digits"},
           Mistake{"pod_data convert --dataset digits here --output out",
                   "path is \"here\"", "the shards go to --output"},
           Mistake{"pod_data verify none/train-* --features labels=int32",
                   "there is no folder none", "DIR/PATTERN"},
           Mistake{"pod_data convert --dataset digits",
                   "convert needs --output=DIR", "such as --output=shards"},
           Mistake{"pod_data convert --dataset digits --output out",
                   "--output is \"out\", which has train-00000-of-00008",
                   "give an empty folder",
                   "mkdir -p out; touch out/train-00000-of-00008"},
           Mistake{"pod_data sow shards", "there is no command \"sow\"",
                   "did you mean show?"},
           Mistake{"pod_data --data_dir x", "unknown flag --data_dir",
                   "pod_data show PLACE"},
           Mistake{"pod_data show x --n 3", "unknown flag --n",
                   "did you mean --examples?"},
           Mistake{"pod_data convert --datset digits", "unknown flag --datset",
                   "did you mean --dataset?"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, HostsAndCoordinators) {
  for (const Mistake& mistake : {
           Mistake{"pod_host", "--coordinator is missing", "host:port"},
           Mistake{"pod_host --rank 0", "unknown flag --rank",
                   "did you mean --process?"},
           Mistake{"pod_host --coordinator 127.0.0.1:1 --process x",
                   "--process is \"x\"", "give a whole number"},
           Mistake{"pod_host --coordinator 127.0.0.1 --process 0",
                   "--coordinator: address \"127.0.0.1\": has no port",
                   "host:port"},
           Mistake{"pod_host --coordinator 0.0.0.0:8476 --process 0",
                   "--coordinator is \"0.0.0.0:8476\"",
                   "give the name or number of the coordinator's machine"},
           Mistake{"pod_host --coordinator -.-.invalid:1 --process 0 "
                   "--allow_plaintext_network",
                   "-.-.invalid does not resolve", "give a name"},
           Mistake{"pod_coordinator --job none.txt",
                   "there is no job file none.txt", "give the path"},
           Mistake{"pod_coordinator --job /dev/null", "job file /dev/null",
                   "give a regular file"},
           Mistake{"pod_coordinator", "--job is missing",
                   "pod_launch --print_job writes one"},
           Mistake{"pod_coordinator --port 8476", "unknown flag --port",
                   "did you mean --listen?"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, VariablesOfTheEnvironment) {
  for (const Mistake& mistake : {
           Mistake{"pod_launch --dry_run", "PODSIM_LEARNINGRATE",
                   "did you mean PODSIM_LEARNING_RATE?",
                   "export PODSIM_LEARNINGRATE=0.1"},
           Mistake{"pod_bench all_reduce", "PODSIM_MINBYTE",
                   "did you mean PODSIM_MINBYTES?", "export PODSIM_MINBYTE=1K"},
           Mistake{"pod_host --coordinator=127.0.0.1:1 --process=0",
                   "PODSIM_COORDINATR", "did you mean PODSIM_COORDINATOR?",
                   "export PODSIM_COORDINATR=x"},
           Mistake{"pod_launch --topology v3-8",
                   "there is no fault plan file none", "(from PODSIM_FAULTS)",
                   "export PODSIM_FAULTS=none"},
           Mistake{"pod_launch --dry_run", "there is no job file none",
                   "(from PODSIM_JOB)", "export PODSIM_JOB=none"},
           Mistake{"pod_launch --topology v3-8",
                   "--external_hosts needs --listen",
                   "(from PODSIM_EXTERNAL_HOSTS)",
                   "export PODSIM_EXTERNAL_HOSTS=1"},
           Mistake{"pod_launch --no_quiet", "unknown flag --no_quiet",
                   "leave it out, or give --quiet=false"},
           Mistake{"pod_host --token abc", "unknown flag --token",
                   "PODSIM_TOKEN alone: export it"},
           Mistake{"pod_launch --dry_run", "threads is -1",
                   "allowed: 0 to 4,096 (from PODSIM_THREADS)",
                   "export PODSIM_THREADS=-1"},
           Mistake{"pod_launch --dry_run", "topology: no slice is called",
                   "(from PODSIM_TOPOLOGY)", "export PODSIM_TOPOLOGY=v3-9"},
           Mistake{"pod_launch --dry_run",
                   "PODSIM_TOPOLOGY is \"v3–8\", with a long dash",
                   "type a hyphen: v3-8", "export PODSIM_TOPOLOGY=v3–8"},
           Mistake{"pod_launch --external_hosts --listen=127.0.0.1:0",
                   "--external_hosts needs a token: PODSIM_TOKEN is not set",
                   "export PODSIM_TOKEN=$(openssl", "unset PODSIM_TOKEN"},
           Mistake{"pod_bench all_reduce --external_hosts "
                   "--listen=127.0.0.1:0",
                   "--external_hosts needs a token: PODSIM_TOKEN is not set",
                   "export PODSIM_TOKEN=$(openssl", "unset PODSIM_TOKEN"},
           Mistake{"pod_launch --topology=v3-8", "PODSIM_TOKEN has 3 char",
                   "give 16 or more", "export PODSIM_TOKEN=abc"},
       })
    Expect(mistake);
}

TEST_F(TypedMistakesTest, FilesThatAreNamed) {
  for (const Mistake& mistake : {
           Mistake{"pod_launch --dry_run --job=k.txt", "threads is -1",
                   "(from k.txt line 3)",
                   "printf 'seed: 1\\n\\nthreads: -1\\n' > k.txt"},
           Mistake{"pod_plan --job=k.txt", "train_steps is 0",
                   "(from k.txt line 1)", "echo 'train_steps: 0' > k.txt"},
           Mistake{"pod_coordinator --job=k.txt", "topology: no slice",
                   "(from k.txt line 1)", "echo 'topology: \"v3-9\"' > k.txt"},
           Mistake{"pod_launch --dry_run --job=k.txt",
                   "topology is \"v3–8\", with a long dash (U+2013)",
                   "type a hyphen: v3-8 (from k.txt line 1)",
                   "echo 'topology: \"v3–8\"' > k.txt"},
           Mistake{"pod_launch --dry_run --job=k.txt",
                   "no model is called 'mpl'; did you mean mlp?",
                   "(from k.txt line 2)",
                   "printf 'seed: 1\\nmodel: \"mpl\"\\n' > k.txt"},
           Mistake{"pod_launch --dry_run --job=k.txt",
                   "k.txt:1:12: train_steps has no value",
                   "give a whole number from 1 up, as in train_steps: VALUE",
                   "printf 'train_steps:\\nseed: 1\\n' > k.txt"},
           Mistake{"pod_launch --dry_run --job=k.txt", "k.txt:1:1: ",
                   "a field stands without dashes: topology: \"v3-8\"",
                   "echo '--topology=v3-8' > k.txt"},
           Mistake{"pod_launch --dry_run --job=job.toml",
                   "job.toml:2:1: ", "as TOML has it",
                   "printf '[job]\\ntopology = \"v3-8\"\\n' > job.toml"},
           Mistake{"pod_launch --dry_run --job=plot.png",
                   "job file plot.png is a PNG image",
                   "a job is a text file, written as",
                   "printf '\\x89PNG\\r\\n\\x1a\\n\\0\\0' > plot.png"},
           Mistake{"pod_launch --dry_run --job=k.txt",
                   "k.txt:1:11: the line has a curly quotation mark (U+201C)",
                   "topology: \"v3-8\"", "echo 'topology: “v3-8”' > k.txt"},
           Mistake{"pod_data verify my.tar --dataset=csv",
                   "my.tar is a tar archive", "unpack it with tar -xf my.tar",
                   "echo a,b > my.csv; tar cf my.tar my.csv"},
           Mistake{"pod_data verify my.csv.gz --dataset=tfrecord",
                   "my.csv.gz is a CSV file by its name",
                   "dataset=csv reads it", "echo a,b | gzip > my.csv.gz"},
           Mistake{"pod_launch --data_dir=my.csv.bz2",
                   "my.csv.bz2 is compressed with bzip2",
                   "unpack it, bunzip2 my.csv.bz2, and give my.csv",
                   "printf BZh91AY > my.csv.bz2"},
           Mistake{
               "pod_launch --data_dir=my.csv.zst --dataset=csv --topology v3-8 "
               "--model mlp --batch_per_core 8 --epochs 1 --learning_rate 0.1",
               "my.csv.zst is compressed with Zstandard",
               "unpack it, unzstd my.csv.zst, and give my.csv",
               "echo a > my.csv.zst"},
           Mistake{"pod_data verify dta/my.csv --dataset=csv",
                   "there is no file or folder dta/my.csv",
                   "there is no folder dta either; did you mean data?",
                   "mkdir -p data"},
           Mistake{"pod_launch --dataset=mnist --data_dir=./mnist",
                   "there is no folder ./mnist; --data_dir must hold "
                   "train-images-idx3-ubyte",
                   "did you mean ./mnist_idx?",
                   "touch mnist.py; mkdir -p mnist_idx"},
           Mistake{"pod_launch --dataset=mnist --data_dir=./mnist",
                   "--data_dir must hold train-images-idx3-ubyte",
                   "; it holds a.png", "mkdir -p mnist; touch mnist/a.png"},
           Mistake{"pod_launch --data_dir ./mnist",
                   "data_dir is ./mnist, but digits are built in",
                   "--dataset=mnist for files (train-images-idx3-ubyte, "},
           Mistake{"pod_data verify cifar10 --dataset=cifar10",
                   "there is no file or folder cifar10; give a folder",
                   "data/data_batch_*.bin; did you mean cifar10-bin?",
                   "touch cifar10.py; mkdir -p cifar10-bin"},
           Mistake{"pod_program show my.modle",
                   "there is no model file my.modle", "did you mean my.model?",
                   "echo x > my.model"},
           Mistake{"pod_report runz", "there is no file or folder runz",
                   "pod_launch --metrics_file=FILE writes one"},
           Mistake{"pod_report --model_dir runs/a", "unknown flag --model_dir",
                   "pod_report FILE"},
           Mistake{"pod_report", "which path?", "pod_report runs/a.jsonl"},
           Mistake{"pod_ckpt ls runz", "there is no folder runz",
                   "did you mean runs?", "mkdir -p runs"},
           Mistake{"pod_data verify my.csv.xz", "compressed with xz",
                   "unpack it, unxz my.csv.xz, and give my.csv",
                   "echo a > my.csv.xz"},
           Mistake{"pod_launch --data_dir=my.zip", "my.zip is a zip archive",
                   "unpack it, unzip my.zip, and give my", "echo a > my.zip"},
           Mistake{"pod_launch --dataset=csv --data_dir=my.csv --classes 2 "
                   "--features='features=a..b:float32[2],label=label:int64' "
                   "--topology v3-8 --model mlp --batch_per_core 8 --epochs 1 "
                   "--learning_rate 0.1",
                   "model mlp reads input labels",
                   "; call it labels: --features='features=a..b:float32[2],"
                   "labels=label:int64'",
                   "printf 'a,b,label\\n1,2,0\\n3,4,1\\n' > my.csv"},
           Mistake{"pod_launch --topology v3-32 --train_steps 40 "
                   "--faults faults.txt",
                   "faults.txt:1:16: kind is \"kill\"", "did you mean KILL?",
                   "echo 'faults { kind: kill host: 2 }' > faults.txt"},
           Mistake{"pod_launch --topology v3-32 --train_steps 40 "
                   "--faults faults.txt",
                   "faults.txt:1: no phase is called "
                   "'all_reduce'",
                   "did you mean all-reduce?",
                   "echo 'faults { kind: KILL host: 2 step: 3 phase: "
                   "\"all_reduce\" }' > faults.txt"},
           Mistake{"pod_launch --dry_run --metrics_file shards",
                   "--metrics_file is \"shards\", but that is a folder",
                   "name a file in it", "mkdir -p shards"},
           Mistake{"pod_launch --dry_run --log_dir file",
                   "--log_dir is \"file\", but that is a file", "name a folder",
                   "touch file"},
           Mistake{"pod_launch --dry_run --model_dir file",
                   "--model_dir is \"file\", but that is a file",
                   "name a folder", "touch file"},
           Mistake{"pod_launch --model_dir file/run",
                   "--model_dir is \"file/run\", but that is a file, or lies",
                   "name a folder", "touch file"},
       })
    Expect(mistake);
}

// Before a plan is printed or anything starts.
TEST_F(TypedMistakesTest, WhereAPodListens) {
  for (const Mistake& mistake : {
           Mistake{"pod_launch --topology v3-32 --metrics_port 8433 "
                   "--tpu_metrics_port 8431",
                   "--metrics_port is 8433, which --tpu_metrics_port=8431 "
                   "takes for host 2",
                   "give another port, or 0 for any free one"},
           Mistake{"pod_launch --dry_run --topology v3-32 --metrics_port 8431 "
                   "--tpu_metrics_port 8431",
                   "which --tpu_metrics_port=8431 takes for host 0",
                   "give another port"},
           Mistake{"pod_launch --topology v3-32 --tpu_metrics_port 65534",
                   "--tpu_metrics_port is 65534, and each of 4 hosts",
                   "65532 is the last"},
           Mistake{"pod_launch --topology v3-8 --metrics_port 9400 "
                   "--metrics_host 127.0.0.1:9400",
                   "--metrics_host is \"127.0.0.1:9400\", with a port",
                   "--metrics_host=127.0.0.1, and the port as --metrics_port"},
           Mistake{"pod_launch --topology v3-8 --metrics_port 9400 "
                   "--metrics_host 0.0.0.0",
                   "--metrics_host: address 0.0.0.0:9400 leaves this machine",
                   "--allow_plaintext_network"},
           Mistake{"pod_launch --topology v3-8 --metrics_port 9400 "
                   "--metrics_host 192.0.2.7 --allow_plaintext_network",
                   "cannot listen on 192.0.2.7:9400: it is no address of this "
                   "machine",
                   "or 0.0.0.0 for all"},
           Mistake{"pod_launch --topology v3-8 --external_hosts "
                   "--listen 127.0.0.1:9415 --metrics_port 9415",
                   "--metrics_port is 9415, which --listen=127.0.0.1:9415 "
                   "takes",
                   "give another port"},
           Mistake{"pod_launch --topology v3-8 --external_hosts "
                   "--listen unix:/nodir/sock",
                   "--listen: cannot listen on unix:/nodir/sock: there is no "
                   "folder /nodir",
                   "give a path in one that exists"},
           Mistake{"pod_bench all_reduce --external_hosts "
                   "--listen unix:/nodir/sock",
                   "there is no folder /nodir",
                   "give a path in one that exists"},
           Mistake{"pod_coordinator --job j.txt --metrics_port 8431 "
                   "--tpu_metrics_port 8431",
                   "which --tpu_metrics_port=8431 takes for host 0",
                   "give another port", "echo 'seed: 1' > j.txt"},
           Mistake{"pod_host --coordinator 127.0.0.1:1 --process 0 "
                   "--ici_advertise 0.0.0.0:8471",
                   "--ici_advertise is \"0.0.0.0:8471\", which is an address "
                   "to listen at, not to call",
                   "name or number of this host's machine"},
           Mistake{"pod_top --address 127.0.0.1:1",
                   "--address is \"127.0.0.1:1\", but nobody listens there",
                   "the job's coordinator says it listens at"},
           Mistake{"pod_top --address 192.0.2.9:8476",
                   "--address: address 192.0.2.9:8476 leaves this machine",
                   "--allow_plaintext_network"},
           Mistake{"pod_top --metrics_file none.jsonl",
                   "there is no metrics file none.jsonl", "give the path"},
       })
    Expect(mistake);
}

// What was passed over, or done as nobody asked.
TEST_F(TypedMistakesTest, WhatWouldBePassedOver) {
  for (const Mistake& mistake : {
           Mistake{"pod_plan --topology v3-8,v3-8", "names v3-8 twice",
                   "leave one out"},
           Mistake{"pod_plan --collective all_reduce --topology "
                   "v3-8..v3-64,v3-32",
                   "names v3-32 twice", "leave one out"},
           Mistake{"pod_plan --topology 'v3-8, v3-32'",
                   "' v3-32' has a blank before or behind it", "v3-8,v3-32"},
           Mistake{"pod_plan --topology v3-8..v3-32..v3-64",
                   "has more than two ends", "as in v3-8..v3-64"},
           Mistake{"pod_plan --plot gs://b/l.svg", "gs://b/l.svg", "--plot"},
           Mistake{"pod_plan --plot .svg", "nothing stands before .svg",
                   "give --plot=run.svg"},
           Mistake{"pod_plan --collective barrier -b 1M",
                   "--minbytes is for a collective that carries data",
                   "leave it out"},
           Mistake{"pod_plan --budget 1,000 --price_per_chip_hour 1",
                   "--budget is \"1,000\"", "without commas, 1000"},
           Mistake{"pod_plan --model_file none.model",
                   "there is no model file none.model", "give the path"},
           Mistake{"pod_launch --describe v3-8 --epochs 3",
                   "--describe reads --wrap, --twist and --hardware alone",
                   "leave --epochs out"},
           Mistake{"pod_launch --selftest --topology v3-8",
                   "--selftest reads --isa alone", "leave --topology out"},
           Mistake{"pod_launch --topology v3-32 --train_steps 40 "
                   "--faults f.txt",
                   "f.txt:1: CUT has no other end of the link", "as in to: 1",
                   "echo 'faults { kind: CUT host: 0 step: 2 }' > f.txt"},
           Mistake{"pod_launch --topology v3-32 --train_steps 40 "
                   "--faults f.txt",
                   "f.txt:1: KILL has no host", "as in host: 0",
                   "echo 'faults { kind: KILL step: 2 }' > f.txt"},
           Mistake{"pod_launch --topology v3-32 --train_steps 40 "
                   "--faults f.txt",
                   "f.txt:1: SLOW has no step", "as in step: 20",
                   "echo 'faults { kind: SLOW host: 1 seconds: 2 }' > f.txt"},
           Mistake{"pod_launch --dry_run --job j.txt",
                   "j.txt is no text in UTF-8", "a job is a text file",
                   "printf '\\x89\\xc3\\x28 junk\\n' > j.txt"},
       })
    Expect(mistake);
}

// What a command reads it does not write, by whatever name.
TEST_F(TypedMistakesTest, FilesThatWouldBeWrittenOver) {
  for (const Mistake& mistake : {
           Mistake{"pod_report run.jsonl -o run.jsonl",
                   "--output is \"run.jsonl\", but path run.jsonl reads that "
                   "file",
                   "name another file", "echo x > run.jsonl"},
           Mistake{"pod_report run.jsonl -o link.html",
                   "--output is \"link.html\", but path run.jsonl reads that",
                   "name another file",
                   "echo x > run.jsonl; ln -s run.jsonl link.html"},
           Mistake{"pod_report run.svg --plot ./run.svg",
                   "--plot is \"./run.svg\", but path run.svg reads that file",
                   "name another file", "echo x > run.svg"},
           Mistake{"pod_report a.jsonl --trace t -o t",
                   "--trace is \"t\", but --output t writes that file",
                   "name another file", "echo x > a.jsonl"},
           Mistake{"pod_program import f --output=f",
                   "--output is \"f\", but path f reads that file",
                   "name another file", "echo x > f"},
           Mistake{"pod_program run m --values=v --output=v",
                   "--output is \"v\", but --values v reads that file",
                   "name another file", "echo x > v; echo y > m"},
           Mistake{"pod_launch --dry_run --job job.txt --metrics_file job.txt",
                   "--metrics_file is \"job.txt\", but --job job.txt reads",
                   "name another file", "echo 'seed: 1' > job.txt"},
           Mistake{"pod_launch --job job.txt --write_model job.txt",
                   "--write_model is \"job.txt\", but --job job.txt reads",
                   "name another file", "echo 'seed: 1' > job.txt"},
           Mistake{"pod_launch --metrics_file a --trace a",
                   "--trace is \"a\", but --metrics_file a writes that file",
                   "name another file"},
           Mistake{"pod_launch --model_dir run --trace run/metrics.jsonl",
                   "--trace is \"run/metrics.jsonl\", but --metrics_file "
                   "run/metrics.jsonl writes that file",
                   "name another file", "mkdir run"},
           Mistake{"pod_launch --log_dir out --metrics_file out",
                   "--metrics_file is \"out\", but --log_dir out names a "
                   "folder",
                   "name another file"},
           Mistake{"pod_plan --measured a.svg,b.svg --plot b.svg",
                   "--plot is \"b.svg\", but --measured b.svg reads that",
                   "name another file", "echo x > a.svg; echo y > b.svg"},
           Mistake{"pod_plan --job job.svg --plot job.svg --topology v3-8",
                   "--plot is \"job.svg\", but --job job.svg reads that",
                   "name another file", "echo 'seed: 1' > job.svg"},
           Mistake{"pod_ladder --topology v3-8,v3-32 --plot l.svg --report "
                   "l.svg",
                   "--report is \"l.svg\", but --plot l.svg writes that file",
                   "name another file"},
           Mistake{"pod_bench all_reduce -J x --write_choices x --algo=all",
                   "--write_choices is \"x\", but --output_file x writes that",
                   "name another file"},
           Mistake{"pod_data convert d --dataset=csv --output=d --shards=1",
                   "--output is \"d\", but path d reads that folder",
                   "name another folder",
                   "mkdir d; printf 'x,label\\n1,0\\n2,1\\n' > d/a.csv"},
       })
    Expect(mistake);
}

// Programs for developers; those of bench/ only where they are built.
TEST_F(TypedMistakesTest, SmallPrograms) {
  for (const Mistake& mistake : {
           Mistake{"print_settings flag", "unexpected \"flag\"",
                   "give print_settings flags"},
           Mistake{"print_settings completion pod_lunch",
                   "there is no program \"pod_lunch\"",
                   "did you mean pod_launch"},
           Mistake{"gcs_server 80800 b=us", "the port is \"80800\"",
                   "from 0 (any free one) to 65535"},
           Mistake{"gcs_server abc b=us", "the port is \"abc\"",
                   "gcs_server 8080 bucket=us"},
#ifdef PODSIM_HAS_BENCH
           Mistake{"read_shards csv my.csv", "given: csv my.csv",
                   "read_shards DATASET DATA_DIR FEATURES THREADS PASSES"},
           Mistake{"read_shards csv my.csv '' many 1", "THREADS is \"many\"",
                   "give a whole number from 1 up"},
           Mistake{"validate --topology v3-8", "unexpected \"--topology\"",
                   "validate [docs/validation.md]"},
           Mistake{"validate none.md", "cannot read none.md",
                   "give the path of a page that exists"},
           Mistake{"kernels_bench --benchmark_format=yaml",
                   "--benchmark_format is \"yaml\"",
                   "give console, json or csv"},
           Mistake{"kernels_bench --benchmark_filter=NoSuchKernel",
                   "no benchmark matches --benchmark_filter=NoSuchKernel",
                   "--benchmark_list_tests=true lists them"},
           Mistake{"kernels_bench '--benchmark_filter=copy(*'",
                   "--benchmark_filter is \"copy(*\", no regular expression",
                   "takes it as it is"},
           Mistake{"compile_bench mlp", "unexpected \"mlp\"",
                   "--benchmark_filter="},
           Mistake{"compile_bench --benchmark_filter=NoSuch",
                   "no benchmark matches --benchmark_filter=NoSuch",
                   "such as compile/mlp"},
           Mistake{"input_bench --benchmark_min_time=abc",
                   "--benchmark_min_time is \"abc\"",
                   "give a number of seconds, without a unit"},
           Mistake{"input_bench --filter=csv", "unknown flag --filter",
                   "did you mean --benchmark_filter?"},
           Mistake{"input_bench --benchmark_filter",
                   "--benchmark_filter has no value", "behind a ="},
           Mistake{"collectives_bench --benchmark_out=nodir/x.json",
                   "--benchmark_out is \"nodir/x.json\"",
                   "there is no folder nodir"},
#endif
       })
    Expect(mistake);
}

// Pasted from pages and word processors.
TEST_F(TypedMistakesTest, CharactersOfTypography) {
  for (const Mistake& mistake : {
           Mistake{"pod_launch --dry_run –-topology v3-8",
                   "\"–-topology\" begins with a long dash (U+2013)",
                   "type two hyphens: --topology"},
           Mistake{"pod_launch —topology v3-8",
                   "\"—topology\" begins with a long dash (U+2014)",
                   "type two hyphens: --topology"},
           Mistake{"pod_launch –dry_run",
                   "\"–dry_run\" begins with a long dash (U+2013)",
                   "type two hyphens: --dry_run"},
           Mistake{"pod_launch --dry_run --learning_rate 3e−4",
                   "--learning_rate is \"3e−4\", with a minus sign",
                   "type a hyphen: 3e-4"},
           Mistake{"pod_launch --dry_run --learning_rate −0.1",
                   "--learning_rate is \"−0.1\", with a minus sign",
                   "type a hyphen: -0.1"},
           Mistake{"pod_launch --dry_run --topology v3‑8",
                   "--topology is \"v3‑8\", with a non-breaking hyphen",
                   "type a hyphen: v3-8"},
           Mistake{"pod_launch --dry_run --topology “v3-8”",
                   "--topology is \"“v3-8”\", with a curly quotation mark",
                   "type straight quotes, or none: v3-8"},
           Mistake{"pod_launch --dry_run --topology\u00a0v3-8",
                   "has a no-break space (U+00A0)",
                   "type an ordinary space: --topology v3-8"},
           Mistake{"pod_launch --dry_run \u00a0--topology v3-8",
                   "begins with a no-break space (U+00A0)",
                   "leave it out: --topology"},
           Mistake{"pod_launch --dry_run --topology v3-8\u200b",
                   "with an invisible character (U+200B)",
                   "leave it out: v3-8"},
           Mistake{"pod_plan --topology v3-8…v3-64",
                   "--topology is \"v3-8…v3-64\", with an ellipsis (U+2026)",
                   "type two dots: v3-8..v3-64"},
           Mistake{"pod_bench all_reduce –b 1M",
                   "\"–b\" begins with a long dash (U+2013)",
                   "type a hyphen: -b"},
           Mistake{"pod_bench “all_reduce”",
                   "\"“all_reduce”\" has a curly quotation mark",
                   "type straight quotes, or none: all_reduce"},
           Mistake{"pod_ckpt ls my–run", "there is no folder my–run",
                   "if that is not in its name, type a hyphen: my-run"},
           Mistake{"pod_data show --dataset “csv” x",
                   "--dataset is \"“csv”\", with a curly quotation mark",
                   "or none: csv"},
           Mistake{"pod_program show —precision float32",
                   "\"—precision\" begins with a long dash", "--precision"},
           Mistake{"pod_host --coordinator 127.0.0.1：8476 --process 0",
                   "with a full-width character (U+FF1A)",
                   "type the ordinary one: 127.0.0.1:8476"},
           Mistake{"pod_coordinator —job=job.txt",
                   "\"—job=job.txt\" begins with a long dash",
                   "type two hyphens: --job=job.txt"},
       })
    Expect(mistake);
}

}  // namespace
}  // namespace podsim
