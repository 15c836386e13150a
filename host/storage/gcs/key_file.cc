// Tokens for a key file: a service account's, or a user's refresh token.
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/gcs/jwt.h"
#include "host/storage/gcs/name.h"
#include "host/storage/gcs/safe_url.h"
#include "host/storage/gcs/tokens.h"
#include "host/storage/posix_file.h"

namespace podsim {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLongestFile = 65536;
constexpr char kTokenUri[] = "https://oauth2.googleapis.com/token";
constexpr char kScope[] =
    "https://www.googleapis.com/auth/devstorage.read_write";
constexpr char kGrant[] = "urn:ietf:params:oauth:grant-type:jwt-bearer";
// The longest that Google allows.
constexpr absl::Duration kAssertionLasts = absl::Hours(1);

absl::Status WrongKey(const std::string& path, std::string_view why) {
  return absl::UnauthenticatedError(absl::StrCat(
      "key file ", path, ": ", std::string(why),
      "; make another: gcloud auth application-default login, or a service "
      "account's key that GOOGLE_APPLICATION_CREDENTIALS names"));
}

absl::StatusOr<std::string> FieldOf(const Json& json, const char* name,
                                    const std::string& path) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_string() ||
      found->get_ref<const std::string&>().empty())
    return WrongKey(path, absl::StrCat("it has no ", name));
  return found->get<std::string>();
}

// Where a form is exchanged for a token.
class Exchange : public TokenSource {
 public:
  Exchange(Http* http, std::string path, std::string uri)
      : http_(http), path_(std::move(path)), uri_(std::move(uri)) {}

  std::string name() const override { return HostOf(uri_); }
  absl::StatusOr<GcsToken> Fetch(const HttpWatch& watch) override {
    PODSIM_ASSIGN_OR_RETURN(const std::string form, Form());
    const HttpRequest request{
        .method = "POST",
        .url = uri_,
        .headers = {"Content-Type: application/x-www-form-urlencoded"},
        .body = form,
        .watch = watch};
    PODSIM_ASSIGN_OR_RETURN(const HttpResponse answer, http_->Send(request));
    if (answer.status == 200) return ParseToken(answer.body);
    const std::string what =
        absl::StrCat(uri_, " answers ", answer.status, " for it");
    if (answer.status >= 500) return absl::UnavailableError(what);
    return WrongKey(path_, what);
  }

 protected:
  virtual absl::StatusOr<std::string> Form() = 0;

  Http* const http_;
  const std::string path_;
  const std::string uri_;
};

class ServiceAccount final : public Exchange {
 public:
  struct Account {
    std::string email;
    std::string key_id;
    std::string private_key;
  };
  ServiceAccount(Http* http, std::string path, std::string uri, Account account,
                 absl::Time (*now)())
      : Exchange(http, std::move(path), std::move(uri)),
        account_(std::move(account)),
        now_(now) {}

 private:
  absl::StatusOr<std::string> Form() override {
    const std::int64_t begin = absl::ToUnixSeconds(now_());
    const Json claims = {
        {"iss", account_.email},
        {"scope", kScope},
        {"aud", uri_},
        {"iat", begin},
        {"exp", begin + absl::ToInt64Seconds(kAssertionLasts)}};
    absl::StatusOr<std::string> jwt =
        SignedJwt(account_.key_id, claims.dump(), account_.private_key);
    if (!jwt.ok()) return WrongKey(path_, std::string(jwt.status().message()));
    return absl::StrCat("grant_type=", PercentEncoded(kGrant),
                        "&assertion=", PercentEncoded(*jwt));
  }

  const Account account_;
  absl::Time (*const now_)();
};

class RefreshToken final : public Exchange {
 public:
  RefreshToken(Http* http, std::string path, std::string uri, std::string form)
      : Exchange(http, std::move(path), std::move(uri)),
        form_(std::move(form)) {}

 private:
  absl::StatusOr<std::string> Form() override { return form_; }
  const std::string form_;
};

absl::StatusOr<std::unique_ptr<TokenSource>> ServiceAccountOf(
    Http* http, const Json& json, const std::string& path,
    const std::string& uri, absl::Time (*now)()) {
  ServiceAccount::Account account;
  PODSIM_ASSIGN_OR_RETURN(account.email, FieldOf(json, "client_email", path));
  PODSIM_ASSIGN_OR_RETURN(account.key_id,
                          FieldOf(json, "private_key_id", path));
  PODSIM_ASSIGN_OR_RETURN(account.private_key,
                          FieldOf(json, "private_key", path));
  return std::make_unique<ServiceAccount>(http, path, uri, std::move(account),
                                          now);
}

absl::StatusOr<std::unique_ptr<TokenSource>> UserOf(Http* http,
                                                    const Json& json,
                                                    const std::string& path,
                                                    const std::string& uri) {
  std::string form = "grant_type=refresh_token";
  for (const char* name : {"client_id", "client_secret", "refresh_token"}) {
    PODSIM_ASSIGN_OR_RETURN(const std::string value, FieldOf(json, name, path));
    absl::StrAppend(&form, "&", name, "=", PercentEncoded(value));
  }
  return std::make_unique<RefreshToken>(http, path, uri, std::move(form));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenSource>> KeyFileTokens(
    Http* http, const std::string& path, absl::Time (*now)()) {
  PODSIM_ASSIGN_OR_RETURN(const FileDescriptor file, OpenRegularFile(path));
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          ReadFile(file, path, 0, kLongestFile));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return WrongKey(path, "it is no JSON object");
  PODSIM_ASSIGN_OR_RETURN(const std::string type, FieldOf(json, "type", path));
  std::string uri = kTokenUri;
  if (json.contains("token_uri")) {
    PODSIM_ASSIGN_OR_RETURN(uri, FieldOf(json, "token_uri", path));
  }
  if (!MayCarrySecret(uri))
    return WrongKey(path,
                    "its token_uri is neither https:// nor of this machine");
  if (type == "service_account")
    return ServiceAccountOf(http, json, path, uri, now);
  if (type == "authorized_user") return UserOf(http, json, path, uri);
  return WrongKey(path,
                  "its type is none of service_account and authorized_user");
}

}  // namespace podsim
