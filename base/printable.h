// Text of others (a peer's message, a manifest, an echoed flag) as a terminal
// may show it: nothing in it moves the cursor, colours, or reorders.
//
// Applied once, where text leaves the program: Log and Console do so, and
// whoever writes to a terminal without them should.
#ifndef PODSIM_BASE_PRINTABLE_H_
#define PODSIM_BASE_PRINTABLE_H_

#include <string>
#include <string_view>

namespace podsim {

// UTF-8 stays as it is, newlines and tabs too. What else controls a terminal
// (ESC, carriage return, C1 codes, marks of writing direction) and every byte
// that is no UTF-8 become "\x1b", byte by byte.
std::string Printable(std::string_view text);

// The same on one line: a newline becomes "\n", in two characters.
std::string PrintableLine(std::string_view text);

}  // namespace podsim

#endif  // PODSIM_BASE_PRINTABLE_H_
