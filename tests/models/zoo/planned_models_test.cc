// Models for plans: parameters against the published counts, work, shapes, and
// that each compiles to a Program that the verifier passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "models/graph/serialize_program.h"
#include "models/graph/verify_model.h"
#include "models/zoo/model_numbers.h"
#include "models/zoo/zoo.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Of ImageNet, where the model reads images.
ModelConfig Config(const std::string& name, const std::string& numbers = "") {
  ModelConfig config;
  config.set_name(name);
  for (const int side : {224, 224, 3}) config.add_example_shape(side);
  config.set_classes(1000);
  const std::vector<std::string> texts =
      absl::StrSplit(numbers, ',', absl::SkipEmpty());
  const auto parsed = ParseNumbers(texts);
  EXPECT_THAT(parsed, IsOk());
  for (const ModelNumber& number : *parsed) *config.add_numbers() = number;
  return config;
}

struct Elements {
  std::int64_t trained = 0;
  std::int64_t of_states = 0;
  std::int64_t of_heads = 0;  // of `trained`: those that pre-training adds
};

Elements ElementsOf(const ModelProto& model) {
  Elements elements;
  for (const GraphProto::Value& value : model.graph().values()) {
    if (value.kind() != GraphProto::VARIABLE) continue;
    std::int64_t count = 1;
    for (const std::int64_t dim : value.type().shape().dims()) count *= dim;
    (value.is_state() ? elements.of_states : elements.trained) += count;
    if (absl::StartsWith(value.name(), "mlm/") ||
        absl::StartsWith(value.name(), "nsp/"))
      elements.of_heads += count;
  }
  return elements;
}

