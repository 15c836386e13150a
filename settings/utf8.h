// Pure.
#ifndef PODSIM_SETTINGS_UTF8_H_
#define PODSIM_SETTINGS_UTF8_H_

#include <string>

namespace podsim {

// Whether `text` may stand in a message's string field.
bool IsUtf8(const std::string& text);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_UTF8_H_
