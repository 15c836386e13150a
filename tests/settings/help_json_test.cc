// --help=json is what other programs read.
#include "settings/help_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "settings/programs.h"

namespace podsim {
namespace {

using Json = ::nlohmann::json;

Json SettingIn(const MainProgram& program, const std::string& flag) {
  const Json help = Json::parse(FormatHelpJson(program));
  for (const Json& entry : help["settings"])
    if (entry["flag"] == flag) return entry;
  return Json::object();
}

TEST(HelpJsonTest, HasEverySettingOfEveryProgram) {
  for (const MainProgram* program : AllPrograms()) {
    const Json help = Json::parse(FormatHelpJson(*program));
    EXPECT_EQ(help["program"], program->name);
    EXPECT_EQ(help["settings"].size(), FlagsOf(*program).size());
    for (const Json& entry : help["settings"]) {
      EXPECT_NE(entry["help"], "") << entry;
      EXPECT_EQ(entry["switch"].get<bool>(),
                entry["type"] == "" && entry["argument"] == false)
          << entry;
    }
  }
}

TEST(HelpJsonTest, SaysWhatAValueMayBe) {
  const Json batch = SettingIn(PodLaunch(), "train_batch_size");
  EXPECT_EQ(batch["type"], "N");
  EXPECT_EQ(batch["bits"], true);
  EXPECT_EQ(batch["repeated"], false);
  EXPECT_EQ(batch["bounds"]["least"], 1);
  EXPECT_EQ(batch["group"], "Batch, steps and learning rate");
  const Json wrap = SettingIn(PodLaunch(), "wrap");
  EXPECT_EQ(wrap["words"], Json::array({"auto", "torus", "mesh"}));
  EXPECT_EQ(wrap["default"], "auto");
  const Json topology = SettingIn(PodLaunch(), "topology");
  EXPECT_EQ(topology["also"], Json::array({"tpu"}));
  EXPECT_EQ(SettingIn(PodLaunch(), "hidden")["repeated"], true);
  EXPECT_EQ(SettingIn(PodLaunch(), "dry_run")["switch"], true);
  EXPECT_EQ(SettingIn(PodLaunch(), "dry_run")["bits"], false);
  EXPECT_EQ(SettingIn(PodLaunch(), "learning_rate")["otherwise"],
            "the recipe's");
}

TEST(HelpJsonTest, NumbersHaveUnits) {
  EXPECT_EQ(SettingIn(PodBench(), "minbytes")["unit"], "bytes");
  EXPECT_EQ(SettingIn(PodBench(), "minbytes")["letter"], "b");
  for (const char* flag : {"link_latency", "stall_timeout", "heartbeat_timeout",
                           "initialization_timeout", "shutdown_timeout",
                           "checkpoint_every_seconds"})
    EXPECT_EQ(SettingIn(PodLaunch(), flag)["unit"], "seconds") << flag;
}

TEST(HelpJsonTest, ArgumentsAreAmongThem) {
  const Json command = SettingIn(PodCkpt(), "command");
  EXPECT_EQ(command["argument"], true);
  EXPECT_EQ(command["words"],
            Json::array({"ls", "show", "verify", "diff", "adopt", "clean"}));
}

}  // namespace
}  // namespace podsim
