#include "dbscan.hpp"

#include <cfloat>
#include <cmath>
#include <stdexcept>

#include "dbscan_core.hpp"
#include "dbscan_grid.hpp"
#include "dbscan_link.hpp"
#include "dbscan_number.hpp"
#include "dbscan_rows.hpp"
#include "dbscan_tree.hpp"

namespace surefit::dbscan {
namespace {

// body(group, thread) for every group.
template <class Body>
void each_group(const State& s, int n_threads, Body&& body) {
  const std::size_t m = s.groups.size(), run = groups_per_task(m);
  parallel_for((m + run - 1) / run, n_threads, [&](std::size_t task, int thread) {
    for (std::size_t g = task * run; g < std::min(m, (task + 1) * run); ++g) body(g, thread);
  });
}

// The neighborhoods of cells.
class Cells {
 public:
  Cells(const Grid& grid, int n_threads) : grid_(grid), runs_(static_cast<std::size_t>(n_threads)) {}

  template <class Visit>
  void around(std::size_t g, int thread, Visit&& visit) {
    grid_.neighbors(g, false, runs_[static_cast<std::size_t>(thread)], visit);
  }

  // Cells whose boxes almost meet first: they leave little to do for the others.
  void link(const State& s, Links& links, int n_threads) {
    std::vector<Touch> touch(static_cast<std::size_t>(n_threads), Touch(s.groups, s.near));
    for (const bool close : {true, false}) {
      each_group(s, n_threads, [&](std::size_t a, int thread) {
        if (s.n_core[a] == 0) return;
        const auto t = static_cast<std::size_t>(thread);
        grid_.neighbors(a, true, runs_[t], [&](std::size_t b) {
          if (!close || nearest(s.groups, a, b) <= s.groups.limit / 16) links.between(a, b, touch[t]);
          return true;
        });
      });
    }
  }

 private:
  const Grid& grid_;
  std::vector<Grid::Runs> runs_;
};

// The neighborhoods of leaves.
class Leaves {
 public:
  Leaves(const Groups& groups, const Tree& tree, int n_threads)
      : g_(groups), tree_(tree), stacks_(static_cast<std::size_t>(n_threads)) {}

  template <class Visit>
  void around(std::size_t g, int thread, Visit&& visit) {
    tree_.neighbors(g_, g, stacks_[static_cast<std::size_t>(thread)], visit, [](std::uint32_t) { return false; });
  }

  void link(const State& s, Links& links, int n_threads) {
    find_first_cores(s);
    uniform_.reset(new std::atomic<bool>[tree_.size()]());
    std::vector<Touch> touch(static_cast<std::size_t>(n_threads), Touch(s.groups, s.near));
    each_group(s, n_threads, [&](std::size_t a, int thread) {
      if (s.n_core[a] == 0) return;
      const auto t = static_cast<std::size_t>(thread);
      tree_.neighbors(
          g_, a, stacks_[t],
          [&](std::size_t b) {
            links.between(a, b, touch[t]);
            return true;
          },
          [&](std::uint32_t node) {
            if (tree_.node(node).last <= a + 1 || first_core_[node] == kNone) return true;
            return links.uniform(a) && uniform(node, links) && links.sets().together(s.first(a), first_core_[node]);
          });
    });
  }

 private:
  void find_first_cores(const State& s) {
    first_core_.assign(tree_.size(), kNone);
    for (std::size_t i = tree_.size(); i-- > 0;) {  // children come after their parent
      const Tree::Node& node = tree_.node(i);
      if (node.left == 0) {
        if (s.n_core[node.first] > 0) first_core_[i] = s.first(node.first);
      } else {
        first_core_[i] = std::min(first_core_[node.left], first_core_[node.right]);
      }
    }
  }

  // All core rows below the node are known to be in one set.
  bool uniform(std::uint32_t i, Links& links) {
    if (uniform_[i].load(std::memory_order_relaxed)) return true;
    const Tree::Node& node = tree_.node(i);
    bool one = true;
    if (node.left == 0) {
      one = links.uniform(node.first);
    } else {
      Position first = kNone;
      for (const std::uint32_t child : {node.left, node.right}) {
        if (first_core_[child] == kNone) continue;
        one = one && uniform_[child].load(std::memory_order_relaxed) &&
              (first == kNone || links.sets().together(first, first_core_[child]));
        first = first_core_[child];
      }
    }
    if (one) uniform_[i].store(true, std::memory_order_relaxed);
    return one;
  }

