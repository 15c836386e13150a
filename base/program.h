// What every program of ours does first and last, so that it does the same
// under whatever started it.
//
//   int main(int argc, char** argv) {
//     podsim::BeginProgram();
//     ...
//     return podsim::EndProgram(code);
//   }
#ifndef PODSIM_BASE_PROGRAM_H_
#define PODSIM_BASE_PROGRAM_H_

#include <string>

#include "absl/status/status.h"

namespace podsim {

// Call first in main, before any thread starts.
// - Standard input, output and error that are closed become /dev/null, or the
//   next file opened would get their number and what is printed with it.
// - As many files may be open as the system lets this process ask for.
// - The end of a child is reported: a parent may have left SIGCHLD ignored.
// - A file that grows beyond the limit (ulimit -f) is an error of that write,
//   not the end of the process.
// - When no thread can be started or no memory be had, the program ends with
//   one line that names the limit, and exit code 1, wherever that happens.
void BeginProgram();

// What a program of a pod opens of its own, beside its links to others.
inline constexpr int kOwnFiles = 64;

// Whether this process may have so many files and sockets open at a time.
// Errors: RESOURCE_EXHAUSTED (names the limit).
absl::Status CheckOpenFiles(int needed);

// Threads that a program of a pod starts of its own and in libraries, some of
// which hang or abort where they cannot.
inline constexpr int kOwnThreads = 16;

// Whether this process may have so many threads more at a time: starts them.
// Errors: RESOURCE_EXHAUSTED (names the limit).
absl::Status CheckThreads(int needed);

// The exit code of a program whose output somebody has stopped to read, as
// head(1) does: that of one that SIGPIPE ends, as the shell has it.
inline constexpr int kReaderGone = 128 + 13;

// Flushes C++'s and C's standard output. What it could not write is said on
// standard error, and makes 1 of an exit code 0; a reader that has gone makes
// kReaderGone of it, without a word.
int EndProgram(int code);

// The limit of this process, user or container that keeps it from having
// another thread or more memory, and what to do: "ulimit -v 400000 (KiB of
// address space) ...". Empty: none that is known. Tries to fork.
std::string ExhaustedLimit();

}  // namespace podsim

#endif  // PODSIM_BASE_PROGRAM_H_
