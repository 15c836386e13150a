#include "runtime/tensorboard/place.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace podsim {
namespace {

// A host's name as a part of a file's.
std::string NamePart(const std::string& host) {
  std::string part = host.empty() ? "localhost" : host;
  for (char& letter : part)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(letter)) &&
        letter != '-' && letter != '.')
      letter = '_';
  return part;
}

}  // namespace

std::string TensorBoardDir(const JobSpec& spec) {
  if (spec.has_tensorboard_dir())
    return std::string(absl::StripSuffix(spec.tensorboard_dir(), "/"));
  if (spec.model_dir().empty() || spec.mode() == words::Mode::eval) return "";
  return absl::StrCat(absl::StripSuffix(spec.model_dir(), "/"), "/tensorboard");
}

std::string EventFileName(std::int64_t unix_seconds, const std::string& host,
                          std::int64_t pid, std::int64_t number) {
  return absl::StrCat("events.out.tfevents.", unix_seconds, ".", NamePart(host),
                      ".", pid, ".", number);
}

}  // namespace podsim
