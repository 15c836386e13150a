// The store as the environment describes it, opened when it is first needed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/storage/gcs/store.h"
#include "host/storage/posix_file.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

constexpr char kMetadataHost[] = "metadata.google.internal";
constexpr char kWords[] =
    "PODSIM_GCS_CREDENTIALS is none, metadata, file:PATH or command:CMD";

using Environment = const char* (*)(const char*);
using Source = absl::StatusOr<std::unique_ptr<TokenSource>>;

std::string ValueOf(Environment environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? "" : value;
}

// Empty: there is no emulator. "localhost:9000" is taken for http://.
std::string EmulatorOf(Environment environment) {
  std::string host = ValueOf(environment, "STORAGE_EMULATOR_HOST");
  if (host.empty()) return host;
  if (host.find("://") == std::string::npos) host = "http://" + host;
  while (host.back() == '/') host.pop_back();
  return host;
}

// "http://HOST" or "http://HOST:PORT", or with https://.
absl::Status CheckEmulator(const std::string& url) {
  const std::size_t begin = url.find("://") + 3;
  const std::string scheme = url.substr(0, begin);
  const std::string host = url.substr(begin, url.find('/', begin) - begin);
  const std::size_t colon =
      host.find(':', host.find(']') == host.npos ? 0 : host.find(']'));
  std::uint32_t port = 1;
  const bool good_port =
      colon == host.npos || (absl::SimpleAtoi(host.substr(colon + 1), &port) &&
                             port > 0 && port <= 65535);
  const bool good_host =
      !host.empty() && colon != 0 && host.find_first_of(" ?#@\\") == host.npos;
  if ((scheme == "http://" || scheme == "https://") && good_host && good_port)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "STORAGE_EMULATOR_HOST is ", url,
      good_host && !good_port ? ", whose port is no number from 1 to 65535"
                              : "",
      "; give HOST:PORT, such as localhost:9000, or http://HOST:PORT"));
}

// gcloud's own file; empty: it would be nowhere.
std::string DefaultKeyPath(Environment environment) {
  std::string directory = ValueOf(environment, "CLOUDSDK_CONFIG");
  if (directory.empty()) {
    const std::string home = ValueOf(environment, "HOME");
    if (home.empty()) return "";
    directory = home + "/.config/gcloud";
  }
  return directory + "/application_default_credentials.json";
}

// What comes before the metadata server, and was not there.
std::string SoughtBefore(Environment environment, const std::string& host) {
  const std::string asked = ValueOf(environment, "PODSIM_GCS_CREDENTIALS");
  if (!asked.empty())
    return absl::StrCat("PODSIM_GCS_CREDENTIALS=", asked, " (", host, ")");
  const std::string file = DefaultKeyPath(environment);
  return absl::StrCat(
      "PODSIM_GCS_CREDENTIALS and GOOGLE_APPLICATION_CREDENTIALS (not set), ",
      file.empty() ? "CLOUDSDK_CONFIG and HOME (not set)" : file + " (no file)",
      ", metadata server ", host);
}

Source MetadataServer(Environment environment, Http* http) {
  std::string host = ValueOf(environment, "GCE_METADATA_HOST");
  if (host.empty()) host = kMetadataHost;
  return MetadataTokens(http, host, SoughtBefore(environment, host));
}

// As curl does, and OpenSSL's own programs.
std::string CertificatesOf(Environment environment) {
  const std::string curls = ValueOf(environment, "CURL_CA_BUNDLE");
  return curls.empty() ? ValueOf(environment, "SSL_CERT_FILE") : curls;
}

// What stands there may be a token that was pasted in the wrong place: it is
// described, not repeated, but for a path.
absl::Status WrongCredentials(const std::string& asked) {
  const bool path = asked[0] == '/' || asked[0] == '~' ||
                    asked.starts_with("./") || asked.ends_with(".json");
  if (path)
    return absl::InvalidArgumentError(absl::StrCat(
        kWords,
        "; it looks like the path of a file: a service account's key "
        "goes to GOOGLE_APPLICATION_CREDENTIALS, a file with a token "
        "is PODSIM_GCS_CREDENTIALS=file:PATH"));
  if (asked[0] == '{')
    return absl::InvalidArgumentError(absl::StrCat(
        kWords,
        "; it looks like a key in JSON: write it to a file, and its "
        "path to GOOGLE_APPLICATION_CREDENTIALS"));
  for (const char* word : {"file", "command"})
    if (asked == word || asked == absl::StrCat(word, ":"))
      return absl::InvalidArgumentError(absl::StrCat(
          kWords, "; \"", asked, "\" lacks what follows the colon"));
  return absl::InvalidArgumentError(absl::StrCat(
      kWords, "; it is ", asked.size(),
      " characters that begin with none of these: a token goes to a file, as "
      "in PODSIM_GCS_CREDENTIALS=file:PATH",
      DidYouMean(asked, {"none", "metadata"})));
}