  const Groups& g_;
  const Tree& tree_;
  std::vector<Tree::Stack> stacks_;
  std::vector<Position> first_core_;  // by node: its lowest core position
  std::unique_ptr<std::atomic<bool>[]> uniform_;
};

// Core rows to the front of their group; they keep their order.
void core_first(State& s, std::size_t a, std::uint8_t* core, std::vector<double>& spare) {
  Groups& g = s.groups;
  const std::size_t n = g.rows_of(a), first = g.start[a];
  const auto n_core = static_cast<std::size_t>(std::count(core, core + n, std::uint8_t{1}));
  s.n_core[a] = static_cast<Position>(n_core);
  if (n_core == 0 || n_core == n) return;
  spare.resize(n);
  const auto partition = [&](auto* values) {
    std::size_t next_core = 0, next_other = n_core;
    for (std::size_t k = 0; k < n; ++k) spare[core[k] ? next_core++ : next_other++] = static_cast<double>(values[k]);
    for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<std::remove_reference_t<decltype(*values)>>(spare[k]);
  };
  for (std::size_t j = 0; j < g.d; ++j) partition(g.x.data() + first * g.d + j * n);
  partition(g.row.data() + first);
  if (s.weighted) partition(s.w.data() + first);
}

template <class Neighborhoods>
void find_core(State& s, Neighborhoods& near, int n_threads) {
  std::vector<Counting> counting(static_cast<std::size_t>(n_threads));
  std::vector<std::uint8_t> core(s.groups.n);  // rows are moved only after all are counted
  each_group(s, n_threads, [&](std::size_t a, int thread) {
    count_group(s, a, counting[static_cast<std::size_t>(thread)], core.data() + s.first(a),
                [&](std::size_t g, auto&& visit) { near.around(g, thread, visit); });
  });
  s.n_core.resize(s.groups.size());
  std::vector<std::vector<double>> spare(static_cast<std::size_t>(n_threads));
  each_group(s, n_threads, [&](std::size_t a, int thread) {
    core_first(s, a, core.data() + s.first(a), spare[static_cast<std::size_t>(thread)]);
  });
}

// The lowest cluster with a core row of group b near the point q, if it is lower than `best`.
Position lowest_near(const State& s, Links& links, const std::vector<Position>& number, std::size_t b, const double* q,
                     Position best) {
  const Groups& g = s.groups;
  const std::size_t n = s.n_core[b];
  const bool one = n > 0 && links.uniform(b);
  if (n == 0 || (one && number[s.first(b)] >= best)) return best;
  if (nearest(g.norm, g.d, q, q, g.low(b), g.high(b)) > g.limit) return best;
  for (std::size_t k = s.near.next(g.block(b), 0, n, q, g.d, g.limit); k < n;
       k = s.near.next(g.block(b), k + 1, n, q, g.d, g.limit)) {
    best = std::min(best, number[s.first(b) + k]);
    if (one) break;
  }
  return best;
}

template <class Neighborhoods>
void find_borders(const State& s, Neighborhoods& near, Links& links, const std::vector<Position>& number, int n_threads,
                  std::int64_t* labels) {
  each_group(s, n_threads, [&](std::size_t a, int thread) {
    const Groups& g = s.groups;
    const std::size_t n = g.rows_of(a), n_core = s.n_core[a];
    if (n_core == n) return;
    std::vector<double> point((n - n_core) * g.d);
    std::vector<Position> best(n - n_core, kNone);
    const Block block = g.block(a);
    const auto look_at = [&](std::size_t b) {
      for (std::size_t k = 0; k < best.size(); ++k) {
        best[k] = lowest_near(s, links, number, b, point.data() + k * g.d, best[k]);
      }
      return true;
    };
    for (std::size_t k = n_core; k < n; ++k) {
      for (std::size_t j = 0; j < g.d; ++j) point[(k - n_core) * g.d + j] = block.x[j * n + k];
    }
    look_at(a);
    near.around(a, thread, [&](std::size_t b) {
      return s.n_core[b] == 0 || nearest(g, a, b) > g.limit || look_at(b);
    });
    for (std::size_t k = n_core; k < n; ++k) {
      const Position c = best[k - n_core];
      labels[g.row[s.first(a) + k]] = c == kNone ? -1 : static_cast<std::int64_t>(c);
    }
  });
}

template <class Neighborhoods>
std::size_t solve(State& s, Neighborhoods near, int n_threads, std::int64_t* labels, std::uint8_t* core) {
  find_core(s, near, n_threads);
  Links links(s);
  each_group(s, n_threads, [&](std::size_t g, int) { links.inside(g); });
  near.link(s, links, n_threads);
  std::vector<Position> number;
  const std::size_t n_clusters = number_clusters(s.groups.row, links.sets(), number, [&](auto&& visit) {
    for (std::size_t g = 0; g < s.groups.size(); ++g) {
      for (Position p = s.first(g); p < s.first(g) + s.n_core[g]; ++p) visit(p);
    }
  });
  std::fill(core, core + s.groups.n, std::uint8_t{0});
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    for (Position p = s.first(g); p < s.first(g) + s.n_core[g]; ++p) {
      core[s.groups.row[p]] = 1;
      labels[s.groups.row[p]] = static_cast<std::int64_t>(number[p]);
    }
  }
  find_borders(s, near, links, number, n_threads, labels);
  return n_clusters;
}

void take_weights(State& s, const double* w) {
  s.weighted = w != nullptr;
  if (!w) return;
  s.w.resize(s.groups.n);
  s.total.resize(s.groups.size());
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    for (Position p = s.first(g); p < s.groups.start[g + 1]; ++p) {
      s.w[p] = w[s.groups.row[p]];
      s.negative = s.negative || s.w[p] < 0;
      s.total[g].add(s.w[p]);
    }
  }
}

}  // namespace

