#include "tests/testing/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/status.h"

namespace podsim::testing {

TempDir::TempDir() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "podsim-test-XXXXXX").string();
  PODSIM_CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;  // a leftover directory must not fail a test
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace podsim::testing