// Convolutions, two numbers per channel that is normalized, the head:
//
//   resnet18    11,166,912 +   9,600 +   513,000
//   resnet34    21,267,648 +  17,024 +   513,000
//   resnet50    23,454,912 +  53,120 + 2,049,000
//   resnet101   42,394,816 + 105,344 + 2,049,000
//   resnet152   57,992,384 + 151,424 + 2,049,000
//
// torchvision's documentation has the same sums (v1.5; its versions differ in
// no shape). The moving averages are as many as the numbers of norms.
TEST(Resnet, HasThePublishedParameters) {
  const struct {
    const char* name;
    std::int64_t trained;
    std::int64_t of_norms;
  } published[] = {{"resnet18", 11'689'512, 9'600},
                   {"resnet34", 21'797'672, 17'024},
                   {"resnet50", 25'557'032, 53'120},
                   {"resnet101", 44'549'160, 105'344},
                   {"resnet152", 60'192'808, 151'424}};
  for (const auto& each : published) {
    SCOPED_TRACE(each.name);
    ASSERT_OK_AND_ASSIGN(const ModelProto model, BuildModel(Config(each.name)));
    const Elements elements = ElementsOf(model);
    EXPECT_EQ(elements.trained, each.trained);
    EXPECT_EQ(elements.of_states, each.of_norms);
  }
}

TEST(Resnet, IsItsFamilyWithADepth) {
  ASSERT_OK_AND_ASSIGN(ModelProto sized, BuildModel(Config("resnet34")));
  ASSERT_OK_AND_ASSIGN(const ModelProto family,
                       BuildModel(Config("resnet", "depth=34")));
  sized.set_name("resnet");
  EXPECT_EQ(ModelHash(sized), ModelHash(family));
  ASSERT_OK_AND_ASSIGN(const ModelProto without, BuildModel(Config("resnet")));
  EXPECT_EQ(ElementsOf(without).trained, 25'557'032);
}

double MultiplyAddsOf(const Program& program, const Instruction& instruction) {
  const auto shape = [&](TensorId id) { return program.tensor(id).shape; };
  const auto out =
      static_cast<double>(shape(instruction.outputs[0]).elements());
  if (instruction.op.name() == "convolution") {
    const Shape kernel = shape(instruction.inputs[1]);
    return out * static_cast<double>(kernel.elements() / kernel.dims.back());
  }
  if (instruction.op.name() == "dot_general")
    return out * static_cast<double>(shape(instruction.inputs[0]).dims.back());
  return 0;
}

// Of the convolutions and the head, of one image: each number that comes out
// times the window's taps and channels, those over padding too. The published
// 4.09 G [torchvision's documentation of ResNet-50] is 4,089,184,256; version 1
// has 3.8 G [He et al., 2016, table 1].
TEST(Resnet, Takes4GMultiplyAddsForAnImage) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       BuildProgram(Config("resnet50"), {}));
  double sum = 0;
  int products = 0;
  for (const Segment& segment : program.entries.at(EntryPoint::kEval))
    for (const Instruction& instruction : segment.instructions) {
      const double each = MultiplyAddsOf(program, instruction);
      sum += each;
      products += each > 0 ? 1 : 0;
    }
  EXPECT_EQ(sum, 4'089'184'256);
  EXPECT_EQ(products, 54);  // 53 convolutions and the head
}

TEST(Resnet, RefusesWhatItCannotBe) {
  EXPECT_THAT(
      BuildModel(Config("resnet", "depth=49")),
      StatusIs(kInvalid, HasSubstr("depth is 49; allowed: 18, 34, 50")));
  EXPECT_THAT(BuildModel(Config("resnet", "depth=5")),
              StatusIs(kInvalid, HasSubstr("depth is 5; allowed: 18 to 152")));
  EXPECT_THAT(BuildModel(Config("resnet50", "dept=50")),
              StatusIs(kInvalid, AllOf(HasSubstr("no number 'dept'"),
                                       HasSubstr("did you mean depth?"))));
  ModelConfig flat = Config("resnet50");
  flat.clear_example_shape();
  flat.add_example_shape(784);
  EXPECT_THAT(BuildModel(flat), StatusIs(kInvalid, HasSubstr("takes images")));
}

// Embeddings (30,522 + 512 + 2) W + 2 W; a layer 4 (W W + W) of attention,
// 2 W F + F + W of the feed-forward layer, 4 W of norms; pooler W W + W:
//
//   base   23,837,184 + 12 x  7,087,872 +   590,592
//   large  31,782,912 + 24 x 12,596,224 + 1,049,600
//
// as in Hugging Face's BertModel of bert-base-uncased and bert-large-uncased.
// Pre-training adds W W + W + 2 W + 30,522 of masked tokens and 2 W + 2 of the
// next sentence. MLPerf's all-reduce of BERT-large carries 336.2 M numbers
// (google/paragraph, hlo_after_optimizations_bert_32_tpuv3_stats.csv).
TEST(Bert, HasThePublishedParameters) {
  const struct {
    const char* name;
    std::int64_t of_encoder;
    std::int64_t of_heads;
  } published[] = {{"bert_base", 109'482'240, 624'188},
                   {"bert_large", 335'141'888, 1'084'220}};
  for (const auto& each : published) {
    SCOPED_TRACE(each.name);
    ASSERT_OK_AND_ASSIGN(const ModelProto model, BuildModel(Config(each.name)));
    const Elements elements = ElementsOf(model);
    EXPECT_EQ(elements.trained - elements.of_heads, each.of_encoder);
    EXPECT_EQ(elements.of_heads, each.of_heads);
    EXPECT_EQ(elements.of_states, 0);
  }
}

// 33,708 W of embeddings; an encoder's layer 4 W W + 2 W F + F + W + 4 W, a
// decoder's 8 W W + 2 W F + F + W + 6 W; 4 W of the last norms:
//
//   base  17,258,496 + 6 x  3,150,336 + 6 x  4,199,936 + 2,048
//   big   34,516,992 + 6 x 12,592,128 + 6 x 16,788,480 + 4,096
//
// MLPerf's all-reduce of Transformer-big carries 210.8 M numbers (as above,
// transformer). Vaswani et al. have 65 M and 213 M, with 37,000 tokens.
TEST(Transformer, HasThePublishedParameters) {
  ASSERT_OK_AND_ASSIGN(const ModelProto base,
                       BuildModel(Config("transformer_base")));
  EXPECT_EQ(ElementsOf(base).trained, 61'362'176);
  ASSERT_OK_AND_ASSIGN(const ModelProto big,
                       BuildModel(Config("transformer_big")));
  EXPECT_EQ(ElementsOf(big).trained, 210'804'736);
  ASSERT_OK_AND_ASSIGN(
      const ModelProto paper,
      BuildModel(Config("transformer_big", "vocabulary=37000")));
  EXPECT_NEAR(static_cast<double>(ElementsOf(paper).trained), 213e6, 1.2e6);
}

// (50,257 + 1,024) W of embeddings, 12 W W + 13 W a layer, 2 W of the last
// norm:
//
//   small    39,383,808 + 12 x  7,087,872 + 1,536
//   medium   52,511,744 + 24 x 12,596,224 + 2,048
//   large    65,639,680 + 36 x 19,677,440 + 2,560
//   xl       82,049,600 + 48 x 30,740,800 + 3,200
//
// as in Hugging Face's gpt2, gpt2-medium, gpt2-large and gpt2-xl.
TEST(Gpt2, HasThePublishedParameters) {
  const struct {
    const char* name;
    std::int64_t trained;
  } published[] = {{"gpt2_small", 124'439'808},
                   {"gpt2_medium", 354'823'168},
                   {"gpt2_large", 774'030'080},
                   {"gpt2_xl", 1'557'611'200}};
  for (const auto& each : published) {
    SCOPED_TRACE(each.name);
    ASSERT_OK_AND_ASSIGN(const ModelProto model, BuildModel(Config(each.name)));
    EXPECT_EQ(ElementsOf(model).trained, each.trained);
  }
}

std::vector<std::string> InputsText(const Program& program) {
  std::vector<std::string> texts;
  for (const ProgramInput& input : program.inputs)
    texts.push_back(
        absl::StrCat(program.tensor(input.tensor).name, " ",
                     ToString(TypeOf(program.tensor(input.tensor)))));
  return texts;
}

std::vector<std::string> MetricsOf(const Program& program) {
  std::vector<std::string> names;
  for (const ProgramMetric& metric : program.metrics)
    names.push_back(metric.name);
  return names;
}

struct PlannedCase {
  std::string name;
  // Few layers where all are alike: the whole network is its count's test.
  std::string numbers;
  double dropout = 0;
};

Program Compiled(const PlannedCase& planned) {
  ModelConfig config = Config(planned.name, planned.numbers);
  config.set_dropout(planned.dropout);
  const auto program =
      BuildProgram(config, {.rule = "adamw",
                            .rule_settings = {.beta1 = 0.9,
                                              .beta2 = 0.999,
                                              .epsilon = 1e-8,
                                              .weight_decay = 0.01},
                            .weight_decay_exclude = {"bias", "norm"}});
  EXPECT_THAT(program, IsOk());
  return program.ok() ? *program : Program();
}

class PlannedModel : public ::testing::TestWithParam<PlannedCase> {};

TEST_P(PlannedModel, CompilesToAProgramThatTheVerifierPasses) {
  const Program program = Compiled(GetParam());
  ASSERT_FALSE(program.entries.empty());
  EXPECT_THAT(VerifyModel(ToProto(program)), IsOk());
  for (const EntryPoint entry :
       {EntryPoint::kTrainMicrobatch, EntryPoint::kReduce, EntryPoint::kUpdate,
        EntryPoint::kEval})
    EXPECT_TRUE(program.entries.contains(entry));
  EXPECT_EQ(TypeOf(program.tensor(program.loss)),
            (ValueType{DType::kFloat32, WithBatch({})}));
  ASSERT_OK_AND_ASSIGN(const ModelProto model,
                       BuildModel(Config(GetParam().name, GetParam().numbers)));
  const Elements elements = ElementsOf(model);
  EXPECT_EQ(program.gradient_elements, elements.trained + elements.of_states);
  // Two slots of each weight.
  EXPECT_EQ(program.variable_elements,
            3 * elements.trained + elements.of_states);
  // Batch norm does; so does a table that is read at both ends, whose two
  // gradients each core adds.
  EXPECT_TRUE(program.mixes_in_training);
  EXPECT_FALSE(program.mixes_in_eval);
}

// What is excluded in the published code: biases, and what norms have.
TEST_P(PlannedModel, DecaysKernelsAndTablesAlone) {
  const Program program = Compiled(GetParam());
  int decayed = 0;
  for (const Segment& segment : program.entries.at(EntryPoint::kUpdate))
    for (const Instruction& instruction : segment.instructions) {
      if (instruction.op != OpCode::kUpdate || !instruction.attributes.decays)
        continue;
      const ProgramTensor& variable =
          program.tensor(instruction.outputs.back());
      EXPECT_GE(variable.shape.rank(), 2) << variable.name;
      ++decayed;
    }
  int matrices = 0;
  for (const ProgramVariable& variable : program.variables)
    if (!variable.is_slot && program.tensor(variable.tensor).shape.rank() >= 2)
      ++matrices;
  EXPECT_EQ(decayed, matrices);
}

INSTANTIATE_TEST_SUITE_P(
    Families, PlannedModel,
    ::testing::Values(
        PlannedCase{"resnet18", ""}, PlannedCase{"resnet50", ""},
        PlannedCase{"bert_large", "layers=2"},
        PlannedCase{"bert_base", "layers=1,sequence_length=128", 0.1},
        PlannedCase{"transformer_big", "layers=2"},
        PlannedCase{"transformer_base", "layers=1,sequence_length=80", 0.1},
        PlannedCase{"gpt2_small", "layers=2"},
        PlannedCase{"gpt2_medium", "layers=2,activation_bytes=4"},
        PlannedCase{"gpt2_xl", "layers=1,sequence_length=128", 0.1}),
    [](const auto& info) {
      return absl::StrCat(info.param.name,
                          info.param.dropout > 0 ? "_drops" : "");
    });

TEST(PlannedModels, ReadInputsOfTheirOwn) {
  EXPECT_THAT(
      InputsText(Compiled({"bert_large", "layers=1"})),
      ElementsAre("input_ids int32 [B, 512]", "input_mask int32 [B, 512]",
                  "segment_ids int32 [B, 512]",
                  "masked_lm_positions int32 [B, 76]",
                  "masked_lm_ids int32 [B, 76]", "masked_lm_weights [B, 76]",
                  "next_sentence_labels int32 [B]", "weights [B]"));
  EXPECT_THAT(
      InputsText(Compiled({"bert_base", "layers=1,sequence_length=128"})),
      Contains("masked_lm_ids int32 [B, 20]"));
  EXPECT_THAT(InputsText(Compiled({"transformer_big", "layers=1"})),
              ElementsAre("inputs int32 [B, 256]", "targets int32 [B, 256]",
                          "weights [B]"));
  EXPECT_THAT(InputsText(Compiled({"gpt2_small", "layers=1"})),
              ElementsAre("tokens int32 [B, 1024]", "targets int32 [B, 1024]",
                          "weights [B]"));
  EXPECT_THAT(InputsText(Compiled({"resnet18", ""})),
              ElementsAre("features [B, 224, 224, 3]", "labels int32 [B]",
                          "weights [B]"));
}

// As the graph has them.
TEST(PlannedModels, SayTheirInputs) {
  ASSERT_OK_AND_ASSIGN(const std::vector<ModelInput> inputs,
                       InputsOf(Config("bert_base", "sequence_length=128")));
  ASSERT_EQ(inputs.size(), 7U);
  EXPECT_EQ(inputs[0].name, "input_ids");
  EXPECT_EQ(inputs[0].below, 30522);
  EXPECT_EQ(inputs[3].below, 128);
  EXPECT_EQ(inputs[5].dtype, DType::kFloat32);
  EXPECT_THAT(inputs[6].shape.dims, ElementsAre());
  ASSERT_OK_AND_ASSIGN(const std::vector<ModelInput> of_images,
                       InputsOf(Config("resnet50")));
  EXPECT_TRUE(of_images.empty());
  ASSERT_OK_AND_ASSIGN(const std::vector<ModelInput> of_mlp,
                       InputsOf(Config("mlp")));
  EXPECT_TRUE(of_mlp.empty());
}

TEST(PlannedModels, ReportLossesAndShares) {
  EXPECT_THAT(
      MetricsOf(Compiled({"bert_large", "layers=1"})),
      ElementsAre("masked_lm_accuracy", "next_sentence_accuracy", "loss"));
  EXPECT_THAT(MetricsOf(Compiled({"gpt2_small", "layers=1"})),
              ElementsAre("token_accuracy", "loss"));
  EXPECT_THAT(MetricsOf(Compiled({"resnet18", ""})),
              ElementsAre("accuracy", "loss"));
}

TEST(PlannedModels, ComputeInBFloat16UnlessTold) {
  for (const char* name : {"resnet18", "gpt2_small"}) {
    ASSERT_OK_AND_ASSIGN(const ModelProto model, BuildModel(Config(name)));
    ASSERT_OK_AND_ASSIGN(const ModelProto said,
                         BuildModel(Config(name, "activation_bytes=2")));
    ASSERT_OK_AND_ASSIGN(const ModelProto wide,
                         BuildModel(Config(name, "activation_bytes=4")));
    EXPECT_EQ(ModelHash(model), ModelHash(said));
    EXPECT_NE(ModelHash(model), ModelHash(wide));
    EXPECT_EQ(ElementsOf(model).trained, ElementsOf(wide).trained);
  }
}

// Every size of the list is one.
TEST(PlannedModels, AreMarked) {
  int planned = 0;
  for (const std::string& name : ModelNames()) {
    planned += IsPlanned(name) ? 1 : 0;
    EXPECT_THAT(InputsOf(Config(name)), IsOk()) << name;
  }
  EXPECT_EQ(planned + static_cast<int>(TrainedModelNames().size()),
            static_cast<int>(ModelNames().size()));
  EXPECT_TRUE(IsPlanned("resnet50"));
  EXPECT_FALSE(IsPlanned("mlp"));
  EXPECT_FALSE(IsPlanned("mine"));
}

TEST(PlannedModels, RefuseWhatDoesNotFit) {
  const auto refused = [](const std::string& name, const std::string& numbers,
                          const char* why) {
    EXPECT_THAT(BuildModel(Config(name, numbers)),
                StatusIs(kInvalid, HasSubstr(why)))
        << numbers;
  };
  refused("bert_base", "sequence_length=513", "there are 512 positions");
  refused("gpt2_small", "sequence_length=1025", "there are 1024 positions");
  refused("gpt2_small", "heads=7", "attention of 7 heads");
  refused("gpt2_small", "layers=0", "layers is 0; allowed: 1 to 1,024");
  for (const char* name : {"resnet18", "bert_base", "transformer_base"}) {
    refused(name, "activation_bytes=3",
            "activation_bytes is 3; allowed: 2 (bfloat16) and 4 (float32)");
    refused(name, "activation_bytes=8",
            "activation_bytes is 8; allowed: 2 to 4");
  }
  refused("transformer_big", "positions=3", "it has layers, width, heads");
  refused("mlp", "layers=3", "model_config is for models that come in sizes");
  ModelConfig hidden = Config("gpt2_small");
  hidden.add_hidden(3);
  EXPECT_THAT(BuildModel(hidden),
              StatusIs(kInvalid, HasSubstr("has no hidden layer")));
  ModelConfig grouped = Config("bert_base");
  grouped.set_batch_norm_group(8);
  EXPECT_THAT(BuildModel(grouped),
              StatusIs(kInvalid, HasSubstr("has no batch norm")));
}

TEST(ModelNumbers, AreReadByName) {
  ASSERT_OK_AND_ASSIGN(const std::vector<ModelNumber> numbers,
                       ParseNumbers({"width=8", "layers=-2"}));
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_EQ(numbers[0].name(), "layers");
  EXPECT_EQ(numbers[0].value(), -2);
  ModelConfig config;
  for (const ModelNumber& number : numbers) *config.add_numbers() = number;
  EXPECT_EQ(NumbersText(config), "layers=-2,width=8");
  for (const char* text : {"layers", "=3", "layers=", "layers=x", "layers=1.5"})
    EXPECT_THAT(ParseNumbers({text}),
                StatusIs(kInvalid, HasSubstr("is no NAME=N")))
        << text;
  EXPECT_THAT(ParseNumbers({"layers=1", "layers=2"}),
              StatusIs(kInvalid, HasSubstr("gives layers twice")));
}

}  // namespace
}  // namespace podsim
