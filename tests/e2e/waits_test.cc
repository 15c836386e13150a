// A row for each kind of wait for somebody else: how long until the first line
// that says what is waited for, from the first SIGTERM to the end, and how long
// a plan takes. The figures of docs/storage.md.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "host/storage/http/http.h"
#include "host/storage/object_lease.h"
#include "nlohmann/json.hpp"
#include "tests/e2e/pod.h"
#include "tests/testing/bad_server.h"
#include "tests/testing/gcs/gcs_server.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::BadServer;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PodRun;
using testing::Program;
using testing::Subprocess;
using Way = BadServer::Way;
using Environment = std::vector<std::pair<std::string, std::string>>;

constexpr char kModelDir[] = "gs://bucket/a";

double SecondsOf(const std::function<void()>& work) {
  const absl::Time begin = absl::Now();
  work();
  return absl::ToDoubleSeconds(absl::Now() - begin);
}

// What a program takes here and now that only begins and ends, for the load of
// this machine: bounds are for what comes on top of it.
double Start() {
  static const double start = SecondsOf([] {
    Subprocess program({.command = {Program("pod_launch"), "--help"}});
    program.Wait(testing::kDeadline);
  });
  return start;
}
double Within(double seconds) { return seconds + 4 * Start(); }

Environment At(const std::string& endpoint) {
  return {{"STORAGE_EMULATOR_HOST", endpoint},
          {"PODSIM_GCS_CREDENTIALS", "none"},
          {"no_proxy", "*"}};
}

std::vector<std::string> Train(const std::string& model_dir) {
  return {Program("pod_launch"), "--topology=v3-8", "--train_steps=1000000",
          "--model_dir=" + model_dir};
}

// The command says `word` soon, and ends soon when it is told to.
void ExpectSpoken(const char* row, std::vector<std::string> command,
                  const Environment& environment, const std::string& word,
                  int code) {
  Subprocess program(
      {.command = std::move(command), .environment = environment});
  const double said = SecondsOf([&] {
    EXPECT_TRUE(program.ReadUntilText(word, testing::kDeadline))
        << row << ": " << program.output();
  });
  EXPECT_LE(said, Within(2)) << row << ": " << program.output();
  program.Signal(SIGTERM);
  int ended_with = 0;
  const double ended =
      SecondsOf([&] { ended_with = program.Wait(testing::kDeadline); });
  EXPECT_EQ(ended_with, code) << row << ": " << program.output();
  EXPECT_LE(ended, Within(2)) << row << ": " << program.output();
  std::printf("| %s | %.1f s | %.1f s |\n", row, said, ended);
}

// A store in a process of its own.
class RealStore {
 public:
  explicit RealStore(const testing::TempDir& dir) {
    const std::string input = dir.file("fifo");  // it serves to its end
    PODSIM_CHECK(mkfifo(input.c_str(), 0600) == 0);
    writer_ = UniqueFd(open(input.c_str(), O_RDWR | O_CLOEXEC));
    process_ = std::make_unique<Subprocess>(Subprocess::Options{
        .command = {"/bin/sh", "-c",
                    absl::StrCat("exec ", Program("gcs_server"),
                                 " 0 bucket=US <", input)}});
    EXPECT_TRUE(process_->ReadUntilText("\n", testing::kDeadline));
  }
  Subprocess& process() { return *process_; }
  std::string endpoint() const {
    return process_->output().substr(0, process_->output().find('\n'));
  }

 private:
  UniqueFd writer_;
  std::unique_ptr<Subprocess> process_;
};

// The command ends by itself, soon, and says why.
void ExpectRefused(const char* row, std::vector<std::string> command,
                   const Environment& environment, const std::string& word) {
  Subprocess program(
      {.command = std::move(command), .environment = environment});
  const double ended =
      SecondsOf([&] { EXPECT_EQ(program.Wait(testing::kDeadline), 1) << row; });
  EXPECT_THAT(program.output(), HasSubstr(word)) << row;
  EXPECT_LE(ended, Within(2)) << row << ": " << program.output();
  std::printf("| %s | %.1f s | final |\n", row, ended);
}

