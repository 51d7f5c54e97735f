#include "search/tree_search.hpp"

#include <bit>
#include <limits>

#include "search/leaf_loops.hpp"
#include "search/nearest_list.hpp"
#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kTaskQueries = 1024;

// Queries in the order of the leaves they fall in (`leaf`): those of a batch lie close together.
template <class T>
std::vector<std::size_t> in_leaf_order(const KdTree& tree, const Queries<T>& queries, int n_threads,
                                       std::vector<std::size_t>& leaf) {
  std::vector<std::size_t> order;
  order.reserve(queries.n);
  leaf.resize(queries.n);
  if (!queries.x) {
    for (std::size_t i = 0; i < tree.ids.size(); ++i) {
      const std::size_t q = static_cast<std::size_t>(tree.ids[i]) - queries.first;
      if (tree.ids[i] < 0 || q >= queries.n) continue;
      order.push_back(q);
      leaf[q] = i / kLeafRows;
    }
    return order;
  }
  parallel_for(leaves_of(queries.n, kTaskQueries), n_threads, [&](std::size_t task, int) {
    const std::size_t lo = task * kTaskQueries, hi = std::min(queries.n, lo + kTaskQueries);
    for (std::size_t q = lo; q < hi; ++q) leaf[q] = tree.leaf_of(queries.x + q * tree.d);
  });
  std::vector<std::size_t> start(tree.n_leaves + 1, 0);
  for (const std::size_t l : leaf) ++start[l + 1];
  for (std::size_t l = 0; l < tree.n_leaves; ++l) start[l + 1] += start[l];
  order.resize(queries.n);
  for (std::size_t q = 0; q < queries.n; ++q) order[start[leaf[q]]++] = q;
  return order;
}

// Where each row of the tree is: its leaf and place there.
std::vector<std::size_t> places_of(const KdTree& tree) {
  std::vector<std::size_t> places(tree.n);
  for (std::size_t i = 0; i < tree.ids.size(); ++i) {
    if (tree.ids[i] >= 0) places[static_cast<std::size_t>(tree.ids[i])] = i;
  }
  return places;
}

struct Frame {
  Node node;
  std::uint32_t mask;  // the queries that came so far
  alignas(64) double bounds[kLeafRows];  // of each query to the box of the node
};

// Queries side by side, and what a search through the tree needs.
struct Batch {
  explicit Batch(std::size_t d) : columns(d * kLeafRows), rows(d * kLeafRows), frames(72) {}

  std::size_t count = 0;
  Aligned<double> columns, rows;  // [column][query], [query][column]
  std::size_t query[kLeafRows];
  std::int64_t self[kLeafRows];  // the id that is left out, or -1
  std::size_t home[kLeafRows];   // the leaf a query falls in
  alignas(64) double limits[kLeafRows];
  alignas(64) double raw[kLeafRows];
  NearestList lists[kLeafRows];
  std::vector<Neighbor> found[kLeafRows];
  std::vector<Frame> frames;

  template <class Row>
  void load(std::size_t n, std::size_t d, const std::size_t* numbers, Row&& row) {
    count = n;
    for (std::size_t i = 0; i < kLeafRows; ++i) {
      const std::size_t q = numbers[i < n ? i : 0];
      query[i] = q;
      row(q, rows.data() + i * d);
      for (std::size_t j = 0; j < d; ++j) columns[j * kLeafRows + i] = rows[i * d + j];
      limits[i] = i < n ? kInfinity : -kInfinity;
    }
  }
};

// leaf(mask, leaf) for the queries that may have neighbors in it; open(mask, node) may take some of them out first.
template <class Open, class Leaf>
void descend(const KdTree& tree, const Form& form, Batch& batch, Open&& open, Leaf&& leaf) {
  const LeafLoops& loops = SUREFIT_TABLE(search_leaf_loops);
  std::size_t size = 1;
  batch.frames[0].node = tree.root();
  batch.frames[0].mask = ~0u;
  std::fill_n(batch.frames[0].bounds, kLeafRows, 0.0);
  while (size > 0) {
    Frame& top = batch.frames[--size];
    const Node node = top.node;
    const std::uint32_t mask = open(loops.below(top.bounds, batch.limits) & top.mask, node);
    if (mask == 0) continue;
    if (node.is_leaf()) {
      leaf(mask, node.first_leaf);
      continue;
    }
    const Node sides[2] = {node.left(), node.right()};
    const auto some = static_cast<std::size_t>(std::countr_zero(mask));
    const bool right_first = batch.columns[tree.column[node.number] * kLeafRows + some] > tree.split[node.number];
    for (const bool right : {!right_first, right_first}) {  // the nearer one is pushed last
      Frame& next = batch.frames[size];
      next.node = sides[right];
      next.mask = mask;
      const std::size_t number = next.node.number;
      const std::uint32_t near = loops.nearest(form, batch.columns.data(), tree.low(number), tree.high(number), tree.d,
                                               batch.limits, next.bounds);
      if (near & mask) ++size;
    }
  }
}

