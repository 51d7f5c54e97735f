// Cells of a grid, for rows that have their neighbors near them.
//
// Small cells: two rows of a cell are neighbors; side = eps / (norm of the vector of ones), less a thousandth.
// Large cells: the neighbors of a row are in its cell and those around it; side = eps and two thousandths more.
//
// A cell's coordinates are packed into one number, the first column highest; cells are sorted by it. The neighbors of a
// cell are then short runs of consecutive cells, one for each offset of the leading coordinates, and as the cell moves
// up the list, so does each run: no table, no hashing, d-dimensional neighbors by 5^(d−1) or 3^(d−1) sliding pointers.
//
// Rounding: below 2^40 cells to a side the computed coordinate (x − low) / side is off by less than 4e-4 of a cell; the
// thousandths in the side and one more in the choice of offsets cover it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dbscan_groups.hpp"

namespace surefit::dbscan {

enum class CellSize { small, large };

class Grid {
 public:
  // The runs of the key that was asked for last; one for each thread.
  struct Runs {
    std::vector<Position> at;
    std::uint64_t key = 0;
    bool empty = true;
  };

  // Is the shape one for a grid: few enough offsets?
  static bool suits(std::size_t d, Norm norm);

  // Sorts the rows into cells: groups.row and groups.start. False if the cells cannot be numbered in 64 bits.
  template <class T>
  bool sort(const DenseRows<T>& x, CellSize size, double scale, double eps, int n_threads, Groups& groups);

  // The same grid without the cells that are not kept.
  Grid with_cells(const std::vector<Position>& kept) const;

  std::uint64_t key(std::size_t cell) const { return key_[cell]; }

  // visit(first, last) for runs of cells first … last−1 that together hold all neighbors of the rows of the cell with
  // this key (which need not be one of the grid's), in the order of their numbers. `later`: runs that begin after it,
  // and the one that it is in. visit returns false to stop.
  template <class Visit>
  void runs(std::uint64_t key, bool later, Runs& runs, Visit&& visit) const {
    seek(key, runs);
    for (std::size_t o = later ? first_later_ : 0; o < offset_.size(); ++o) {
      const std::uint64_t end = key + offset_[o] + width_[o];
      Position last = runs.at[o];
      while (last < key_.size() && key_[last] <= end) ++last;
      if (last > runs.at[o] && !visit(runs.at[o], last)) return;
    }
  }

  // visit(cell) for the cells that may hold neighbors of a cell's rows, without itself; `later`: those of a higher
  // number alone. visit returns false to stop.
  template <class Visit>
  void neighbors(std::size_t cell, bool later, Runs& runs, Visit&& visit) const {
    this->runs(key_[cell], later, runs, [&](Position first, Position last) {
      for (std::size_t at = later ? std::max<std::size_t>(first, cell + 1) : first; at < last; ++at) {
        if (at != cell && !visit(at)) return false;
      }
      return true;
    });
  }

 private:
  void seek(std::uint64_t key, Runs& runs) const;
  void choose_offsets(std::size_t d, Norm norm, double reach, const std::vector<int>& shift);

  std::vector<std::uint64_t> key_;     // of each cell, ascending
  std::vector<std::uint64_t> offset_;  // of the leading coordinates, as a difference of keys, ascending
  std::vector<std::uint64_t> width_;   // cells to each side in the last coordinate
  std::size_t first_later_ = 0;        // offsets from here on are those of cells with a higher number
};

}  // namespace surefit::dbscan