// A plan comes soon, and says what it did not look at.
void ExpectPlanned(const char* row, const Environment& environment,
                   const std::string& why = "") {
  std::vector<std::string> command = Train(kModelDir);
  command.emplace_back("--dry_run");
  Subprocess plan({.command = command, .environment = environment});
  const double ended = SecondsOf(
      [&] { EXPECT_EQ(plan.Wait(testing::kDeadline), 0) << plan.output(); });
  std::string said = plan.output();  // of several lines
  said.erase(std::unique(said.begin(), said.end(),
                         [](char a, char b) { return a == ' ' && b == ' '; }),
             said.end());
  EXPECT_THAT(said, HasSubstr("no checkpoint was looked at")) << row;
  EXPECT_THAT(said, HasSubstr(why)) << row;
  EXPECT_LE(ended, Within(10)) << row << ": " << plan.output();
  std::printf("| %s, a plan | %.1f s | |\n", row, ended);
}

TEST(Waits, OfAStoreThatMayAnswerLater) {
  for (const auto& [row, way] : {std::pair("closed port", Way::kClosed),
                                 std::pair("black hole", Way::kSilent),
                                 std::pair("503 for ever", Way::kBusy),
                                 std::pair("2 KB/s", Way::kDrips)}) {
    const BadServer server(way);
    ExpectSpoken(row, Train(kModelDir), At(server.endpoint()),
                 "waiting: ", 128 + SIGTERM);
    ExpectPlanned(row, At(server.endpoint()));
  }
}

// It takes connections, and no request is ever answered.
TEST(Waits, OfAMetadataServerThatHangs) {
  const BadServer server(Way::kSilent);
  const Environment environment = {{"PODSIM_GCS_CREDENTIALS", "metadata"},
                                   {"GCE_METADATA_HOST", server.address()},
                                   {"no_proxy", "*"}};
  const std::string why = "no token from metadata server " + server.address();
  ExpectSpoken("metadata server hangs", Train(kModelDir), environment, why,
               128 + SIGTERM);
  ExpectPlanned("metadata server hangs", environment, "no token");
}

TEST(Waits, OfAStoreThatNeverWillIsNone) {
  const BadServer portal(Way::kPage);
  ExpectRefused("web page", Train(kModelDir), At(portal.endpoint()),
                "answered with HTML");
  ExpectPlanned("web page", At(portal.endpoint()));
}

// Whatever name servers this machine has: none, or some that know no such name.
TEST(Waits, OfNameResolution) {
  const Environment nowhere = At("http://storage.invalid");
  std::vector<std::string> command = {Program("pod_ckpt"), "ls", kModelDir};
  Subprocess list({.command = command, .environment = nowhere});
  const double ended = SecondsOf([&] {
    EXPECT_TRUE(list.ReadUntilText("storage.invalid", testing::kDeadline));
  });
  EXPECT_LE(ended, Within(2)) << list.output();
  EXPECT_NE(list.Wait(testing::kDeadline), 0) << list.output();
  std::printf("| no such name | %.1f s | final |\n", ended);
  ExpectPlanned("no such name", nowhere);
}

// Of a machine that cannot be seen from here, which may live.
TEST(Waits, OfALeaseThatIsHeld) {
  testing::GcsServer store;
  store.objects().MakeBucket("bucket", "US");
  LeaseRecord held = {.holder = NewLockRecord(), .beat = 1};
  held.holder.host = "elsewhere";
  held.holder.boot = "another";
  const Environment environment = At(store.endpoint());
  store.objects().Put("bucket", absl::StrCat("a/", kLeaseName),
                      LeaseText(held));
  ExpectSpoken("lease held", Train(kModelDir), environment, "elsewhere",
               128 + SIGTERM);
}

TEST(Waits, OfALockThatIsHeld) {
  testing::TempDir dir;
  PodRun first({"--topology=v3-8", "--train_steps=1000000",
                "--model_dir=" + dir.file("m")});
  ASSERT_TRUE(first.WaitForEvents("step", 1)) << first.output();
  ExpectRefused("lock held", Train(dir.file("m")), {}, "is held by pid ");
  first.process().Signal(SIGINT);
  first.Wait();
}

TEST(Waits, OfACoordinatorThatIsAbsent) {
  const BadServer nobody(Way::kClosed);
  ExpectSpoken(
      "coordinator absent",
      {Program("pod_host"), "--coordinator=" + nobody.address(), "--process=0"},
      {{"PODSIM_TOKEN", std::string(32, 't')}}, "still calling", 128 + SIGTERM);
}

