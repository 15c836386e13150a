// The header of a .npy file: the text of a Python dict that has 'descr',
// 'fortran_order' and 'shape', in any order and with blanks where Python takes
// them. Other writers than NumPy space it as they like. Pure.
#ifndef PODSIM_HOST_INPUT_NPY_HEADER_H_
#define PODSIM_HOST_INPUT_NPY_HEADER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace podsim {

struct NpyText {
  // "<f4"; of records the whole list, "[('x', '<f4'), ('label', '<i8')]".
  std::string descr;
  bool records = false;  // descr is a list: of each element's fields
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  // each side at least 0
};

// Nothing: it is no such dict, or a side of its shape is beyond 64 bits.
std::optional<NpyText> ParseNpyText(std::string_view text);

// The name of the first field of such a list; "x" if it shows none.
std::string FirstFieldOf(std::string_view records);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_NPY_HEADER_H_
