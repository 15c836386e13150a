#include "interconnect/topology/coordinate.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {

int IndexOf(const GridSize& grid, Coordinate place) {
  PODSIM_CHECK(place.x >= 0 && place.x < grid.x);
  PODSIM_CHECK(place.y >= 0 && place.y < grid.y);
  PODSIM_CHECK(place.z >= 0 && place.z < grid.z);
  return place.x + grid.x * (place.y + grid.y * place.z);
}

Coordinate PlaceOf(const GridSize& grid, int index) {
  PODSIM_CHECK(index >= 0 && index < grid.places());
  return {index % grid.x, index / grid.x % grid.y, index / grid.x / grid.y};
}

std::string SizeText(const GridSize& grid, bool three) {
  const std::string plane = absl::StrCat(grid.x, "x", grid.y);
  return three || grid.z > 1 ? absl::StrCat(plane, "x", grid.z) : plane;
}

std::string PlaceText(Coordinate place, bool three) {
  const std::string plane = absl::StrCat("(", place.x, ",", place.y);
  return three ? absl::StrCat(plane, ",", place.z, ")") : plane + ")";
}

}  // namespace podsim