// Hosts come before it has found where to begin, and are told so.
TEST(Waits, OfACoordinatorThatLooksForCheckpoints) {
  const BadServer hole(Way::kSilent);
  testing::TempDir dir;
  const std::string address = "unix:" + dir.file("coordinator");
  std::ofstream(dir.file("job"))
      << "topology: 'v3-8' processes: 1 model_dir: '" << kModelDir << "'";
  Environment environment = At(hole.endpoint());
  environment.emplace_back("PODSIM_TOKEN", std::string(32, 't'));
  Subprocess coordinator(
      {.command = {Program("pod_coordinator"), "--job=" + dir.file("job"),
                   "--listen=" + address, "--external"},
       .environment = environment});
  EXPECT_TRUE(coordinator.ReadUntilText("listens at ", testing::kDeadline))
      << coordinator.output();
  Subprocess host({.command = {Program("pod_host"), "--coordinator=" + address,
                               "--process=0"},
                   .environment = environment});
  const double said = SecondsOf([&] {
    EXPECT_TRUE(host.ReadUntilText(
        absl::StrCat("the coordinator looks for checkpoints in ", kModelDir),
        testing::kDeadline))
        << host.output() << coordinator.output();
  });
  EXPECT_LE(said, Within(2)) << host.output();
  EXPECT_TRUE(coordinator.ReadUntilText("\"looking\":", testing::kDeadline));
  coordinator.Signal(SIGTERM);
  const double ended = SecondsOf([&] {
    EXPECT_EQ(coordinator.Wait(testing::kDeadline), 1) << coordinator.output();
    EXPECT_EQ(host.Wait(testing::kDeadline), 3) << host.output();
  });
  EXPECT_LE(ended, Within(2)) << host.output() << coordinator.output();
  EXPECT_THAT(host.output(), HasSubstr("told to end (SIGTERM)"));
  std::printf("| coordinator looks for checkpoints | %.1f s | %.1f s |\n", said,
              ended);
}

// For how long the first line of a wait says that it has lasted, by the clock
// of the program: "waiting: list gs://bucket/a (attempt 4, 12 s of 120 s):
// ...". -1: none says so.
std::int64_t FirstWait(const std::string& output) {
  static const std::regex kSaid(R"(waiting: [^(]*\(attempt \d+, (\d+) s of )");
  std::smatch found;
  return std::regex_search(output, found, kSaid) ? std::stoll(found[1]) : -1;
}

// Its programs stand still, as a machine does that has gone.
TEST(Waits, OfAStoreThatGoesAwayInMidRun) {
  testing::TempDir dir;
  RealStore store(dir);
  PodRun run(
      {"--topology=v3-8", "--train_steps=100000000", "--checkpoint_every=50",
       "--keep=2", absl::StrCat("--model_dir=", kModelDir)},
      At(store.endpoint()));
  ASSERT_TRUE(run.WaitForEvents("checkpoint", 2)) << run.output();
  store.process().Signal(SIGSTOP);
  // The lease is renewed every 3 s, a checkpoint comes sooner.
  const double said = SecondsOf([&] {
    EXPECT_TRUE(run.process().ReadUntilText("waiting: ", testing::kDeadline));
  });
  EXPECT_LE(said, Within(2)) << run.output();
  run.process().Signal(SIGTERM);
  int code = 0;
  const double ended = SecondsOf([&] { code = run.Wait(); });
  EXPECT_NE(code, 0);
  EXPECT_LE(ended, Within(10)) << run.output();
  EXPECT_THAT(run.Unwrapped(), HasSubstr("goes on after step "));
  const std::int64_t waited = FirstWait(run.Unwrapped());  // whole seconds
  EXPECT_GE(waited, 0) << run.output();
  EXPECT_LT(waited, 2) << run.output();
  std::printf("| gone in mid-run | %.1f s | %.1f s |\n", said, ended);
  store.process().Signal(SIGKILL);
}

using Honest = testing::GcsServer::Honest;

