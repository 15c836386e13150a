#include "host/storage/gcs/tokens.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "host/storage/gcs/jwt.h"
#include "host/storage/http/failure.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kUnauthenticated = absl::StatusCode::kUnauthenticated;

// Answers 200 with `body` and keeps the request, its body too.
class OneAnswer final : public Http {
 public:
  explicit OneAnswer(std::string body, int status = 200)
      : answer_{.status = status, .body = std::move(body)} {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    asked = request;
    body = std::string(request.body);
    return answer_;
  }
  HttpRequest asked;
  std::string body;

 private:
  const HttpResponse answer_;
};

constexpr char kGranted[] = R"({"access_token":"granted","expires_in":3599})";

absl::Time Noon() { return absl::FromUnixSeconds(1'800'000'000); }

struct KeyFree {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Key = std::unique_ptr<EVP_PKEY, KeyFree>;

std::string PemOf(const Key& key) {
  BIO* const bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr,
                           nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return pem;
}

bool Verifies(const Key& key, const std::string& text,
              const std::string& signature) {
  EVP_MD_CTX* const digest = EVP_MD_CTX_new();
  const bool good =
      EVP_DigestVerifyInit(digest, nullptr, EVP_sha256(), nullptr, key.get()) ==
          1 &&
      EVP_DigestVerify(
          digest, reinterpret_cast<const unsigned char*>(signature.data()),
          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
          text.size()) == 1;
  EVP_MD_CTX_free(digest);
  return good;
}

std::string Unescaped(const std::string& text) {
  std::string bytes;
  EXPECT_TRUE(absl::WebSafeBase64Unescape(text, &bytes)) << text;
  return bytes;
}

class TokensTest : public ::testing::Test {
 protected:
  std::string File(const std::string& text) {
    const std::string path = dir_.file("file");
    std::ofstream(path) << text;
    return path;
  }
  testing::TempDir dir_;
};

TEST_F(TokensTest, AFileIsReadAnewEachTime) {
  const auto source = FileTokens(File("first\n"));
  ASSERT_OK_AND_ASSIGN(GcsToken token, source->Fetch({}));
  EXPECT_EQ(token.token, "first");
  EXPECT_EQ(token.lasts, absl::Minutes(1));
  File("  second  \nand more");
  ASSERT_OK_AND_ASSIGN(token, source->Fetch({}));
  EXPECT_EQ(token.token, "second");
  File("\n");
  EXPECT_THAT(source->Fetch({}),
              StatusIs(kUnauthenticated, HasSubstr("gives no token")));
  File("<html> secret </html>");
  EXPECT_THAT(source->Fetch({}),
              StatusIs(kUnauthenticated, Not(HasSubstr("secret"))));
  EXPECT_THAT(FileTokens("/nowhere/token")->Fetch({}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
}

TEST_F(TokensTest, ACommandPrintsIt) {
  ASSERT_OK_AND_ASSIGN(const GcsToken token,
                       CommandTokens("echo a.b-c; true")->Fetch({}));
  EXPECT_EQ(token.token, "a.b-c");
  EXPECT_THAT(
      CommandTokens("echo secret; exit 3")->Fetch({}),
      StatusIs(kUnauthenticated, AllOf(HasSubstr("exit status 3"),
                                       Not(HasSubstr("status secret")))));
  EXPECT_THAT(CommandTokens("kill -9 $$")->Fetch({}),
              StatusIs(kUnauthenticated, HasSubstr("killed")));
  EXPECT_THAT(CommandTokens("yes")->Fetch({}),
              StatusIs(kUnauthenticated, HasSubstr("or more than")));
}

TEST_F(TokensTest, TheMetadataServerIsAskedWithItsHeader) {
  OneAnswer http(kGranted);
  ASSERT_OK_AND_ASSIGN(
      const GcsToken token,
      MetadataTokens(&http, "metadata.example", "")->Fetch({}));
  EXPECT_EQ(token.token, "granted");
  EXPECT_EQ(http.asked.url,
            "http://metadata.example/computeMetadata/v1/instance/"
            "service-accounts/default/token");
  EXPECT_THAT(http.asked.headers, ElementsAre("Metadata-Flavor: Google"));
  EXPECT_TRUE(http.asked.without_proxy);
  EXPECT_EQ(http.asked.within, absl::Seconds(3));
  OneAnswer none("", 404);
  EXPECT_THAT(MetadataTokens(&none, "m", "")->Fetch({}),
              StatusIs(kUnauthenticated, HasSubstr("service account")));
}

TEST_F(TokensTest, WithoutAMetadataServerItSaysWhereElseItLooked) {
  class NoAnswer final : public Http {
   public:
    explicit NoAnswer(absl::Status why) : why_(std::move(why)) {}
    absl::StatusOr<HttpResponse> Send(const HttpRequest&) override {
      return why_;
    }

   private:
    const absl::Status why_;
  };
  NoAnswer unknown(
      MarkMending(absl::UnavailableError("no such host"), Mending::kNever));
  const absl::Status nowhere =
      MetadataTokens(&unknown, "m", "here and there")->Fetch({}).status();
  EXPECT_THAT(
      nowhere,
      StatusIs(kUnauthenticated,
               AllOf(HasSubstr("no machine of Google Cloud (no such host)"),
                     HasSubstr("looked for: here and there;"),
                     HasSubstr("PODSIM_GCS_CREDENTIALS=none"))));
  EXPECT_EQ(MendingOf(nowhere, false), Mending::kNever);
  NoAnswer hangs(absl::DeadlineExceededError("no answer within 3s"));
  const absl::Status late = MetadataTokens(&hangs, "m", "")->Fetch({}).status();
  EXPECT_THAT(late, StatusIs(kUnauthenticated,
                             HasSubstr("does not answer (no answer within")));
  EXPECT_EQ(MendingOf(late, false), Mending::kSoon);
}

TEST_F(TokensTest, AServiceAccountSignsWhoItIs) {
  const Key key(EVP_RSA_gen(2048));
  const nlohmann::json account = {
      {"type", "service_account"},
      {"client_email", "me@project.iam.gserviceaccount.com"},
      {"private_key_id", "key1"},
      {"private_key", PemOf(key)},
      {"token_uri", "https://oauth2.example/token"}};
  OneAnswer http(kGranted);
  ASSERT_OK_AND_ASSIGN(const auto source,
                       KeyFileTokens(&http, File(account.dump()), &Noon));
  ASSERT_OK_AND_ASSIGN(const GcsToken token, source->Fetch({}));
  EXPECT_EQ(token.token, "granted");
  EXPECT_EQ(token.lasts, absl::Seconds(3599));
  EXPECT_EQ(http.asked.url, "https://oauth2.example/token");
  const std::string form =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&"
      "assertion=";
  ASSERT_EQ(http.body.rfind(form, 0), 0u) << http.body;
  const std::vector<std::string> parts =
      absl::StrSplit(http.body.substr(form.size()), '.');
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_TRUE(Verifies(key, parts[0] + "." + parts[1], Unescaped(parts[2])));
  EXPECT_FALSE(Verifies(key, parts[0] + "." + parts[0], Unescaped(parts[2])));
  const auto header = nlohmann::json::parse(Unescaped(parts[0]));
  EXPECT_EQ(header, nlohmann::json(
                        {{"alg", "RS256"}, {"typ", "JWT"}, {"kid", "key1"}}));
  const auto claims = nlohmann::json::parse(Unescaped(parts[1]));
  EXPECT_EQ(claims["iss"], account["client_email"]);
  EXPECT_EQ(claims["aud"], account["token_uri"]);
  EXPECT_EQ(claims["iat"], 1'800'000'000);
  EXPECT_EQ(claims["exp"], 1'800'003'600);
}

TEST_F(TokensTest, AUsersRefreshTokenIsExchanged) {
  OneAnswer http(kGranted);
  ASSERT_OK_AND_ASSIGN(
      const auto source,
      KeyFileTokens(&http, File(R"({"type":"authorized_user","client_id":"id",
                             "client_secret":"s&t","refresh_token":"1//x"})"),
                    &Noon));
  ASSERT_OK_AND_ASSIGN(const GcsToken token, source->Fetch({}));
  EXPECT_EQ(token.token, "granted");
  EXPECT_EQ(http.asked.url, "https://oauth2.googleapis.com/token");
  EXPECT_EQ(http.body,
            "grant_type=refresh_token&client_id=id&client_secret=s%26t&"
            "refresh_token=1%2F%2Fx");
  OneAnswer refused(R"({"error":"invalid_grant"})", 400);
  ASSERT_OK_AND_ASSIGN(const auto ended,
                       KeyFileTokens(&refused, dir_.file("file"), &Noon));
  EXPECT_THAT(ended->Fetch({}),
              StatusIs(kUnauthenticated,
                       AllOf(HasSubstr("answers 400"), Not(HasSubstr("1//x")),
                             Not(HasSubstr("s&t")))));
}

TEST_F(TokensTest, SaysWhatIsWrongWithAKeyFileAndNothingThatIsInIt) {
  OneAnswer http(kGranted);
  struct Case {
    std::string text, says;
  };
  for (const Case& c :
       {Case{"secret", "no JSON object"}, Case{R"({"key":"secret"})", "type"},
        Case{R"({"type":"secret"})", "its type is none of"},
        Case{R"({"type":"service_account","private_key":"secret"})",
             "it has no client_email"},
        Case{R"({"type":"authorized_user","client_id":"secret"})",
             "it has no client_secret"},
        Case{R"({"type":"authorized_user","token_uri":"http://secret/"})",
             "neither https:// nor"}}) {
    EXPECT_THAT(KeyFileTokens(&http, File(c.text), &Noon),
                StatusIs(kUnauthenticated,
                         AllOf(HasSubstr(c.says), Not(HasSubstr("secret\"")),
                               HasSubstr(dir_.file("file")))))
        << c.text;
  }
  ASSERT_OK_AND_ASSIGN(
      const auto source,
      KeyFileTokens(&http, File(R"({"type":"service_account","client_email":"a",
                             "private_key_id":"b","private_key":"secret"})"),
                    &Noon));
  EXPECT_THAT(source->Fetch({}),
              StatusIs(kUnauthenticated, AllOf(HasSubstr("no RSA key"),
                                               Not(HasSubstr("secret")))));
}

}  // namespace
}  // namespace podsim
