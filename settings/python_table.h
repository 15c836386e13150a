// The keywords of the Python package: python/podsim/_settings.py. Pure.
#ifndef PODSIM_SETTINGS_PYTHON_TABLE_H_
#define PODSIM_SETTINGS_PYTHON_TABLE_H_

#include <string>

namespace podsim {

// A Python module that names each flag of pod_launch, with what it means, what
// it is by default, and whether it is a switch.
std::string FormatPythonTable();

}  // namespace podsim

#endif  // PODSIM_SETTINGS_PYTHON_TABLE_H_
