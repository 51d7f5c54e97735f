// Agglomerative clustering: trees of merges.
//
//   minimum_spanning_tree   single linkage: Borůvka's rounds on a k-d tree, memory linear in the rows
//   ward                    rounds of merges of reciprocal nearest clusters on a k-d tree of their centers, memory linear
//   merge_matrix            complete and average linkage on half the matrix of distances
//
// All but single linkage rest on this: for these linkages a merged cluster is no closer to a third one than the closer of
// its parts was. So two clusters that are each other's nearest stay so until they merge, whatever else merges first;
// all such pairs merge at once, and the nearest neighbor of a cluster stays its nearest as long as it exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace surefit::linkage {

// Clusters are named by their first row.
struct Merge {
  std::int32_t a, b;
  double height;
};

enum class Sum { squared, absolute };

// Edges of the minimum spanning tree by rising (value, a, b), a < b: of all trees the one that this order makes unique.
std::vector<Merge> minimum_spanning_tree(const double* x, std::size_t n, std::size_t d, Sum sum, int n_threads);

// Heights are squared: 2|A||B| / (|A| + |B|) ‖c_A − c_B‖².
std::vector<Merge> ward(const double* x, std::size_t n, std::size_t d, int n_threads);

enum class Rule { complete, average };

// distances: d(0, 1), d(0, 2), …, d(1, 2), …; used up.
std::vector<Merge> merge_matrix(double* distances, std::size_t n, Rule rule, int n_threads);

// The half matrix of distances: the square root of a sum of squares, a sum, or half a sum of squares (unit rows: cosine).
enum class Distance { euclidean, manhattan, half_squared };
void fill_matrix(const double* x, std::size_t n, std::size_t d, Distance distance, double* out, int n_threads);

// SciPy's linkage matrix, (n − 1) × 4 numbers: merges by rising height, those of one height in the order given.
// A merge must not come before those of its parts, in height or among equal heights in order.
void linkage_matrix(std::vector<Merge>& merges, std::size_t n, double* out);

}  // namespace surefit::linkage