HttpResponse Refuse(const Honest&) { return {.status = 412}; }
HttpResponse Unavailable(const Honest&) { return {.status = 503}; }
HttpResponse Page(const Honest&) {
  return {.status = 404, .body = "<html>log in first</html>"};
}
HttpResponse OtherSum(const Honest& honest) {
  HttpResponse answer = honest();
  auto json = nlohmann::json::parse(answer.body, nullptr, false);
  if (!json.is_object() || !json.contains("crc32c")) return answer;
  json["crc32c"] = "AAAAAA==";
  answer.body = json.dump();
  return answer;
}

// A store that answers at once, and never as a store does.
TEST(Waits, OfAStoreThatLiesOnceTheJobIsToEnd) {
  for (const auto& [row, lie, of_reads, said] :
       {std::tuple("412 to each change", &Refuse, false, "answered 412"),
        std::tuple("503 to each change", &Unavailable, false, "answers 503"),
        std::tuple("a web page to each change", &Page, false, "with HTML"),
        std::tuple("another sum, of all", &OtherSum, true, "CRC32C AAAAAA")}) {
    testing::GcsServer store;
    store.objects().MakeBucket("bucket", "US");
    PodRun run(
        {"--topology=v3-8", "--train_steps=100000000", "--checkpoint_every=50",
         "--keep=2", absl::StrCat("--model_dir=", kModelDir)},
        At(store.endpoint()));
    ASSERT_TRUE(run.WaitForEvents("checkpoint", 2)) << run.output();
    store.set_lie([lie = lie, of_reads = of_reads](const HttpRequest& request,
                                                   const Honest& honest) {
      return of_reads || request.method != "GET" ? lie(honest) : honest();
    });
    run.process().Signal(SIGTERM);
    int code = 0;
    const double ended = SecondsOf([&] { code = run.Wait(); });
    EXPECT_NE(code, 0);
    EXPECT_LE(ended, Within(10)) << row << ": " << run.output();
    EXPECT_THAT(run.Unwrapped(), HasSubstr(said)) << row;
    EXPECT_THAT(run.Unwrapped(), HasSubstr(" after step ")) << row;
    std::printf("| %s | | %.1f s |\n", row, ended);
  }
}

std::vector<std::string> FirstColumn(const std::string& table) {
  std::vector<std::string> words;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words_of_line(line);
    words_of_line >> words.emplace_back();
  }
  return words;
}

// As long as it is silent the pod trains on; then it saves again.
TEST(Waits, AStoreThatComesBackFindsAPodThatTrainedOn) {
  testing::TempDir dir;
  RealStore store(dir);
  PodRun run(
      {"--topology=v3-32", "--train_steps=100000000", "--checkpoint_every=50",
       "--keep=2", absl::StrCat("--model_dir=", kModelDir)},
      At(store.endpoint()));
  ASSERT_TRUE(run.WaitForEvents("checkpoint", 2)) << run.output();
  store.process().Signal(SIGSTOP);
  ASSERT_TRUE(run.WaitForEvents("checkpoint_skipped", 3)) << run.output();
  store.process().Signal(SIGCONT);
  const std::size_t saved = run.Events("checkpoint").size();
  ASSERT_TRUE(run.WaitForEvents("checkpoint", saved + 3)) << run.output();
  run.process().Signal(SIGTERM);
  EXPECT_EQ(run.Wait(), 75) << run.output();
  EXPECT_THAT(run.Unwrapped(), HasSubstr("and none until the store answers"));
  EXPECT_THAT(run.Unwrapped(), HasSubstr("were skipped, as the store was"));
  // Those that it skipped are not there, the last step's is.
  Subprocess list({.command = {Program("pod_ckpt"), "ls", kModelDir},
                   .environment = At(store.endpoint())});
  EXPECT_EQ(list.Wait(testing::kDeadline), 0) << list.output();
  EXPECT_THAT(list.output(), Not(HasSubstr("unfinished")));
  const std::vector<std::string> steps = FirstColumn(list.output());
  EXPECT_THAT(
      steps,
      Contains(absl::StrCat(run.Events("step").back()["step"].get<int>())));
  for (const auto& skipped : run.Events("checkpoint_skipped"))
    EXPECT_THAT(steps, Not(Contains(absl::StrCat(skipped["step"].get<int>()))));
}

}  // namespace
}  // namespace podsim
