// The store over real connections, to the double behind a socket.
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/hash.h"
#include "host/storage/gcs/objects.h"
#include "host/storage/gcs/store.h"
#include "tests/testing/gcs/gcs_server.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GcsServer;
using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What GcsClientFor is told; of this test alone.
std::map<std::string, std::string>& Variables() {
  static auto* const kVariables = new std::map<std::string, std::string>();
  return *kVariables;
}
const char* Variable(const char* name) {
  const auto found = Variables().find(name);
  return found == Variables().end() ? nullptr : found->second.c_str();
}

class GcsWire : public ::testing::Test {
 protected:
  GcsWire() {
    server_.objects().MakeBucket("bucket", "EUROPE-WEST4");
    Variables() = {{"STORAGE_EMULATOR_HOST", server_.endpoint()}};
  }
  absl::StatusOr<std::unique_ptr<ObjectStore>> Store() {
    auto client = GcsClientFor(&Variable);
    if (!client.ok()) return client.status();
    return NewGcsStore(*std::move(client));
  }

  GcsServer server_;
};

std::string WirePattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(i * 2654435761u >> 11);
  return bytes;
}

TEST_F(GcsWire, WritesReadsListsAndDeletes) {
  ASSERT_OK_AND_ASSIGN(const auto store, Store());
  const std::string bytes = WirePattern(1000);
  ASSERT_THAT(store->Write("gs://bucket/a b/c?d", bytes), IsOk());
  ASSERT_THAT(store->Write("gs://bucket/a b/empty", ""), IsOk());
  EXPECT_EQ(server_.objects().Bytes("bucket", "a b/c?d"), bytes);
  ASSERT_OK_AND_ASSIGN(std::string read, store->Read("gs://bucket/a b/c?d"));
  EXPECT_EQ(read, bytes);
  ASSERT_OK_AND_ASSIGN(read, store->Read("gs://bucket/a b/empty"));
  EXPECT_EQ(read, "");
  ASSERT_OK_AND_ASSIGN(read, store->ReadRange("gs://bucket/a b/c?d", 990, 50));
  EXPECT_EQ(read, bytes.substr(990));
  ASSERT_OK_AND_ASSIGN(const auto names, store->List("gs://bucket/a b"));
  EXPECT_THAT(names, ElementsAre("c?d", "empty"));
  ASSERT_THAT(store->Delete("gs://bucket/a b/empty"), IsOk());
  EXPECT_THAT(store->Read("gs://bucket/a b/empty"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("there is no such file")));
}

TEST_F(GcsWire, AHundredMebibytesUpAndDown) {
  ASSERT_OK_AND_ASSIGN(const auto store, Store());
  const std::string bytes = WirePattern(std::size_t{100} << 20);
  ASSERT_THAT(store->Write("gs://bucket/big", bytes), IsOk());
  ASSERT_OK_AND_ASSIGN(const std::string read, store->Read("gs://bucket/big"));
  EXPECT_EQ(Crc32cOf(read), Crc32cOf(bytes));
  EXPECT_TRUE(read == bytes);
}

TEST_F(GcsWire, AnAnswerThatIsCutOffIsAskedForAgain) {
  ASSERT_OK_AND_ASSIGN(const auto store, Store());
  const std::string bytes = WirePattern(100'000);
  ASSERT_THAT(store->Write("gs://bucket/x", bytes), IsOk());
  server_.CutOff(2);
  ASSERT_OK_AND_ASSIGN(std::string read, store->Read("gs://bucket/x"));
  EXPECT_TRUE(read == bytes);
  server_.HangUp(2);
  ASSERT_OK_AND_ASSIGN(read, store->Read("gs://bucket/x"));
  EXPECT_TRUE(read == bytes);
  server_.HangUp(1);  // written, and the answer lost
  ASSERT_THAT(store->Write("gs://bucket/x", "new"), IsOk());
  EXPECT_EQ(server_.objects().Bytes("bucket", "x"), "new");
}

TEST_F(GcsWire, SeveralThreadsShareItsConnections) {
  ASSERT_OK_AND_ASSIGN(const auto store, Store());
  std::vector<absl::Status> statuses(8);
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        const std::string uri = "gs://bucket/t" + std::to_string(i);
        const std::string bytes = WirePattern(10'000 + i);
        for (int n = 0; n < 5 && statuses[i].ok(); ++n) {
          statuses[i] = store->Write(uri, bytes);
          const auto read = store->Read(uri);
          if (!read.ok() || *read != bytes)
            statuses[i] = absl::DataLossError("read what was not written");
        }
      });
    }
  }
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
}