template <class T>
std::size_t cluster(const DenseRows<T>& x, const Problem& problem, std::int64_t* labels, std::uint8_t* core) {
  if (x.n >= kNone) throw std::invalid_argument("DBSCAN numbers rows in 32 bits: at most 4294967294 of them");
  if (x.n == 0) return 0;
  const double eps = std::min(problem.squared ? std::sqrt(problem.eps) : problem.eps, DBL_MAX);
  double largest = 0;
  for (std::size_t i = 0; i < x.n * x.d; ++i) largest = std::max(largest, std::abs(static_cast<double>(x.x[i])));
  State s;
  const double scale = scale_of(eps, largest);
  s.groups.n = x.n;
  s.groups.d = x.d;
  s.groups.norm = problem.norm;
  s.groups.limit = problem.squared ? problem.eps * scale * scale : limit_of(problem.norm, eps * scale);
  s.min_samples = problem.min_samples;
  s.near = SUREFIT_TABLE(dbscan_near).near[static_cast<int>(problem.norm)][x.d < kWrittenDimensions ? x.d : 0];
  const int n_threads = std::max(1, problem.n_threads);
  Grid grid;
  if (problem.grid && Grid::suits(x.d, problem.norm) && grid.sort(x, CellSize::small, scale, eps, n_threads, s.groups)) {
    if (few_rows_to_a_cell(s.groups)) {
      return cluster_row_by_row(x, scale, eps, s, problem.w, n_threads, labels, core);
    }
    fill_blocks(x, scale, n_threads, s.groups);
    take_weights(s, problem.w);
    return solve(s, Cells(grid, n_threads), n_threads, labels, core);
  }
  Tree tree;
  tree.sort(x, scale, n_threads, s.groups);
  fill_blocks(x, scale, n_threads, s.groups);
  take_weights(s, problem.w);
  return solve(s, Leaves(s.groups, tree, n_threads), n_threads, labels, core);
}

template std::size_t cluster(const DenseRows<float>&, const Problem&, std::int64_t*, std::uint8_t*);
template std::size_t cluster(const DenseRows<double>&, const Problem&, std::int64_t*, std::uint8_t*);

}  // namespace surefit::dbscan
