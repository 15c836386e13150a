// A directory that lives as long as the object.
#ifndef PODSIM_TESTS_TESTING_TEMP_DIR_H_
#define PODSIM_TESTS_TESTING_TEMP_DIR_H_

#include <string>

namespace podsim::testing {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_TEMP_DIR_H_
