// The canonical order of rows: by a hash of their contents, so that what is drawn by cumulative weight in that order
// depends on the set of weighted rows alone: not on how the rows were shuffled, nor on whether a row came twice or with
// weight two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::canonical {

// A hash of the nonzero (column, value) pairs of each row.
template <Rows X>
void hash_rows(const X& rows, int n_threads, std::uint64_t* out);

// Row numbers by (hash, row number).
void order_by_hash(const std::uint64_t* hash, std::size_t n, std::int64_t* order);

}  // namespace surefit::canonical