template <class Step>
void each_bit(std::uint32_t mask, Step&& step) {
  for (; mask != 0; mask &= mask - 1) step(static_cast<std::size_t>(std::countr_zero(mask)));
}

std::uint32_t places(std::size_t count) { return count >= 32 ? ~0u : (1u << count) - 1; }

void nearest_of_batch(const KdTree& tree, const Form& form, Batch& batch) {
  const LeafLoops& loops = SUREFIT_TABLE(search_leaf_loops);
  // A query whose worst neighbor is at distance 0 takes rows of a lower id only.
  std::uint32_t at_zero = 0;
  auto open = [&](std::uint32_t mask, const Node& node) {
    each_bit(mask & at_zero, [&](std::size_t q) {
      if (tree.first[node.number] > batch.lists[q].worst_id()) mask &= ~(1u << q);
    });
    return mask;
  };
  auto look = [&](std::size_t q, std::size_t l) {
    NearestList& list = batch.lists[q];
    double& limit = batch.limits[q];
    const std::int64_t* ids = tree.leaf_ids(l);
    const std::uint32_t close = loops.rows(form, batch.rows.data() + q * tree.d, tree.leaf(l), tree.d, limit, batch.raw);
    each_bit(close & places(tree.leaf_rows(l)), [&](std::size_t i) {
      if (!(batch.raw[i] <= limit) || ids[i] == batch.self[q]) return;
      if (list.add(finished(form, batch.raw[i]), ids[i]) && list.full()) limit = raw_limit(form, list.worst());
    });
    if (list.full() && list.worst() == 0) at_zero |= 1u << q;
  };
  for (std::size_t q = 0; q < batch.count; ++q) look(q, batch.home[q]);  // so that limits are small from the start
  descend(tree, form, batch, open, [&](std::uint32_t mask, std::size_t l) {
    each_bit(mask, [&](std::size_t q) {
      if (l != batch.home[q]) look(q, l);
    });
  });
}

void within_of_batch(const KdTree& tree, const Form& form, double radius, Batch& batch) {
  const LeafLoops& loops = SUREFIT_TABLE(search_leaf_loops);
  const double limit = raw_limit(form, radius);
  for (std::size_t q = 0; q < batch.count; ++q) batch.limits[q] = limit;
  auto leaf = [&](std::uint32_t mask, std::size_t l) {
    const std::int64_t* ids = tree.leaf_ids(l);
    const std::uint32_t filled = places(tree.leaf_rows(l));
    each_bit(mask, [&](std::size_t q) {
      each_bit(loops.rows(form, batch.rows.data() + q * tree.d, tree.leaf(l), tree.d, limit, batch.raw) & filled,
               [&](std::size_t i) {
                 const double distance = finished(form, batch.raw[i]);
                 if (distance <= radius && ids[i] != batch.self[q]) batch.found[q].push_back({distance, ids[i]});
               });
    });
  };
  descend(tree, form, batch, [](std::uint32_t mask, const Node&) { return mask; }, leaf);
}

void count_of_batch(const KdTree& tree, const Form& form, double radius, Batch& batch, std::int64_t* counts) {
  const LeafLoops& loops = SUREFIT_TABLE(search_leaf_loops);
  const double limit = raw_limit(form, radius), sure = raw_sure(form, radius);
  for (std::size_t q = 0; q < batch.count; ++q) batch.limits[q] = limit;
  auto open = [&](std::uint32_t mask, const Node& node) {
    if (mask == 0) return mask;
    const std::uint32_t all = mask & loops.farthest(form, batch.columns.data(), tree.low(node.number),
                                                    tree.high(node.number), tree.d, sure, batch.raw);
    each_bit(all, [&](std::size_t q) { counts[batch.query[q]] += static_cast<std::int64_t>(tree.rows(node)); });
    return mask & ~all;
  };
  auto leaf = [&](std::uint32_t mask, std::size_t l) {
    const std::uint32_t filled = places(tree.leaf_rows(l));
    each_bit(mask, [&](std::size_t q) {
      each_bit(loops.rows(form, batch.rows.data() + q * tree.d, tree.leaf(l), tree.d, limit, batch.raw) & filled,
               [&](std::size_t i) { counts[batch.query[q]] += finished(form, batch.raw[i]) <= radius; });
    });
  };
  descend(tree, form, batch, open, leaf);
}

