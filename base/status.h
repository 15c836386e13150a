// Errors as values: macros over absl::Status and checks for our own bugs.
//
// Every boundary returns absl::Status or absl::StatusOr. A layer that passes an
// error on says where it was:
//
//   PODSIM_ASSIGN_OR_RETURN(Slice slice, FindSlice(name));
//   PODSIM_RETURN_IF_ERROR(Annotate(Send(chunk), "ring step 3 of 6"));
//
// PODSIM_CHECK is for broken invariants of this project only, never for input.
#ifndef PODSIM_BASE_STATUS_H_
#define PODSIM_BASE_STATUS_H_

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace podsim {

// The same code with "context: " before the message; OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view context);

// A failure for want of another host says which, through every Annotate.
// REQUIRES: !status.ok().
absl::Status BlameHost(absl::Status status, int host);
// The host that BlameHost named; -1: none.
int BlamedHost(const absl::Status& status);

namespace internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* what);
}  // namespace internal
}  // namespace podsim

#define PODSIM_CHECK(condition) \
  ((condition)                  \
       ? static_cast<void>(0)   \
       : ::podsim::internal::CheckFailed(__FILE__, __LINE__, #condition))

#define PODSIM_CONCAT_INNER(a, b) a##b
#define PODSIM_CONCAT(a, b) PODSIM_CONCAT_INNER(a, b)

#define PODSIM_RETURN_IF_ERROR(expression)                              \
  do {                                                                  \
    if (absl::Status podsim_status = (expression); !podsim_status.ok()) \
      return podsim_status;                                             \
  } while (false)

#define PODSIM_ASSIGN_OR_RETURN(declaration, expression)                 \
  PODSIM_ASSIGN_OR_RETURN_INNER(PODSIM_CONCAT(podsim_result_, __LINE__), \
                                declaration, expression)
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration takes none
#define PODSIM_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                          \
  if (!result.ok()) return result.status();                            \
  declaration = *std::move(result)
// NOLINTEND(bugprone-macro-parentheses)

#endif  // PODSIM_BASE_STATUS_H_
