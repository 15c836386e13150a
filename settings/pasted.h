// What people paste from pages and word processors, which change characters,
// and the blank that pasting leaves behind a \ at the end of a line.
//
//   console.Error(NamePasted(status, PodLaunch(), args, variables).message());
#ifndef PODSIM_SETTINGS_PASTED_H_
#define PODSIM_SETTINGS_PASTED_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "settings/environment.h"
#include "settings/origins.h"
#include "settings/program.h"

namespace podsim {

// A refusal that is about an argument, or a variable of the environment, with a
// character of typography, or with a blank at its begin (LeadingBlank): as a
// line that names it and says what to type. Any
// other status as it is. A path that exists may have such characters; of one
// that does not the line is added to what is said already. `origins`: where a
// file says settings, for values in it.
absl::Status NamePasted(const absl::Status& refused, const MainProgram& program,
                        const std::vector<std::string>& args,
                        const Variables& variables = {},
                        const Origins& origins = {});

}  // namespace podsim

#endif  // PODSIM_SETTINGS_PASTED_H_
