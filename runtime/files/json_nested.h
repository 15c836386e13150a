// Fields that stand in an object of a name that there is not, {"trainer":
// {"train_steps": 4}}, where they belong beside the others. Pure.
#ifndef PODSIM_RUNTIME_FILES_JSON_NESTED_H_
#define PODSIM_RUNTIME_FILES_JSON_NESTED_H_

#include <string>

#include "runtime/files/json_error.h"
#include "runtime/files/json_scan.h"

namespace podsim {

// "; settings are not nested: write \"train_steps\": 4 beside \"topology\"" of
// a name of the outermost object that is no field; empty: its value is no
// object that holds a field of `file`.
std::string NestedFields(const JsonName& outer, const JsonFile& file);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_JSON_NESTED_H_
