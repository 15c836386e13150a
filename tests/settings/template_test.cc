#include "settings/template.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "proto/job.pb.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;

JobSpec Parsed(const std::string& text) {
  JobSpec spec;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &spec))
      << text;
  return spec;
}

TEST(TemplateTest, IsReadBackAsTheSame) {
  JobSpec spec = Parsed(
      "hidden: [512, 256] learning_rate: 0.1 log_dir: 'a \\\"b' "
      "choices { algorithm: 'ring' } choices { algorithm: 'direct' } "
      "faults { faults { kind: KILL host: 2 } }");
  EXPECT_EQ(Parsed(FormatTemplate(spec, spec)).SerializeAsString(),
            spec.SerializeAsString());
  FillDefaults(spec);
  EXPECT_EQ(Parsed(FormatTemplate(spec, spec)).SerializeAsString(),
            spec.SerializeAsString());
  EXPECT_EQ(Parsed(FormatTemplate(JobSpec(), JobSpec())).ByteSizeLong(), 0u);
}

TEST(TemplateTest, WhatWasNotAskedIsAComment) {
  const JobSpec asked = Parsed("topology: 'V3-8' log_dir: 'a'");
  JobSpec whole = Parsed(
      "topology: 'v3-8' log_dir: 'a' hidden: [512, 256] processes: 1 "
      "choices { algorithm: 'ring' } choices { algorithm: 'direct' }");
  FillDefaults(whole);
  const std::string text = FormatTemplate(whole, asked);
  EXPECT_EQ(Parsed(text).SerializeAsString(), asked.SerializeAsString());
  for (const char* line :
       {"\ntopology: \"V3-8\"\n", "\n# hidden: [512, 256]\n",
        "\n# processes: 1\n", "\n# precision: bfloat16\n", "\n# epochs: X\n",
        "\n# choices {\n#   algorithm: \"ring\"\n# }\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_EQ(Parsed(FormatTemplate(whole, JobSpec())).ByteSizeLong(), 0u);
}

TEST(TemplateTest, SaysEverySettingWithItsHelp) {
  JobSpec spec;
  spec.set_seed(3);
  const std::string text = FormatTemplate(spec, spec);
  EXPECT_THAT(text, HasSubstr("# ---- Slice and model\n"));
  EXPECT_THAT(text, HasSubstr("\n# Whether grid axes wrap: auto, torus or mesh "
                              "[auto]\n# wrap: HOW\n"));
  EXPECT_THAT(text, HasSubstr("\nseed: 3\n"));
  const auto* descriptor = JobSpec::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto& field = *descriptor->field(i);
    if (SettingOf(field).no_flag()) continue;
    EXPECT_THAT(text, HasSubstr(field.name() + ": "));
  }
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace podsim
