#include "runtime/pod/watch_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "base/write_error.h"
#include "host/storage/uri_store.h"
#include "runtime/pod/private_dir.h"

namespace podsim {
namespace {

constexpr char kFileName[] = "/watch.json";
// A place takes less than 2 KiB: addresses and paths are bounded.
constexpr std::size_t kMostPlaceBytes = 64 << 10;

bool Lives(std::int64_t pid) {
  return pid > 0 && (kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

// Of a descriptor that nobody but `user` can have made, or changed.
bool IsPrivate(int fd, mode_t kind, uid_t user) {
  struct stat status = {};
  return fstat(fd, &status) == 0 && status.st_uid == user &&
         (status.st_mode & S_IFMT) == kind &&
         (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

std::optional<WatchPlace> ReadWatchPlace(const std::string& private_dir,
                                         uid_t user) {
  const UniqueFd dir(open(private_dir.c_str(),
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir.valid() || !IsPrivate(dir.get(), S_IFDIR, user)) return std::nullopt;
  const UniqueFd file(openat(dir.get(), kFileName + 1,
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid() || !IsPrivate(file.get(), S_IFREG, user))
    return std::nullopt;
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostPlaceBytes) return std::nullopt;
  }
  WatchPlace place;
  if (!google::protobuf::util::JsonStringToMessage(text, &place).ok() ||
      !Lives(place.launcher_pid()))
    return std::nullopt;
  // That process may be another by now; the launcher's lock went with it. The
  // lock alone is no sign, either: whoever tidies up takes it for a moment.
  if (!IsHeld(dir.get())) return std::nullopt;
  return place;
}

// Two parents may be one folder.
bool HasLauncher(const std::vector<WatchPlace>& places, std::int64_t pid) {
  return std::any_of(
      places.begin(), places.end(),
      [pid](const WatchPlace& place) { return place.launcher_pid() == pid; });
}

std::string Described(const WatchPlace& place) {
  return absl::StrCat(place.model_dir().empty()
                          ? absl::StrCat("--pid=", place.launcher_pid())
                          : absl::StrCat("--model_dir=", place.model_dir()),
                      " (", place.slice(), place.model().empty() ? "" : ", ",
                      place.model(), ")");
}

// Of a run that is over, or its file; empty: the folder has no metrics file.
std::string EndedText(const std::string& model_dir) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(model_dir, ignored))
    return absl::StrCat("; that is a file: give --metrics_file ", model_dir);
  const std::string file = absl::StrCat(model_dir, "/metrics.jsonl");
  return std::filesystem::exists(file, ignored)
             ? absl::StrCat("; of one that has ended: --metrics_file ", file)
             : "";
}

}  // namespace

std::string WholeModelDir(const std::string& model_dir) {
  std::string path(model_dir);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path.empty() || !SchemeOf(path).empty()) return path;
  std::error_code error;
  const std::filesystem::path whole =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return error ? path : whole.string();
}

absl::Status WriteWatchPlace(const std::string& private_dir,
                             const WatchPlace& place) {
  std::string text;
  PODSIM_CHECK(google::protobuf::util::MessageToJsonString(place, &text).ok());
  const std::string path = private_dir + kFileName;
  const std::string made = path + ".new";
  unlink(made.c_str());  // of a launcher that was killed between two lines
  const UniqueFd file(
      open(made.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  int error = file.valid() ? WriteFully(file.get(), text + "\n") : errno;
  if (error == 0 && rename(made.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot write ", path, ": ", WriteErrorText(error)));
}

std::vector<WatchPlace> FindWatchPlaces(const std::vector<std::string>& parents,
                                        uid_t user) {
  std::vector<WatchPlace> places;
  for (const std::string& parent : parents) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(parent, error), end;
         !error && it != end; it.increment(error)) {
      if (!IsPrivateDirName(it->path().filename().string())) continue;
      std::optional<WatchPlace> place =
          ReadWatchPlace(it->path().string(), user);
      if (place && !HasLauncher(places, place->launcher_pid()))
        places.push_back(*std::move(place));
    }
  }
  return places;
}

std::vector<WatchPlace> FindOwnWatchPlaces() {
  uid_t user = geteuid();
  const char* sudo = std::getenv("SUDO_UID");
  if (user == 0 && sudo != nullptr)
    static_cast<void>(absl::SimpleAtoi(sudo, &user));
  std::vector<std::string> parents = PrivateDirParents();
  const std::string runtime_dir = absl::StrCat("/run/user/", user);
  if (std::find(parents.begin(), parents.end(), runtime_dir) == parents.end())
    parents.push_back(runtime_dir);
  return FindWatchPlaces(parents, user);
}

absl::StatusOr<WatchPlace> ChooseWatchPlace(
    const std::vector<WatchPlace>& places, const std::string& model_dir,
    std::int64_t pid) {
  std::vector<WatchPlace> meant;
  const std::string whole = WholeModelDir(model_dir);
  for (const WatchPlace& place : places)
    if ((model_dir.empty() || place.model_dir() == whole) &&
        (pid == 0 || place.launcher_pid() == pid))
      meant.push_back(place);
  if (meant.size() == 1) return meant.front();
  if (meant.empty() && pid != 0)
    return absl::NotFoundError(absl::StrCat(
        "process ", pid, " runs no job of yours",
        places.empty() ? ""
                       : absl::StrCat("; ", Described(places.front()), " does"),
        ": give that of a pod_launch"));
  if (meant.empty() && !model_dir.empty())
    return absl::NotFoundError(absl::StrCat(
        "no job of yours runs on this machine with --model_dir ", model_dir,
        places.empty() ? ""
                       : absl::StrCat("; ", Described(places.front()), " does"),
        EndedText(whole),
        "; for a job of another machine give --address, and PODSIM_TOKEN"));
  if (meant.empty())
    return absl::NotFoundError(
        "no job of yours runs on this machine: start one with pod_launch, or "
        "give --address, and PODSIM_TOKEN, for one of another machine");
  std::string text = "several of your jobs run on this machine, say which: ";
  for (std::size_t i = 0; i < meant.size(); ++i)
    absl::StrAppend(&text, i == 0 ? "" : ", ", Described(meant[i]));
  return absl::FailedPreconditionError(text);
}

}  // namespace podsim
