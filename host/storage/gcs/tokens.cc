#include "host/storage/gcs/tokens.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/gcs/shell_output.h"
#include "host/storage/posix_file.h"

namespace podsim {
namespace {

constexpr std::int64_t kLongestToken = 16384;
// A token that somebody else renews is looked at again after so long.
constexpr absl::Duration kLookAgain = absl::Minutes(1);
constexpr absl::Duration kCommandTime = absl::Seconds(30);

absl::StatusOr<GcsToken> TokenIn(std::string_view text,
                                 const std::string& from) {
  const std::string line(
      absl::StripAsciiWhitespace(std::string(text.substr(0, text.find('\n')))));
  if (line.empty() || line.find_first_of(" \t\r") != std::string::npos)
    return absl::UnauthenticatedError(
        absl::StrCat(from, " gives no token: one line without blanks"));
  return GcsToken{.token = line, .lasts = kLookAgain};
}

class Nothing final : public TokenSource {
 public:
  absl::StatusOr<GcsToken> Fetch() override {
    return GcsToken{.lasts = absl::InfiniteDuration()};
  }
};

class FromFile final : public TokenSource {
 public:
  explicit FromFile(std::string path) : path_(std::move(path)) {}
  absl::StatusOr<GcsToken> Fetch() override {
    PODSIM_ASSIGN_OR_RETURN(const FileDescriptor file, OpenRegularFile(path_));
    PODSIM_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(file, path_, 0, kLongestToken));
    return TokenIn(text, "token file " + path_);
  }

 private:
  const std::string path_;
};

class FromCommand final : public TokenSource {
 public:
  explicit FromCommand(std::string command) : command_(std::move(command)) {}
  absl::StatusOr<GcsToken> Fetch() override {
    PODSIM_ASSIGN_OR_RETURN(const std::string text,
                            ShellOutput(command_, kCommandTime, kLongestToken));
    return TokenIn(text, "the token command");
  }

 private:
  const std::string command_;
};

class FromMetadata final : public TokenSource {
 public:
  FromMetadata(Http* http, const std::string& host)
      : http_(http),
        request_{.url = absl::StrCat("http://", host,
                                     "/computeMetadata/v1/instance/"
                                     "service-accounts/default/token"),
                 .headers = {"Metadata-Flavor: Google"}} {}
  absl::StatusOr<GcsToken> Fetch() override {
    PODSIM_ASSIGN_OR_RETURN(const HttpResponse answer, http_->Send(request_));
    if (answer.status == 200) return ParseToken(answer.body);
    return absl::UnauthenticatedError(
        absl::StrCat("the metadata server answers ", answer.status,
                     ": has this machine a service account?"));
  }

 private:
  Http* const http_;
  const HttpRequest request_;
};

}  // namespace

std::unique_ptr<TokenSource> NoTokens() { return std::make_unique<Nothing>(); }

std::unique_ptr<TokenSource> FileTokens(std::string path) {
  return std::make_unique<FromFile>(std::move(path));
}

std::unique_ptr<TokenSource> CommandTokens(std::string command) {
  return std::make_unique<FromCommand>(std::move(command));
}

std::unique_ptr<TokenSource> MetadataTokens(Http* http,
                                            const std::string& host) {
  return std::make_unique<FromMetadata>(http, host);
}

}  // namespace podsim
