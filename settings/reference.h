// docs/flags.md. Pure.
#ifndef PODSIM_SETTINGS_REFERENCE_H_
#define PODSIM_SETTINGS_REFERENCE_H_

#include <string>

namespace podsim {

// Every setting of every program, as Markdown.
std::string FormatReference();

}  // namespace podsim

#endif  // PODSIM_SETTINGS_REFERENCE_H_
