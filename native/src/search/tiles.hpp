// Neighbors of many columns, Euclidean: tiles of products in single precision choose the candidates, the one formula
// (form.hpp) decides.
//
// Rows are moved to their mean, scaled by √w and a power of two, and rounded to single precision: x'. For a query a and a
// row b
//
//   s = a'·b' - ½|b'|² = ½(|a'|² - |a' - b'|²)
//
// and with u = 2^-24, A = |a'|, B ≥ |b'|, R the distance that still matters (scaled):
//
//   |a - b| ≤ R  implies  |a' - b'| ≤ R + e,    e = 2u (A + B)                                        (rounding of both)
//                implies  s ≥ ½(A² - (R + e)²) - c,   c = (d + 4) u (A B + B²)                        (sum of d terms)
//
// Rows below that threshold are not evaluated. B is the largest norm among the rows of a chunk. Queries so far outside
// that single precision cannot hold them are compared with every row by the formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/form.hpp"
#include "search/neighborhoods.hpp"
#include "surefit/aligned.hpp"
#include "surefit/rows.hpp"
#include "surefit/simd.hpp"

namespace surefit::search {

struct Tiles {
  std::size_t n = 0, d = 0;
  std::size_t panel = 0, chunk = 0;    // rows side by side; panels of a chunk, which stays in the second cache
  Aligned<float> packed;               // [panel][column][row]
  Aligned<float> offsets;              // -½|b'|², and -infinity where there is no row
  std::vector<double> norms;           // the largest |b'| of each chunk
  std::vector<double> center, factor;  // x' = (x - center) factor, for each column
  double scale = 0;                    // the power of two
};

// A group of queries, [column][query], against panels first … end - 1, until one holds a score above a query's threshold: its number, and
// the scores [query][row] and masks of that panel. Returns `end` if there is none.
struct TileScan {
  const float* queries;
  const float* packed;
  const float* offsets;
  std::size_t d, first, end;
  const float* thresholds;
  float* scores;
  std::uint64_t* masks;
};
struct TileLoops {
  std::size_t panel, group;
  std::size_t (*scan)(const TileScan&);
};
inline constexpr std::size_t kMostGroup = 8, kMostPanel = 48;

// weights may be null. Throws std::domain_error where the spread of the rows is beyond 1e±100 (and not zero).
template <class T>
Tiles build_tiles(const DenseRows<T>& rows, const double* weights, int n_threads);

// As in tree_search.hpp. rows: those the tiles were built of; queries (x null): rows first … first + n - 1 of them.
template <class T, class U>
struct TileQueries {
  DenseRows<T> rows;
  const U* x;
  std::size_t n, first;
};
template <class T, class U>
void nearest(const Tiles& tiles, const TileQueries<T, U>& queries, const Form& form, std::size_t k, bool without_self,
             int n_threads, double* distances, std::int64_t* ids);
template <class T, class U>
Neighborhoods within(const Tiles& tiles, const TileQueries<T, U>& queries, const Form& form, double radius,
                     bool without_self, bool by_distance, std::size_t most_entries, int n_threads);
template <class T, class U>
void count_within(const Tiles& tiles, const TileQueries<T, U>& queries, const Form& form, double radius, int n_threads,
                  std::int64_t* counts);

}  // namespace surefit::search

SUREFIT_TABLES(search::TileLoops, search_tile_loops)
