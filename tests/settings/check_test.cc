// Every setting says what it may be, and what it may not be is refused.
#include "settings/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "settings/field_text.h"
#include "settings/programs.h"
#include "settings/setting.h"
#include "settings/utf8.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::MessageFactory;
using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<Message> NewMessage(const Descriptor* descriptor) {
  return std::unique_ptr<Message>(
      MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
}

std::vector<const FieldDescriptor*> AllFields() {
  std::vector<const FieldDescriptor*> fields;
  for (const MainProgram* program : AllPrograms())
    for (const Part& part : program->parts)
      for (int i = 0; i < part.message->field_count(); ++i)
        fields.push_back(part.message->field(i));
  return fields;
}

TEST(SettingTest, EveryFieldSaysWhatItIs) {
  ASSERT_GT(AllFields().size(), 100u);
  for (const FieldDescriptor* field : AllFields()) {
    SCOPED_TRACE(field->full_name());
    const Setting& rule = SettingOf(*field);
    EXPECT_FALSE(rule.help().empty());
    EXPECT_NE(rule.help().back(), '.');
    EXPECT_TRUE(rule.no_flag() || rule.positional() || !rule.type().empty() ||
                IsSwitch(*field));
  }
}

TEST(SettingTest, EveryNumberIsBounded) {
  for (const FieldDescriptor* field : AllFields()) {
    SCOPED_TRACE(field->full_name());
    const Setting& rule = SettingOf(*field);
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT32:
        // Those that say themselves why only 1 is there.
        if (field->name() == "nthreads" || field->name() == "ngpus") break;
        EXPECT_TRUE(rule.has_least() && rule.has_most());
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        EXPECT_TRUE(rule.has_below());
        EXPECT_NE(rule.has_from(), rule.has_above());
        break;
      default:
        break;
    }
  }
}

TEST(SettingTest, EveryDefaultIsAllowed) {
  int defaults = 0;
  for (const FieldDescriptor* field : AllFields()) {
    SCOPED_TRACE(field->full_name());
    const std::string& text = SettingOf(*field).default_();
    if (text.empty()) continue;
    ++defaults;
    const auto message = NewMessage(field->containing_type());
    EXPECT_THAT(SetFieldFromText(FlagOf(*field), text, *field, *message),
                IsOk());
    EXPECT_THAT(CheckSettings(*message), IsOk());
  }
  EXPECT_GT(defaults, 30);
}

TEST(SettingTest, DefaultsFillOnlyWhatIsUnset) {
  JobSpec spec;
  spec.set_overlap_probe(3);
  FillDefaults(spec);
  EXPECT_EQ(spec.overlap_probe(), 3);
  EXPECT_EQ(spec.topology(), "v3-32");
  EXPECT_EQ(spec.bucket_bytes(), 1 << 20);
  EXPECT_FALSE(spec.has_learning_rate());
}

TEST(CheckSettingsTest, ExcludingIsClearedBothWays) {
  JobSpec spec;
  spec.set_epochs(1);
  ClearExcluded(*JobSpec::descriptor()->FindFieldByName("train_steps"), spec);
  EXPECT_FALSE(spec.has_epochs());
  spec.set_train_steps(1);
  ClearExcluded(*JobSpec::descriptor()->FindFieldByName("epochs"), spec);
  EXPECT_FALSE(spec.has_train_steps());
}

TEST(CheckSettingsTest, ListsSayTheirBounds) {
  BenchSpec bench;
  bench.add_datatype(words::DataType::float_);
  bench.add_datatype(static_cast<words::DataType::Word>(77));
  EXPECT_THAT(CheckSettings(bench),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "datatype is 77; allowed: float, bfloat16, int32, "
                       "all"));
  JobSpec spec;
  spec.add_hidden(5);
  spec.add_hidden(0);
  EXPECT_THAT(CheckSettings(spec),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("hidden is 5,0; allowed: numbers from 1, "
                                 "each up to 1,048,576")));
}

