// What a file is that was given in the place of another, by its first bytes and
// its name. Pure.
#ifndef PODSIM_HOST_STORAGE_FILE_KIND_H_
#define PODSIM_HOST_STORAGE_FILE_KIND_H_

#include <string>
#include <string_view>

namespace podsim {

// "an HDF5 file, as Keras writes" for the end of "it looks like"; empty: it
// looks like none that is known here.
std::string FileKind(std::string_view path, std::string_view bytes);

// The same of bytes alone that are no text; empty: they are text, or of a kind
// that is not known here.
std::string BinaryKind(std::string_view bytes);

// "it is empty; ", "it looks like an HDF5 file, as Keras writes; " or, where
// the kind is not known, `why` and "; ".
std::string InPlaceOf(std::string_view path, std::string_view bytes,
                      std::string_view why);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_FILE_KIND_H_
