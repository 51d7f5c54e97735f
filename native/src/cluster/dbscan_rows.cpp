#include "dbscan_rows.hpp"

#include <cmath>
#include <span>
#include <stdexcept>

#include "dbscan_number.hpp"
#include "surefit/parallel.hpp"

namespace surefit::dbscan {
namespace {

constexpr double kFewRows = 4.5;

// Positions first … last−1.
struct Run {
  Position first, last;
  Position size() const { return last - first; }
};

// Rows sorted by large cells.
struct Sorted {
  Grid grid;
  std::vector<Position> start;  // cells + 1
  std::vector<Position> row;    // of each position
  std::vector<double> x;        // coordinate j of position p at x[j · n + p]

  std::size_t n() const { return row.size(); }
  std::size_t cells() const { return start.size() - 1; }
  Block from(Position p) const { return {x.data() + p, n()}; }
};

template <class T>
Sorted sort_rows(const DenseRows<T>& x, double scale, double eps, const State& s, int n_threads) {
  Groups groups = s.groups;
  Sorted all;
  if (!all.grid.sort(x, CellSize::large, scale, eps, n_threads, groups)) {
    throw std::logic_error("large cells cannot be numbered, though small ones can");
  }
  all.start = std::move(groups.start);
  all.row = std::move(groups.row);
  all.x.resize(x.n * x.d + kPadding);
  for (std::size_t p = 0; p < x.n; ++p) {
    const T* from = x.x + std::size_t{all.row[p]} * x.d;
    for (std::size_t j = 0; j < x.d; ++j) all.x[j * x.n + p] = static_cast<double>(from[j]) * scale;
  }
  return all;
}

// The rows that are core; the positions of a cell stay together and in their order.
Sorted core_rows(const Sorted& all, std::size_t d, const std::vector<std::uint8_t>& core) {
  Sorted some;
  std::vector<Position> kept_cells, kept;
  some.start.push_back(0);
  for (std::size_t c = 0; c < all.cells(); ++c) {
    for (Position p = all.start[c]; p < all.start[c + 1]; ++p) {
      if (core[p]) kept.push_back(p);
    }
    if (kept.size() == some.start.back()) continue;
    kept_cells.push_back(static_cast<Position>(c));
    some.start.push_back(static_cast<Position>(kept.size()));
  }
  some.grid = all.grid.with_cells(kept_cells);
  some.row.resize(kept.size());
  some.x.resize(kept.size() * d + kPadding);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    some.row[k] = all.row[kept[k]];
    for (std::size_t j = 0; j < d; ++j) some.x[j * kept.size() + k] = all.x[j * all.n() + kept[k]];
  }
  return some;
}

// body(position of a, runs of positions of b that hold its neighbors, thread) for the positions of a that are wanted.
template <class Wanted, class Body>
void each_row(const Sorted& a, const Sorted& b, bool later, int n_threads, Wanted&& wanted, Body&& body) {
  struct OfThread {
    Grid::Runs at;
    std::vector<Run> runs;
  };
  std::vector<OfThread> of_thread(static_cast<std::size_t>(n_threads));
  const std::size_t m = a.cells(), per_task = groups_per_task(m);
  parallel_for((m + per_task - 1) / per_task, n_threads, [&](std::size_t task, int thread) {
    auto& [at, runs] = of_thread[static_cast<std::size_t>(thread)];
    for (std::size_t c = task * per_task; c < std::min(m, (task + 1) * per_task); ++c) {
      bool found = false;
      for (Position p = a.start[c]; p < a.start[c + 1]; ++p) {
        if (!wanted(p)) continue;
        if (!found) {
          found = true;
          runs.clear();
          b.grid.runs(a.grid.key(c), later, at, [&](Position first, Position last) {
            runs.push_back({b.start[first], b.start[last]});
            return true;
          });
        }
        body(p, std::span<const Run>(runs), thread);
      }
    }
  });
}

// The rows near one row, and what they have in common; one for each thread.
class Around {
 public:
  explicit Around(const State& s) : s_(s), q_(s.groups.d) {}

  void move_to(const Sorted& a, Position p) {
    for (std::size_t j = 0; j < q_.size(); ++j) q_[j] = a.x[j * a.n() + p];
  }

  // Counted until there are enough.
  std::size_t count(const Sorted& b, std::span<const Run> runs, std::size_t enough) const {
    std::size_t found = 0;
    for (const Run& r : runs) {
      found += s_.near.count(b.from(r.first), r.size(), q_.data(), q_.size(), s_.groups.limit, enough - found);
      if (found >= enough) break;
    }
    return found;
  }