TEST(CheckSettingsTest, AListThatMaySayAllSaysEachOnce) {
  const auto check = [](const std::string& name, const std::string& text) {
    BenchSpec bench;
    const FieldDescriptor& field =
        *BenchSpec::descriptor()->FindFieldByName(name);
    EXPECT_THAT(SetFieldFromText(name, text, field, bench), IsOk());
    return CheckSettings(bench);
  };
  const auto refused = [](const std::string& text) {
    return StatusIs(absl::StatusCode::kInvalidArgument, text);
  };
  EXPECT_THAT(check("datatype", "float,int32"), IsOk());
  EXPECT_THAT(check("op", "all"), IsOk());
  EXPECT_THAT(check("root", "0,2,1"), IsOk());
  EXPECT_THAT(check("root", "all"), IsOk());
  EXPECT_THAT(check("datatype", "float,int32,float"),
              refused("datatype is float,int32,float; float stands there "
                      "twice: give it once"));
  EXPECT_THAT(check("algorithm", "all,ring"),
              refused("algo is all,ring; all stands for every one of them: "
                      "give it alone, or leave it out"));
  EXPECT_THAT(check("root", "3,3"),
              refused("root is 3,3; 3 stands there twice: give it once"));
  EXPECT_THAT(check("root", "1,-1"),
              refused("root is 1,all; all stands for every one of them: give "
                      "it alone, or leave it out"));
  JobSpec spec;  // widths may be alike
  spec.add_hidden(5);
  spec.add_hidden(5);
  EXPECT_THAT(CheckSettings(spec), IsOk());
}

TEST(CheckSettingsTest, EachNumberOfAListIsWithinItsBounds) {
  JobSpec spec;
  spec.add_lr_decay_at(0.5);
  EXPECT_THAT(CheckSettings(spec), IsOk());
  spec.add_lr_decay_at(1);
  EXPECT_THAT(CheckSettings(spec),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "lr_decay_at is 1; allowed: more than 0 and less than "
                       "1 (parts of the run, such as 0.3,0.6,0.8, not epochs "
                       "or steps)"));
}

// A bare number would not say in what it is counted.
TEST(CheckSettingsTest, BoundsSayWhatIsCounted) {
  JobSpec spec;
  spec.set_link_latency(5);
  EXPECT_THAT(CheckSettings(spec),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "link_latency is 5; allowed: at least 0 and less than 1 "
                       "(seconds)"));
  spec.clear_link_latency();
  spec.set_bucket_bytes(1);
  EXPECT_THAT(CheckSettings(spec),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "bucket_bytes is 1; allowed: 4 to 4,294,967,296 bytes"));
  spec.clear_bucket_bytes();
  spec.set_warmup_init(2);
  EXPECT_THAT(CheckSettings(spec),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("(a part of the peak learning rate)")));
}

TEST(CheckSettingsTest, AZeroIsToldWhatTurnsItOff) {
  for (const auto& [flag, instead] : std::map<std::string, std::string>{
           {"clip_norm", "for no clipping leave it out"},
           {"shuffle_window", "for no shuffling give --shuffle=false"},
           {"stall_timeout", "a limit cannot be turned off; "},
           {"input_threads", "for as many as --threads leave it out"}}) {
    JobSpec spec;
    const auto* const field = spec.GetDescriptor()->FindFieldByName(flag);
    ASSERT_NE(field, nullptr) << flag;
    ASSERT_TRUE(SetFieldFromText(flag, "0", *field, spec).ok());
    EXPECT_THAT(CheckSettings(spec),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("; " + instead)));
  }
  JobSpec spec;
  spec.set_clip_norm(-1);
  EXPECT_THAT(CheckSettings(spec), StatusIs(absl::StatusCode::kInvalidArgument,
                                            Not(HasSubstr("no clipping"))));
}

TEST(CheckCommandReadsTest, NamesTheCommandsThatASettingIsFor) {
  const std::vector<CommandSetting> read_by = {{"output", {"import", "run"}},
                                               {"values", {"run"}}};
  ProgramSettings settings;
  EXPECT_THAT(CheckCommandReads("show", settings, read_by), IsOk());
  settings.set_output("x");
  EXPECT_THAT(CheckCommandReads("run", settings, read_by), IsOk());
  EXPECT_THAT(CheckCommandReads("show", settings, read_by),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--output is for import and run; show has none: leave "
                       "it out"));
  settings.set_values("y");
  EXPECT_THAT(CheckCommandReads("import", settings, read_by),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--values is for run; import has none: leave it out"));
}

TEST(Utf8Test, TellsTextFromBytes) {
  for (const char* good :
       {"", "a/b", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    EXPECT_TRUE(IsUtf8(good)) << good;
  for (const char* bad :
       {"\xff", "a\xc3", "\xc3(", "\x80", "\xc0\x80", "\xf0\x9f\x98"})
    EXPECT_FALSE(IsUtf8(bad)) << bad;
}

}  // namespace
}  // namespace podsim
