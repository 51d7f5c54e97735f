// The names of clusters.
#pragma once

#include <algorithm>
#include <vector>

#include "dbscan_groups.hpp"
#include "union_find.hpp"

namespace surefit::dbscan {

constexpr Position kNone = ~Position{0};

// Sets in the order of their lowest core row get the numbers 0, 1, …; number[position] for core rows. Returns how many.
// each_core(visit) calls visit(position) for every core position; row[position] is its row.
template <class EachCore>
std::size_t number_clusters(const std::vector<Position>& row, UnionFind& sets, std::vector<Position>& number,
                            EachCore&& each_core) {
  std::vector<Position> lowest(row.size(), kNone);
  std::vector<Position> roots;
  number.assign(row.size(), kNone);
  each_core([&](Position p) {
    const Position root = sets.find(p);
    if (lowest[root] == kNone) roots.push_back(root);
    lowest[root] = std::min(lowest[root], row[p]);
  });
  std::sort(roots.begin(), roots.end(), [&](Position a, Position b) { return lowest[a] < lowest[b]; });
  for (std::size_t c = 0; c < roots.size(); ++c) lowest[roots[c]] = static_cast<Position>(c);
  each_core([&](Position p) { number[p] = lowest[sets.find(p)]; });
  return roots.size();
}

}  // namespace surefit::dbscan
