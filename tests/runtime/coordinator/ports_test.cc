// Where a pod listens is judged before it starts.
#include "runtime/coordinator/ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/coordinator/door.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;

AskedPorts Ask(int page, int tpu, int hosts, const std::string& listen = "") {
  AskedPorts asked = {.listen = listen, .monitor = {}, .hosts = hosts};
  if (page >= 0) asked.monitor.set_metrics_port(page);
  if (tpu > 0) asked.monitor.set_tpu_metrics_port(tpu);
  return asked;
}

TEST(CheckPortsTest, WhatDiffersPasses) {
  EXPECT_THAT(CheckPorts({.listen = {}, .monitor = {}}), IsOk());
  EXPECT_THAT(CheckPorts(Ask(9400, 8431, 4, "127.0.0.1:8476")), IsOk());
  EXPECT_THAT(CheckPorts(Ask(0, 8431, 4, "127.0.0.1:0")), IsOk());
  EXPECT_THAT(CheckPorts(Ask(8435, 8431, 4, "unix:/tmp/a")), IsOk());
}

TEST(CheckPortsTest, APortIsForOne) {
  EXPECT_THAT(CheckPorts(Ask(8433, 8431, 4)),
              StatusIs(kInvalid,
                       "--metrics_port is 8433, which --tpu_metrics_port=8431 "
                       "takes for host 2; give another port, or 0 for any "
                       "free one"));
  EXPECT_THAT(CheckPorts(Ask(8476, 0, 4, "0.0.0.0:8476")),
              StatusIs(kInvalid,
                       "--metrics_port is 8476, which --listen=0.0.0.0:8476 "
                       "takes; give another port, or 0 for any free one"));
  EXPECT_THAT(CheckPorts(Ask(-1, 8430, 4, "localhost:8431")),
              StatusIs(kInvalid,
                       "--tpu_metrics_port is 8430, and host 1 would have "
                       "port 8431, which --listen=localhost:8431 takes; give "
                       "another port"));
}

TEST(CheckPortsTest, ThePageIsOfThisMachineUnlessToldOtherwise) {
  AskedPorts asked = Ask(9400, 0, 1);
  asked.monitor.set_metrics_host("0.0.0.0");
  EXPECT_THAT(
      CheckPorts(asked),
      StatusIs(kInvalid, AllOf(HasSubstr("--metrics_host: "),
                               HasSubstr("--allow_plaintext_network"))));
  asked.allow_plaintext_network = true;
  EXPECT_THAT(CheckPorts(asked), IsOk());
  asked.monitor.set_metrics_host("127.0.0.1:9400");
  EXPECT_THAT(
      CheckPorts(asked),
      StatusIs(
          kInvalid,
          "--metrics_host is \"127.0.0.1:9400\", with a port; give the host "
          "alone, --metrics_host=127.0.0.1, and the port as --metrics_port"));
}

TEST(CheckPortsTest, EachHostHasAPort) {
  EXPECT_THAT(CheckPorts(Ask(-1, 65533, 4)),
              StatusIs(kInvalid, HasSubstr("65532 is the last")));
  EXPECT_THAT(CheckPorts(Ask(-1, 65532, 4)), IsOk());
}

TEST(CheckPortsAreFreeTest, ATakenPortIsNamedByItsFlag) {
  ASSERT_OK_AND_ASSIGN(
      const std::unique_ptr<Door> door,
      Door::Open({.path = {}, .host = "127.0.0.1"}, [](const std::string&) {}));
  const std::string taken =
      absl::StrCat("cannot listen on 127.0.0.1:", door->port(),
                   ": another program listens there; give another port");
  EXPECT_THAT(CheckPortsAreFree(Ask(door->port(), 0, 1)),
              StatusIs(kInvalid, absl::StrCat("--metrics_port: ", taken)));
  EXPECT_THAT(CheckPortsAreFree(Ask(-1, door->port(), 1)),
              StatusIs(kInvalid, absl::StrCat("--tpu_metrics_port: ", taken)));
  EXPECT_THAT(CheckPortsAreFree(
                  Ask(-1, 0, 1, absl::StrCat("127.0.0.1:", door->port()))),
              StatusIs(kInvalid, absl::StrCat("--listen: ", taken)));
  EXPECT_THAT(CheckPortsAreFree(Ask(0, 0, 1, "127.0.0.1:0")), IsOk());
}

TEST(CheckUnixPlaceTest, ItsFolderIsThereAndNothingHasItsName) {
  const TempDir dir;
  const auto at = [](const std::string& path) {
    return CheckUnixPlace({.path = path, .host = {}});
  };
  EXPECT_THAT(at(dir.file("sock")), IsOk());
  EXPECT_THAT(at(dir.file("none/sock")),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr(absl::StrCat("there is no folder ",
                                              dir.file("none")))));
  std::ofstream(dir.file("data")) << "x";
  EXPECT_THAT(at(dir.file("data")), StatusIs(absl::StatusCode::kUnavailable,
                                             HasSubstr("that is no socket")));
  EXPECT_THAT(
      CheckPortsAreFree(Ask(-1, 0, 1, absl::StrCat("unix:", dir.file("data")))),
      StatusIs(kInvalid, HasSubstr("--listen: cannot listen on unix:")));
}

}  // namespace
}  // namespace podsim