Source Asked(Environment environment, const std::string& asked, Http* http) {
  constexpr std::string_view kFile = "file:";
  constexpr std::string_view kCommand = "command:";
  if (asked == "none") return NoTokens();
  if (asked == "metadata") return MetadataServer(environment, http);
  if (asked.rfind(kFile, 0) == 0 && asked.size() > kFile.size())
    return FileTokens(asked.substr(kFile.size()));
  if (asked.rfind(kCommand, 0) == 0 && asked.size() > kCommand.size())
    return CommandTokens(asked.substr(kCommand.size()));
  return WrongCredentials(asked);
}

// gcloud's own file, if it is there.
std::string DefaultKeyFile(Environment environment) {
  std::string path = DefaultKeyPath(environment);
  return !path.empty() && OpenRegularFile(path).ok() ? path : "";
}

Source SourceFor(Environment environment, bool emulator, Http* http) {
  const std::string asked = ValueOf(environment, "PODSIM_GCS_CREDENTIALS");
  if (!asked.empty()) return Asked(environment, asked, http);
  std::string file = ValueOf(environment, "GOOGLE_APPLICATION_CREDENTIALS");
  if (file.empty() && emulator) return NoTokens();
  if (file.empty()) file = DefaultKeyFile(environment);
  if (file.empty()) return MetadataServer(environment, http);
  Source source = KeyFileTokens(http, file, &absl::Now);
  if (!absl::IsNotFound(source.status())) return source;
  return absl::NotFoundError(absl::StrCat(
      "GOOGLE_APPLICATION_CREDENTIALS: ", source.status().message(),
      "; give the path of a service account's key, or unset it and run gcloud "
      "auth application-default login"));
}

// Opens the store when it is first called. Thread-safe.
class LazyStore final : public ObjectStore, public ConditionalObjects {
 public:
  absl::StatusOr<std::string> Read(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Stat(path);
  }
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Write(path, bytes);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->List(prefix);
  }
  absl::Status Delete(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Delete(path);
  }
  absl::Status DeleteTree(std::string_view directory) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->DeleteTree(directory);
  }
  ConditionalObjects* Conditional(std::string_view) override { return this; }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(directory)->ListTree(directory);
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(path)->ReadVersion(path);
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(path)->WriteIf(path, bytes, expected);
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(path)->DeleteIf(path, expected);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(from)->CopyIf(from, to, expected);
  }
  absl::StatusOr<std::string> Location(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Location(path);
  }
  bool CanRename(std::string_view) const override { return false; }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Rename(from, to);
  }

 private:
  absl::StatusOr<ObjectStore*> Opened() {
    MutexLock lock(mutex_);
    if (store_ == nullptr) {
      PODSIM_ASSIGN_OR_RETURN(
          auto client, GcsClientFor(+[](const char* name) -> const char* {
            return std::getenv(name);
          }));
      store_ = NewGcsStore(std::move(client));
    }
    return store_.get();
  }

  Mutex mutex_;
  std::unique_ptr<ObjectStore> store_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<GcsClient>> GcsClientFor(
    Environment environment) {
  const std::string emulator = EmulatorOf(environment);
  // Shared by the calls and by what fetches their tokens.
  auto http = NewCurlHttp({.certificates = CertificatesOf(environment)});
  if (!emulator.empty()) PODSIM_RETURN_IF_ERROR(CheckEmulator(emulator));
  PODSIM_ASSIGN_OR_RETURN(
      auto tokens, SourceFor(environment, !emulator.empty(), http.get()));
  std::random_device random;
  return std::make_unique<GcsClient>(
      GcsClient::Options{
          .endpoint = emulator.empty() ? kGoogleStorage : emulator,
          .seed = random(),
          .waits = &ProcessStoreWaits()},
      std::move(http), std::move(tokens));
}

std::unique_ptr<ObjectStore> NewGcsStoreOfEnvironment() {
  return std::make_unique<LazyStore>();
}

}  // namespace podsim
