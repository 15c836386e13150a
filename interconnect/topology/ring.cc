// Rings over grids. The cycle keeps column 0 free for the way back:
//
//   0 > 1 > 2 > 3      row 0 goes right over the whole width,
//   ^           v      the rows below snake over columns 1, 2, ...,
//   . < 6 < 5 < 4      and column 0 leads up again. It needs an even number
//   ^   v              of rows, so that the snake ends next to column 0.
//   . < ...
#include <utility>

#include "base/status.h"
#include "interconnect/topology/grid_ring.h"
#include "interconnect/topology/slice.h"

namespace podsim {
namespace {

// Columns [first_x, grid.x) of the rows [first_y, grid.y), row after row, the
// first one to the right if `rightwards`.
void AppendSnake(const GridSize& grid, int first_x, int first_y,
                 bool rightwards, std::vector<Coordinate>& ring) {
  for (int y = first_y; y < grid.y; ++y) {
    for (int i = first_x; i < grid.x; ++i)
      ring.push_back({rightwards ? i : grid.x - 1 - (i - first_x), y});
    rightwards = !rightwards;
  }
}

std::vector<Coordinate> Snake(const GridSize& plane) {
  std::vector<Coordinate> snake;
  AppendSnake(plane, 0, 0, /*rightwards=*/true, snake);
  return snake;
}

std::vector<Coordinate> RingOverEvenRows(const GridSize& grid) {
  std::vector<Coordinate> ring;
  ring.reserve(grid.places());
  for (int x = 0; x < grid.x; ++x) ring.push_back({x, 0});
  AppendSnake(grid, 1, 1, /*rightwards=*/false, ring);
  for (int y = grid.y - 1; y > 0; --y) ring.push_back({0, y});
  return ring;
}

std::vector<Coordinate> PlaneRing(const GridSize& grid) {
  const bool wide = grid.x > 1 && grid.y > 1;
  if (wide && grid.y % 2 == 0) return RingOverEvenRows(grid);
  if (!wide || grid.x % 2 != 0) return Snake(grid);
  std::vector<Coordinate> ring = RingOverEvenRows({grid.y, grid.x});
  for (Coordinate& place : ring) std::swap(place.x, place.y);
  return ring;
}

}  // namespace

// In three axes: the snake through a plane is one axis of a new plane, z the
// other.
std::vector<Coordinate> GridRing(const GridSize& grid) {
  PODSIM_CHECK(grid.x >= 1 && grid.y >= 1 && grid.z >= 1);
  if (grid.z == 1) return PlaneRing(grid);
  const std::vector<Coordinate> snake = Snake(grid);
  std::vector<Coordinate> ring =
      PlaneRing({static_cast<int>(snake.size()), grid.z});
  for (Coordinate& place : ring) {
    const int z = place.y;
    place = snake[place.x];
    place.z = z;
  }
  return ring;
}

std::vector<int> RingOf(const GridSize& grid) {
  std::vector<int> order;
  for (const Coordinate place : GridRing(grid))
    order.push_back(IndexOf(grid, place));
  return order;
}

std::vector<int> HostRing(const Slice& slice) {
  return RingOf(slice.host_grid);
}

}  // namespace podsim
