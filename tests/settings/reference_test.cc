#include "settings/reference.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace podsim {
namespace {

TEST(ReferenceTest, IsWhatTheDocsHave) {
  std::ostringstream page;
  page << std::ifstream(PODSIM_SOURCE_DIR "/docs/flags.md").rdbuf();
  EXPECT_EQ(page.str(), FormatReference())
      << "make it again: print_settings flags > docs/flags.md";
}

}  // namespace
}  // namespace podsim
