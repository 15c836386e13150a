#include "runtime/plan/left_out_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/text_table.h"

namespace podsim {

std::string LeftOutText(const std::vector<std::string>& names, int columns) {
  if (names.empty()) return "";
  return "#\n" +
         CommentText(absl::StrCat("left out at ", columns,
                                  " columns: ", absl::StrJoin(names, ", "),
                                  "; --verbose or --json has all"),
                     columns);
}

}  // namespace podsim
