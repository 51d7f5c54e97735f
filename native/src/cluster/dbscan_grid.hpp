// Cells of a grid, so small that two rows of a cell are neighbors: side = eps / (norm of the vector of ones), less a
// thousandth.
//
// A cell's coordinates are packed into one number, the first column highest; cells are sorted by it. The neighbors of a
// cell are then short runs of consecutive cells, one for each offset of the leading coordinates, and as the cell moves
// up the list, so does each run: no table, no hashing, d-dimensional neighbors by 5^(d−1) sliding pointers.
//
// Rounding: below 2^40 cells to a side the computed coordinate (x − low) / side is off by less than 4e-4 of a cell; the
// missing thousandth of the side and a thousandth more in the choice of offsets cover it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dbscan_groups.hpp"

namespace surefit::dbscan {

class Grid {
 public:
  // The runs of the cell that was asked for last; one for each thread.
  struct Runs {
    std::vector<Position> at;
    std::size_t cell = 0;
    bool empty = true;
  };

  // Is the shape one for a grid: few enough offsets?
  static bool suits(std::size_t d, Norm norm);

  // Sorts the rows into cells: groups.row and groups.start. False if the cells cannot be numbered in 64 bits.
  template <class T>
  bool sort(const DenseRows<T>& x, double scale, double eps, int n_threads, Groups& groups);

  // visit(cell) for the cells that may hold neighbors of a cell's rows, without itself; `later`: those of a higher
  // number alone. visit returns false to stop.
  template <class Visit>
  void neighbors(std::size_t cell, bool later, Runs& runs, Visit&& visit) const {
    seek(cell, runs);
    const std::uint64_t key = key_[cell];
    for (std::size_t o = later ? first_later_ : 0; o < offset_.size(); ++o) {
      const std::uint64_t last = key + offset_[o] + width_[o];
      for (Position at = runs.at[o]; at < key_.size() && key_[at] <= last; ++at) {
        if (at == cell || (later && at < cell)) continue;
        if (!visit(std::size_t{at})) return;
      }
    }
  }

 private:
  void seek(std::size_t cell, Runs& runs) const;
  void choose_offsets(std::size_t d, Norm norm, const std::vector<int>& shift);

  std::vector<std::uint64_t> key_;     // of each cell, ascending
  std::vector<std::uint64_t> offset_;  // of the leading coordinates, as a difference of keys, ascending
  std::vector<std::uint64_t> width_;   // cells to each side in the last coordinate
  std::size_t first_later_ = 0;        // offsets from here on are those of cells with a higher number
};

}  // namespace surefit::dbscan
