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
  EXPECT_EQ(Parsed(FormatTemplate(spec)).SerializeAsString(),
            spec.SerializeAsString());
  FillDefaults(spec);
  EXPECT_EQ(Parsed(FormatTemplate(spec)).SerializeAsString(),
            spec.SerializeAsString());
  EXPECT_EQ(Parsed(FormatTemplate(JobSpec())).ByteSizeLong(), 0u);
}

TEST(TemplateTest, SaysEverySettingWithItsHelp) {
  JobSpec spec;
  spec.set_seed(3);
  const std::string text = FormatTemplate(spec);
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