  // visit(position) for each.
  template <class Visit>
  void each(const Sorted& b, Run r, Visit&& visit) {
    if (near_.size() <= r.size()) near_.resize(r.size() + 1);
    const std::size_t n =
        s_.near.list(b.from(r.first), r.size(), q_.data(), q_.size(), s_.groups.limit, near_.data());
    for (std::size_t k = 0; k < n; ++k) visit(r.first + near_[k]);
  }

 private:
  const State& s_;
  std::vector<double> q_;
  std::vector<Position> near_;
};

std::vector<std::uint8_t> find_core(const Sorted& all, const State& s, const double* w, int n_threads) {
  std::vector<std::uint8_t> core(all.n());
  std::vector<Around> around(static_cast<std::size_t>(n_threads), Around(s));
  const auto enough = static_cast<std::size_t>(
      std::clamp(std::ceil(s.min_samples), 1.0, static_cast<double>(all.n()) + 1));
  const auto every = [](Position) { return true; };
  each_row(all, all, false, n_threads, every, [&](Position p, std::span<const Run> runs, int thread) {
    Around& here = around[static_cast<std::size_t>(thread)];
    here.move_to(all, p);
    if (!w) {
      core[p] = here.count(all, runs, enough) >= enough;
      return;
    }
    Sum sum;
    for (const Run& r : runs) here.each(all, r, [&](Position other) { sum.add(w[all.row[other]]); });
    core[p] = sum.value() >= s.min_samples;
  });
  return core;
}

void join_near(const Sorted& cores, const State& s, UnionFind& sets, int n_threads) {
  std::vector<Around> around(static_cast<std::size_t>(n_threads), Around(s));
  const auto every = [](Position) { return true; };
  each_row(cores, cores, true, n_threads, every, [&](Position p, std::span<const Run> runs, int thread) {
    Around& here = around[static_cast<std::size_t>(thread)];
    here.move_to(cores, p);
    for (Run r : runs) {
      r.first = std::max(r.first, p + 1);
      if (r.first < r.last) here.each(cores, r, [&](Position other) { sets.join(p, other); });
    }
  });
}

void find_borders(const Sorted& all, const std::vector<std::uint8_t>& core, const Sorted& cores,
                  const std::vector<Position>& number, const State& s, int n_threads, std::int64_t* labels) {
  std::vector<Around> around(static_cast<std::size_t>(n_threads), Around(s));
  const auto not_core = [&](Position p) { return !core[p]; };
  each_row(all, cores, false, n_threads, not_core, [&](Position p, std::span<const Run> runs, int thread) {
    Around& here = around[static_cast<std::size_t>(thread)];
    here.move_to(all, p);
    Position best = kNone;
    for (const Run& r : runs) here.each(cores, r, [&](Position other) { best = std::min(best, number[other]); });
    labels[all.row[p]] = best == kNone ? -1 : static_cast<std::int64_t>(best);
  });
}

}  // namespace

bool few_rows_to_a_cell(const Groups& small) {
  double sum = 0;
  for (std::size_t g = 0; g < small.size(); ++g) {
    sum += static_cast<double>(small.rows_of(g)) * static_cast<double>(small.rows_of(g));
  }
  return sum <= kFewRows * static_cast<double>(small.n);
}

template <class T>
std::size_t cluster_row_by_row(const DenseRows<T>& x, double scale, double eps, const State& s, const double* w,
                               int n_threads, std::int64_t* labels, std::uint8_t* core) {
  const Sorted all = sort_rows(x, scale, eps, s, n_threads);
  const std::vector<std::uint8_t> is_core = find_core(all, s, w, n_threads);
  const Sorted cores = core_rows(all, x.d, is_core);
  UnionFind sets(cores.n());
  join_near(cores, s, sets, n_threads);
  std::vector<Position> number;
  const std::size_t n_clusters = number_clusters(cores.row, sets, number, [&](auto&& visit) {
    for (Position p = 0; p < cores.n(); ++p) visit(p);
  });
  std::fill(core, core + x.n, std::uint8_t{0});
  for (Position p = 0; p < cores.n(); ++p) {
    core[cores.row[p]] = 1;
    labels[cores.row[p]] = static_cast<std::int64_t>(number[p]);
  }
  find_borders(all, is_core, cores, number, s, n_threads, labels);
  return n_clusters;
}

template std::size_t cluster_row_by_row(const DenseRows<float>&, double, double, const State&, const double*, int,
                                        std::int64_t*, std::uint8_t*);
template std::size_t cluster_row_by_row(const DenseRows<double>&, double, double, const State&, const double*, int,
                                        std::int64_t*, std::uint8_t*);

}  // namespace surefit::dbscan
