#include "tests/e2e/kill_place.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>

#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

// What stays with the checkpoints: the record, and the job's charts.
bool Stays(const std::string& name) {
  return name == ".podsim-job" || name == "tensorboard";
}

bool IsNumber(const std::string& name) {
  return name.find_first_not_of("0123456789") == std::string::npos;
}

class DirectoryPlace final : public KillPlace {
 public:
  std::string model_dir() const override { return dir_.path(); }
  std::vector<std::pair<std::string, std::string>> environment()
      const override {
    return {};
  }
  std::string LeftBehind() const override {
    std::string text;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
      const std::string name = entry.path().filename();
      if (!IsNumber(name) && !Stays(name)) text += name + " ";
    }
    return text;
  }
  std::set<std::int64_t> Committed() const override {
    std::set<std::int64_t> steps;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
      if (const std::string name = entry.path().filename(); IsNumber(name))
        steps.insert(std::atoll(name.c_str()));
    return steps;
  }
  std::vector<std::int64_t> Unfinished() const override {
    std::vector<std::int64_t> steps;
    std::error_code gone;  // directories come and go while we look
    for (std::filesystem::directory_iterator it(dir_.path(), gone), end;
         it != end && !gone; it.increment(gone)) {
      const std::string name = it->path().filename();
      if (name.find(".orbax-checkpoint-tmp-") != std::string::npos)
        steps.push_back(std::atoll(name.c_str()));
    }
    return steps;
  }

 private:
  TempDir dir_;
};

class BucketPlace final : public KillPlace {
 public:
  explicit BucketPlace(GcsServer* server) : server_(server) {
    static std::atomic<int> places{0};
    prefix_ = "run" + std::to_string(++places) + "/";
  }
  std::string model_dir() const override { return "gs://bucket/" + prefix_; }
  std::vector<std::pair<std::string, std::string>> environment()
      const override {
    return {{"STORAGE_EMULATOR_HOST", server_->endpoint()},
            {"PODSIM_GCS_CREDENTIALS", "none"}};
  }
  std::string LeftBehind() const override {
    std::string text;
    for (const std::string& name : Names()) {
      const std::string top = name.substr(0, name.find('/'));
      if (!IsNumber(top) && !Stays(top)) text += name + " ";
    }
    for (const std::int64_t step : Unfinished())
      text += std::to_string(step) + " ";
    return text;
  }
  std::set<std::int64_t> Committed() const override {
    std::set<std::int64_t> steps;
    for (const std::string& name : Names())
      if (name.substr(name.find('/') + 1) == "commit_success.txt")
        steps.insert(std::atoll(name.c_str()));
    return steps;
  }
  std::vector<std::int64_t> Unfinished() const override {
    std::set<std::string> steps;
    const std::vector<std::string> names = Names();
    for (const std::string& name : names) {
      const std::string top = name.substr(0, name.find('/'));
      if (IsNumber(top)) steps.insert(top);
    }
    for (const std::string& name : names)
      if (name.substr(name.find('/') + 1) == "commit_success.txt")
        steps.erase(name.substr(0, name.find('/')));
    std::vector<std::int64_t> numbers;
    for (const std::string& step : steps)
      numbers.push_back(std::atoll(step.c_str()));
    return numbers;
  }

 private:
  // Of this place, without its prefix.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const std::string& name : server_->objects().Names("bucket"))
      if (name.rfind(prefix_, 0) == 0)
        names.push_back(name.substr(prefix_.size()));
    return names;
  }

  GcsServer* const server_;
  std::string prefix_;
};

}  // namespace

std::unique_ptr<KillPlace> NewDirectoryPlace() {
  return std::make_unique<DirectoryPlace>();
}

std::unique_ptr<KillPlace> NewBucketPlace(GcsServer* server) {
  return std::make_unique<BucketPlace>(server);
}

}  // namespace podsim::testing
