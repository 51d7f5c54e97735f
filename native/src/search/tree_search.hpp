// Neighbors by the k-d tree, for batches of kLeafRows queries that lie close together: a node is opened when it may hold
// a neighbor of some query of the batch, nearer nodes first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/form.hpp"
#include "search/kd_tree.hpp"
#include "search/neighborhoods.hpp"

namespace surefit::search {

// The queries: rows of their own, or (x null) rows first … first + n - 1 of the tree.
template <class T>
struct Queries {
  const T* x;
  std::size_t n, first;
};

// distances and ids: (queries.n, k), each row by (distance, id). without_self: of rows of the tree, each without itself.
template <class T>
void nearest(const KdTree& tree, const Queries<T>& queries, const Form& form, std::size_t k, bool without_self,
             int n_threads, double* distances, std::int64_t* ids);

// All rows at distance ≤ radius, those of a query by id, or by (distance, id). Throws TooMany beyond most_entries.
template <class T>
Neighborhoods within(const KdTree& tree, const Queries<T>& queries, const Form& form, double radius, bool without_self,
                     bool by_distance, std::size_t most_entries, int n_threads);

// How many rows are at distance ≤ radius (a row of the tree counts itself).
template <class T>
void count_within(const KdTree& tree, const Queries<T>& queries, const Form& form, double radius, int n_threads,
                  std::int64_t* counts);

}  // namespace surefit::search
