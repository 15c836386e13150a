#include "settings/reference.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "settings/python_table.h"

namespace podsim {
namespace {

TEST(ReferenceTest, IsWhatTheDocsHave) {
  std::ostringstream page;
  page << std::ifstream(PODSIM_SOURCE_DIR "/docs/flags.md").rdbuf();
  EXPECT_EQ(page.str(), FormatReference())
      << "make it again: print_settings flags > docs/flags.md";
}

TEST(ReferenceTest, IsWhatThePythonPackageHas) {
  std::ostringstream page;
  page
      << std::ifstream(PODSIM_SOURCE_DIR "/python/podsim/_settings.py").rdbuf();
  EXPECT_EQ(page.str(), FormatPythonTable())
      << "make it again: print_settings python > python/podsim/_settings.py";
}

}  // namespace
}  // namespace podsim
