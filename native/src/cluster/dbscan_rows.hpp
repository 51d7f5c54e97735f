// DBSCAN row by row, for rows that have few neighbors each.
//
// Where a small cell holds a row or two, cells decide nothing and only cost. Here rows are sorted by large cells, column
// by column, so that all neighbors of a row lie in 3^(d−1) runs of consecutive positions: the rows of a run are tried
// side by side in vectors. Three passes: the rows near each row are counted; core rows are sorted out and near pairs of
// them joined; each other row looks for the core rows near it.
#pragma once

#include "dbscan_core.hpp"
#include "dbscan_grid.hpp"

namespace surefit::dbscan {

// Do small cells hold so few rows that row by row is faster? (Σ over cells of squared rows: what a row has around it.)
bool few_rows_to_a_cell(const Groups& small);

// `s`: the problem, without rows; `w`: weights of rows or null. Labels and core rows as in `cluster`.
template <class T>
std::size_t cluster_row_by_row(const DenseRows<T>& x, double scale, double eps, const State& s, const double* w,
                               int n_threads, std::int64_t* labels, std::uint8_t* core);

}  // namespace surefit::dbscan
