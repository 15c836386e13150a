// Which build this is: processes of one pod must be of the same one.
#ifndef PODSIM_BASE_BUILD_H_
#define PODSIM_BASE_BUILD_H_

#include <string>

namespace podsim {

// Raised when messages or frames change in a way that old programs misread.
inline constexpr int kProtocolVersion = 5;

// Version, compiler and source revision: "0.1.0 g++ 12.2.0 1b8b817".
std::string BuildId();

}  // namespace podsim

#endif  // PODSIM_BASE_BUILD_H_
