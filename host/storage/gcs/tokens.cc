#include "host/storage/gcs/tokens.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/gcs/shell_output.h"
#include "host/storage/http/failure.h"
#include "host/storage/posix_file.h"

namespace podsim {
namespace {

constexpr std::int64_t kLongestToken = 16384;
// A token that somebody else renews is looked at again after so long.
constexpr absl::Duration kLookAgain = absl::Minutes(1);
constexpr absl::Duration kCommandTime = absl::Seconds(30);
// It answers from this machine or its host.
constexpr absl::Duration kMetadataTime = absl::Seconds(3);

absl::StatusOr<GcsToken> TokenIn(std::string_view text,
                                 const std::string& from) {
  const std::string line(
      absl::StripAsciiWhitespace(std::string(text.substr(0, text.find('\n')))));
  if (line.empty() || line.find_first_of(" \t\r") != std::string::npos)
    return absl::UnauthenticatedError(
        absl::StrCat(from,
                     " gives no token, one line without blanks; gcloud auth "
                     "print-access-token prints one"));
  return GcsToken{.token = line, .lasts = kLookAgain};
}

class Nothing final : public TokenSource {
 public:
  absl::StatusOr<GcsToken> Fetch(const HttpWatch&) override {
    return GcsToken{.lasts = absl::InfiniteDuration()};
  }
  std::string name() const override { return "nobody"; }
};

class FromFile final : public TokenSource {
 public:
  explicit FromFile(std::string path) : path_(std::move(path)) {}
  absl::StatusOr<GcsToken> Fetch(const HttpWatch&) override {
    PODSIM_ASSIGN_OR_RETURN(const FileDescriptor file, OpenRegularFile(path_));
    PODSIM_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(file, path_, 0, kLongestToken));
    return TokenIn(text, "token file " + path_);
  }
  std::string name() const override { return path_; }

 private:
  const std::string path_;
};

class FromCommand final : public TokenSource {
 public:
  explicit FromCommand(std::string command) : command_(std::move(command)) {}
  absl::StatusOr<GcsToken> Fetch(const HttpWatch& watch) override {
    PODSIM_ASSIGN_OR_RETURN(
        const std::string text,
        ShellOutput(command_, kCommandTime, kLongestToken, watch));
    return TokenIn(text, "the token command");
  }
  std::string name() const override { return "the token command"; }

 private:
  const std::string command_;
};

class FromMetadata final : public TokenSource {
 public:
  FromMetadata(Http* http, std::string host, std::string sought)
      : http_(http), host_(std::move(host)), sought_(std::move(sought)) {}

  absl::StatusOr<GcsToken> Fetch(const HttpWatch& watch) override {
    const absl::StatusOr<HttpResponse> answer =
        http_->Send({.url = absl::StrCat("http://", host_,
                                         "/computeMetadata/v1/instance/"
                                         "service-accounts/default/token"),
                     .headers = {"Metadata-Flavor: Google"},
                     // It gives a token, in the clear.
                     .without_proxy = true,
                     .watch = watch,
                     .within = kMetadataTime});
    if (!answer.ok()) return NoServer(answer.status());
    if (answer->status == 200) return ParseToken(answer->body);
    return absl::UnauthenticatedError(
        absl::StrCat("the metadata server answers ", answer->status,
                     ": give this machine a service account, or run gcloud "
                     "auth application-default login"));
  }
  std::string name() const override { return "metadata server " + host_; }

 private:
  // It is there from a machine's start, or never.
  absl::Status NoServer(const absl::Status& why) const {
    const bool never = MendingOf(why, /*answered=*/false) == Mending::kNever;
    return MarkMending(
        absl::UnauthenticatedError(absl::StrCat(
            never ? "none are found, and this is no machine of Google Cloud ("
                  : "none are found, and the metadata server does not answer (",
            why.message(), "); looked for: ", sought_,
            "; run gcloud auth application-default login, or for a public "
            "bucket give PODSIM_GCS_CREDENTIALS=none")),
        never ? Mending::kNever : Mending::kSoon);
  }

  Http* const http_;
  const std::string host_;
  const std::string sought_;
};

}  // namespace

std::unique_ptr<TokenSource> NoTokens() { return std::make_unique<Nothing>(); }

std::unique_ptr<TokenSource> FileTokens(std::string path) {
  return std::make_unique<FromFile>(std::move(path));
}

std::unique_ptr<TokenSource> CommandTokens(std::string command) {
  return std::make_unique<FromCommand>(std::move(command));
}

std::unique_ptr<TokenSource> MetadataTokens(Http* http, const std::string& host,
                                            const std::string& sought) {
  return std::make_unique<FromMetadata>(http, host, sought);
}

}  // namespace podsim