TEST_F(GcsWire, TakesItsCredentialsFromTheEnvironment) {
  server_.objects().set_token("right");
  ASSERT_OK_AND_ASSIGN(auto store, Store());
  EXPECT_THAT(store->Read("gs://bucket/x"),
              StatusIs(absl::StatusCode::kUnauthenticated,
                       AllOf(HasSubstr("gs://bucket/x"), HasSubstr("401"))));
  Variables()["PODSIM_GCS_CREDENTIALS"] = "command:echo right";
  ASSERT_OK_AND_ASSIGN(store, Store());
  EXPECT_THAT(store->Write("gs://bucket/x", "y"), IsOk());
  Variables()["PODSIM_GCS_CREDENTIALS"] = "right";
  EXPECT_THAT(Store(), StatusIs(absl::StatusCode::kInvalidArgument,
                                AllOf(HasSubstr("none, metadata, file:PATH"),
                                      ::testing::Not(HasSubstr("right")))));
}

// What is pasted there may be a secret, but a path is none.
TEST_F(GcsWire, CredentialsOfAnotherFormAreToldByTheirForm) {
  for (const auto& [given, said] :
       {std::pair("/home/me/key.json",
                  "it looks like the path of a file: a service account's key "
                  "goes to GOOGLE_APPLICATION_CREDENTIALS"),
        std::pair("{\"type\": \"service_account\"}",
                  "it looks like a key in JSON: write it to a file"),
        std::pair("file:", "lacks what follows the colon"),
        std::pair("nome", "did you mean none?"),
        std::pair("ya29.secret",
                  "it is 11 characters that begin with none of "
                  "these: a token goes to a file")}) {
    Variables()["PODSIM_GCS_CREDENTIALS"] = given;
    EXPECT_THAT(Store(), StatusIs(absl::StatusCode::kInvalidArgument,
                                  AllOf(HasSubstr(said),
                                        ::testing::Not(HasSubstr("ya29")),
                                        ::testing::Not(HasSubstr("/home")))));
  }
}

TEST_F(GcsWire, AKeyFileThatIsNotThereIsSaidWithItsVariable) {
  Variables()["GOOGLE_APPLICATION_CREDENTIALS"] = "/nowhere/key.json";
  EXPECT_THAT(Store(),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("GOOGLE_APPLICATION_CREDENTIALS: open "
                                       "/nowhere/key.json: there is no such"),
                             HasSubstr("gcloud auth application-default"))));
}

TEST_F(GcsWire, AnEmulatorIsAHostAndAPort) {
  for (const char* bad :
       {"localhost:http", "localhost:", "localhost:0", "localhost:70000",
        ":9000", "ftp://localhost:9000", "http://", "a b:9000"}) {
    Variables()["STORAGE_EMULATOR_HOST"] = bad;
    EXPECT_THAT(Store(), StatusIs(absl::StatusCode::kInvalidArgument,
                                  AllOf(HasSubstr("STORAGE_EMULATOR_HOST is "),
                                        HasSubstr("give HOST:PORT, such as "
                                                  "localhost:9000"))))
        << bad;
  }
  for (const char* good : {"localhost:9000", "localhost", "[::1]:9000",
                           "https://gcs.example:443", "http://h:1/storage/"}) {
    Variables()["STORAGE_EMULATOR_HOST"] = good;
    EXPECT_THAT(Store(), IsOk()) << good;
  }
}

// Not by libcurl, either.
TEST_F(GcsWire, ARedirectIsFollowedByNobody) {
  server_.objects().set_token("right");
  Variables()["PODSIM_GCS_CREDENTIALS"] = "command:echo right";
  GcsServer elsewhere;
  server_.set_lie([&](const HttpRequest& request, const GcsServer::Honest&) {
    return HttpResponse{
        .status = 302,
        .headers = {{"location", elsewhere.endpoint() + request.url}}};
  });
  ASSERT_OK_AND_ASSIGN(const auto store, Store());
  EXPECT_THAT(store->Read("gs://bucket/x"),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("read gs://bucket/x: "),
                             HasSubstr("to " + elsewhere.endpoint()))));
  EXPECT_EQ(elsewhere.requests(), 0);
}

TEST_F(GcsWire, NoStoreThereIsSaidSo) {
  auto client = std::make_unique<GcsClient>(
      GcsClient::Options{.endpoint = "http://localhost:1",
                         .retry = {.first = absl::Milliseconds(1),
                                   .budget = absl::Milliseconds(20)}},
      NewCurlHttp({}), NoTokens());
  const auto store = NewGcsStore(std::move(client));
  EXPECT_THAT(
      store->Read("gs://bucket/x"),
      StatusIs(absl::StatusCode::kUnavailable,
               AllOf(HasSubstr("read gs://bucket/x: "),
                     HasSubstr("http://localhost:1"), HasSubstr("attempt"))));
}

}  // namespace
}  // namespace podsim