// search(batch) for all queries, kLeafRows at a time.
template <class T, class Search>
void each_batch(const KdTree& tree, const Queries<T>& queries, bool without_self, int n_threads, Search&& search) {
  const std::size_t d = tree.d;
  const double log_n = static_cast<double>(std::bit_width(tree.n_leaves)) + 1;
  n_threads = threads_for(static_cast<double>(queries.n) * log_n * static_cast<double>(d + 4) * 10, n_threads);
  std::vector<std::size_t> home;
  const std::vector<std::size_t> order = in_leaf_order(tree, queries, n_threads, home);
  const std::vector<std::size_t> places = queries.x ? std::vector<std::size_t>() : places_of(tree);
  auto row = [&](std::size_t q, double* out) {
    if (queries.x) {
      for (std::size_t j = 0; j < d; ++j) out[j] = static_cast<double>(queries.x[q * d + j]);
      return;
    }
    const std::size_t place = places[queries.first + q];
    const double* leaf = tree.leaf(place / kLeafRows) + place % kLeafRows;
    for (std::size_t j = 0; j < d; ++j) out[j] = leaf[j * kLeafRows];
  };
  PerThread<Batch> batches(n_threads);
  parallel_for(leaves_of(queries.n, kLeafRows), n_threads, [&](std::size_t task, int thread) {
    Batch& batch = batches.of(thread, d);
    const std::size_t lo = task * kLeafRows;
    batch.load(std::min(kLeafRows, queries.n - lo), d, order.data() + lo, row);
    for (std::size_t i = 0; i < kLeafRows; ++i) {
      batch.self[i] = without_self ? static_cast<std::int64_t>(queries.first + batch.query[i]) : -1;
      batch.home[i] = home[batch.query[i]];
      batch.found[i].clear();
    }
    search(batch);
  });
}

}  // namespace

template <class T>
void nearest(const KdTree& tree, const Queries<T>& queries, const Form& form, std::size_t k, bool without_self,
             int n_threads, double* distances, std::int64_t* ids) {
  each_batch(tree, queries, without_self, n_threads, [&](Batch& batch) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      batch.lists[i] = NearestList(distances + batch.query[i] * k, ids + batch.query[i] * k, k);
    }
    nearest_of_batch(tree, form, batch);
    for (std::size_t i = 0; i < batch.count; ++i) batch.lists[i].sort();
  });
}

template <class T>
Neighborhoods within(const KdTree& tree, const Queries<T>& queries, const Form& form, double radius, bool without_self,
                     bool by_distance, std::size_t most_entries, int n_threads) {
  Collected collected(queries.n, most_entries);
  each_batch(tree, queries, without_self, n_threads, [&](Batch& batch) {
    within_of_batch(tree, form, radius, batch);
    for (std::size_t i = 0; i < batch.count; ++i) collected.take(batch.query[i], batch.found[i], by_distance);
  });
  return collected.joined(n_threads);
}

template <class T>
void count_within(const KdTree& tree, const Queries<T>& queries, const Form& form, double radius, int n_threads,
                  std::int64_t* counts) {
  std::fill_n(counts, queries.n, 0);
  each_batch(tree, queries, false, n_threads,
             [&](Batch& batch) { count_of_batch(tree, form, radius, batch, counts); });
}

#define SUREFIT_TREE_SEARCH(T)                                                                                       \
  template void nearest(const KdTree&, const Queries<T>&, const Form&, std::size_t, bool, int, double*,              \
                        std::int64_t*);                                                                              \
  template Neighborhoods within(const KdTree&, const Queries<T>&, const Form&, double, bool, bool, std::size_t, int); \
  template void count_within(const KdTree&, const Queries<T>&, const Form&, double, int, std::int64_t*);
SUREFIT_TREE_SEARCH(float)
SUREFIT_TREE_SEARCH(double)
#undef SUREFIT_TREE_SEARCH

}  // namespace surefit::search
