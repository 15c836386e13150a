// Whom a store over https is taken for: certificates of the system, or those
// that the environment names.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "host/storage/gcs/store.h"
#include "tests/testing/gcs/gcs_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::GcsServer;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNames[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};

class CertificatesTest : public ::testing::Test {
 protected:
  CertificatesTest() {
    server_.objects().MakeBucket("bucket", "EU");
    server_.objects().Put("bucket", "x", "bytes");
    setenv("STORAGE_EMULATOR_HOST", server_.endpoint().c_str(),
           /*overwrite=*/1);
    for (const char* name : kNames) unsetenv(name);
  }
  ~CertificatesTest() override {
    for (const char* name : kNames) unsetenv(name);
    unsetenv("STORAGE_EMULATOR_HOST");
  }
  CertificatesTest(const CertificatesTest&) = delete;
  CertificatesTest& operator=(const CertificatesTest&) = delete;

  // Opened anew: as a program that was started now.
  static absl::StatusOr<std::string> Read() {
    return NewGcsStoreOfEnvironment()->Read("gs://bucket/x");
  }
  std::string FileOf(const GcsServer& server, const std::string& name) const {
    const std::string path = dir_.file(name);
    std::ofstream(path) << server.certificate();
    return path;
  }

  testing::TempDir dir_;
  GcsServer server_{{}, 0, GcsServer::Wire::kSelfSigned};
};

TEST_F(CertificatesTest, OneThatIsNotTrustedIsFinalAtOnceInOneLine) {
  EXPECT_THAT(
      Read(),
      StatusIs(absl::StatusCode::kUnavailable,
               AllOf(HasSubstr("gs://bucket/x"), HasSubstr(server_.endpoint()),
                     HasSubstr("self-signed certificate"),
                     HasSubstr("trusted are the certificates of this system "
                               "(CURL_CA_BUNDLE or SSL_CERT_FILE names "
                               "others)"),
                     Not(HasSubstr("attempt")), Not(HasSubstr("\n")))));
  EXPECT_EQ(server_.handshakes(), 1);
  EXPECT_EQ(server_.requests(), 0) << "nothing was said to it";
}

TEST_F(CertificatesTest, TheEnvironmentNamesThoseToTrust) {
  const std::string file = FileOf(server_, "ca.pem");
  for (const char* name : kNames) {
    setenv(name, file.c_str(), /*overwrite=*/1);
    ASSERT_OK_AND_ASSIGN(const std::string bytes, Read());
    EXPECT_EQ(bytes, "bytes") << name;
    unsetenv(name);
  }
}

TEST_F(CertificatesTest, OnlyThoseAreTrustedAndCurlsNameComesFirst) {
  const GcsServer other({}, 0, GcsServer::Wire::kSelfSigned);
  const std::string own = FileOf(server_, "own.pem");
  const std::string others = FileOf(other, "others.pem");
  setenv("SSL_CERT_FILE", others.c_str(), /*overwrite=*/1);
  EXPECT_THAT(Read(), StatusIs(absl::StatusCode::kUnavailable,
                               HasSubstr("certificates of " + others)));
  EXPECT_EQ(server_.handshakes(), 1);
  setenv("CURL_CA_BUNDLE", own.c_str(), /*overwrite=*/1);
  ASSERT_OK_AND_ASSIGN(const std::string bytes, Read());
  EXPECT_EQ(bytes, "bytes");
}

}  // namespace
}  // namespace podsim
