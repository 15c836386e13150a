#include "runtime/tensorboard/event_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/output_file.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "base/write_error.h"
#include "host/input/tfrecord.h"
#include "runtime/tensorboard/place.h"
#include "runtime/tensorboard/run_events.h"

namespace podsim {
namespace {

std::string HeaderRecord(const EventFileNames& names) {
  return EventRecord(HeaderEvent(names.Now()).SerializeAsString());
}

class LocalEventFiles final : public EventFiles {
 public:
  LocalEventFiles(std::string folder, std::shared_ptr<EventFileNames> names)
      : folder_(std::move(folder)), names_(std::move(names)) {}

  // An error comes again with the first record.
  void StartFile() override {
    file_.Reset();
    static_cast<void>(MakeFolder());
  }

  absl::Status Append(std::string_view records) override {
    if (records.empty()) return absl::OkStatus();
    std::string bytes;
    if (!file_.valid()) {
      PODSIM_RETURN_IF_ERROR(Open());
      bytes = HeaderRecord(*names_);
    }
    bytes.append(records);
    const int error = WriteFully(file_.get(), bytes);
    if (error == 0) return absl::OkStatus();
    return absl::Status(
        absl::ErrnoToStatusCode(error),
        absl::StrCat("cannot write ", path_, ": ", WriteErrorText(error)));
  }

  bool TriesAgain() const override { return false; }

 private:
  // Once: a folder that is moved away meanwhile must find its place free when
  // it comes back.
  absl::Status MakeFolder() {
    if (made_) return absl::OkStatus();
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
      return absl::ErrnoToStatus(
          error.value(), absl::StrCat("cannot make the folder ", folder_));
    made_ = true;
    return absl::OkStatus();
  }

  absl::Status Open() {
    PODSIM_RETURN_IF_ERROR(MakeFolder());
    path_ = absl::StrCat(folder_, "/", names_->Next());
    PODSIM_ASSIGN_OR_RETURN(file_, OpenOutput(path_, OutputStart::kAppend));
    return absl::OkStatus();
  }

  const std::string folder_;
  const std::shared_ptr<EventFileNames> names_;
  std::string path_;
  bool made_ = false;  // the folder
  UniqueFd file_;
};

class StoredEventFiles final : public EventFiles {
 public:
  StoredEventFiles(std::string folder, std::unique_ptr<ObjectStore> store,
                   std::shared_ptr<EventFileNames> names)
      : folder_(std::move(folder)),
        store_(std::move(store)),
        names_(std::move(names)) {}

  void StartFile() override {}  // each piece has its own

  absl::Status Append(std::string_view records) override {
    if (records.empty() && bytes_.empty()) return absl::OkStatus();
    if (bytes_.empty()) {
      path_ = absl::StrCat(folder_, "/", names_->Next());
      bytes_ = HeaderRecord(*names_);
    }
    bytes_.append(records);
    PODSIM_RETURN_IF_ERROR(store_->Write(path_, bytes_));
    bytes_.clear();
    return absl::OkStatus();
  }

  bool TriesAgain() const override { return true; }

 private:
  const std::string folder_;
  const std::unique_ptr<ObjectStore> store_;
  const std::shared_ptr<EventFileNames> names_;
  std::string path_;
  std::string bytes_;  // of it; empty: all is written
};

}  // namespace

std::string EventFileNames::Next() {
  return EventFileName(absl::ToUnixSeconds(clock_.Now()), host_, pid_,
                       number_++);
}

double EventFileNames::Now() const {
  return absl::ToDoubleSeconds(clock_.Now() - absl::UnixEpoch());
}

std::string EventRecord(const std::string& event) { return FrameRecord(event); }

std::unique_ptr<EventFiles> NewLocalEventFiles(
    std::string folder, std::shared_ptr<EventFileNames> names) {
  return std::make_unique<LocalEventFiles>(std::move(folder), std::move(names));
}

std::unique_ptr<EventFiles> NewStoredEventFiles(
    std::string folder, std::unique_ptr<ObjectStore> store,
    std::shared_ptr<EventFileNames> names) {
  return std::make_unique<StoredEventFiles>(std::move(folder), std::move(store),
                                            std::move(names));
}

}  // namespace podsim
