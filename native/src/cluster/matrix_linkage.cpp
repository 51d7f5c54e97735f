// Complete and average linkage on half the matrix of distances, in place.
//
// A round finds the nearest cluster of each in one pass over the matrix, merges all pairs that are each other's nearest,
// and writes the smaller matrix over the old one, row after row: a row of the new matrix needs no old row before its
// own, and never reaches beyond it. Where few pairs are, the nearest-neighbor chain goes on instead.
#include <algorithm>
#include <cstddef>
#include <limits>

#include "cluster/linkage.hpp"
#include "cluster/linkage_search.hpp"
#include "cluster/matrix_loops.hpp"
#include "surefit/aligned.hpp"
#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::linkage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kFewPairs = 24;   // less than one pair in so many clusters: the chain is faster
constexpr std::size_t kRowsOfTask = 16;
constexpr std::size_t kRowsAtOnce = 128;

// d(i, j) is at row(i)[j], i < j.
struct HalfMatrix {
  double* numbers;
  std::size_t m;
  double* row(std::size_t i) const {
    const auto si = static_cast<std::ptrdiff_t>(i), sm = static_cast<std::ptrdiff_t>(m);
    return numbers + si * (2 * sm - si - 1) / 2 - si - 1;
  }
  double& at(std::size_t i, std::size_t j) const { return i < j ? row(i)[j] : row(j)[i]; }
};

struct Nearest {
  std::vector<double> value;
  std::vector<std::int64_t> partner;
  explicit Nearest(std::size_t m) : value(m, kInfinity), partner(m, -1) {}
};

class MatrixLinkage {
 public:
  MatrixLinkage(double* distances, std::size_t n, Rule rule, int n_threads)
      : d_{distances, n}, rule_(rule), n_threads_(n_threads), size_(n, 1.0), height_(n, 0.0), first_(n) {
    for (std::size_t i = 0; i < n; ++i) first_[i] = static_cast<std::int32_t>(i);
  }

  std::vector<Merge> run() {
    while (d_.m > 1) {
      if (round() * kFewPairs < d_.m) chain(std::max<std::size_t>(1, d_.m / 8));
    }
    return std::move(merges_);
  }

 private:
  double combine(double x, double nx, double y, double ny) const {
    return rule_ == Rule::complete ? std::max(x, y) : x + (y - x) * (ny / (nx + ny));
  }

  void record(std::size_t a, std::size_t b, double value) {
    height_[a] = std::max({value, height_[a], height_[b]});
    merges_.push_back({first_[a], first_[b], height_[a]});
  }

  // The nearest of every cluster, the first of equally near ones.
  Nearest find_nearest() const {
    const std::size_t m = d_.m;
    const auto scan = SUREFIT_TABLE(matrix_loops).nearest;
    const int n_threads = threads_for(0.5 * m * m, n_threads_);
    PerThread<Nearest> own(n_threads);
    Nearest out(m);
    const std::size_t n_tasks = (m + kRowsOfTask - 1) / kRowsOfTask;
    parallel_for(n_tasks, n_threads, [&](std::size_t task, int thread) {
      Nearest& columns = own.of(thread, m);
      for (std::size_t i = task * kRowsOfTask; i < std::min(m, (task + 1) * kRowsOfTask); ++i) {
        const double* row = d_.row(i);
        const double least = scan(row, static_cast<std::int64_t>(i), m, columns.value.data(), columns.partner.data());
        std::size_t j = i + 1;
        while (j < m && row[j] != least) ++j;
        if (j < m) out.value[i] = least, out.partner[i] = static_cast<std::int64_t>(j);
      }
    });
    for (int t = 0; t < n_threads; ++t) {
      const Nearest& columns = own.of(t, m);
      for (std::size_t j = 0; j < m; ++j) {
        const bool nearer = columns.value[j] < out.value[j];
        if (columns.partner[j] >= 0 && (nearer || (columns.value[j] == out.value[j] && columns.partner[j] < out.partner[j]))) {
          out.value[j] = columns.value[j];
          out.partner[j] = columns.partner[j];
        }
      }
    }
    return out;
  }

  std::size_t round() {
    const Nearest nearest = find_nearest();
    const std::size_t m = d_.m;
    std::vector<std::int32_t> mate(m, -1);
    std::size_t n_pairs = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const auto j = static_cast<std::size_t>(nearest.partner[i]);
      if (j > i && nearest.partner[j] == static_cast<std::int64_t>(i)) {
        mate[i] = static_cast<std::int32_t>(j);
        record(i, j, nearest.value[i]);
        ++n_pairs;
      }
    }
    std::vector<bool> gone(m, false);
    for (std::size_t i = 0; i < m; ++i) {
      if (mate[i] >= 0) gone[mate[i]] = true;
    }
    shrink(mate, gone);
    return n_pairs;
  }

  // The matrix of what is left: cluster i is merged with mate[i] > i, if it has one; `gone` are mates and the dead.
  void shrink(const std::vector<std::int32_t>& mate, const std::vector<bool>& gone) {
    const std::size_t m = d_.m;
    std::vector<std::int32_t> kept;
    for (std::size_t i = 0; i < m; ++i) {
      if (!gone[i]) kept.push_back(static_cast<std::int32_t>(i));
    }
    const HalfMatrix smaller{d_.numbers, kept.size()};
    const int n_threads = threads_for(0.5 * m * kept.size(), n_threads_);
    PerThread<std::vector<double>> own(n_threads);
    std::vector<double> rows(kRowsAtOnce * kept.size());
    const std::vector<Pair> pairs = pairs_of(kept, mate);
    for (std::size_t start = 0; start < kept.size(); start += kRowsAtOnce) {
      const std::size_t end = std::min(kept.size(), start + kRowsAtOnce);
      parallel_for(end - start, n_threads, [&](std::size_t task, int thread) {
        std::vector<double>& old = own.of(thread, m);
        new_row(start + task, kept, mate, pairs, old.data(), rows.data() + task * kept.size());
      });
      for (std::size_t r = start; r < end; ++r) {
        const double* from = rows.data() + (r - start) * kept.size();
        std::copy(from + r + 1, from + kept.size(), smaller.row(r) + r + 1);
      }
    }
    for (std::size_t r = 0; r < kept.size(); ++r) {
      const auto i = static_cast<std::size_t>(kept[r]);
      size_[r] = size_[i] + (mate[i] < 0 ? 0.0 : size_[mate[i]]);
      first_[r] = first_[i];
      height_[r] = height_[i];
    }
    d_.m = kept.size();
  }

  struct Pair {
    std::uint32_t s, e, f;  // new cluster s is made of e and f
    double share;           // of f in its size
  };
  std::vector<Pair> pairs_of(const std::vector<std::int32_t>& kept, const std::vector<std::int32_t>& mate) const {
    std::vector<Pair> pairs;
    for (std::size_t s = 0; s < kept.size(); ++s) {
      const std::int32_t e = kept[s], f = mate[e];
      if (f < 0) continue;
      pairs.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(e), static_cast<std::uint32_t>(f),
                       size_[f] / (size_[e] + size_[f])});
    }
    return pairs;
  }

  // Row r of the smaller matrix: first to all old clusters after its own (`old`), then to the new ones.
  void new_row(std::size_t r, const std::vector<std::int32_t>& kept, const std::vector<std::int32_t>& mate,
               const std::vector<Pair>& pairs, double* old, double* out) const {
    const auto a = static_cast<std::size_t>(kept[r]);
    const double* to = d_.row(a);
    if (mate[a] >= 0) {
      const auto b = static_cast<std::size_t>(mate[a]);
      const double share = size_[b] / (size_[a] + size_[b]);
      const double* column = d_.row(a) + b;  // d(x, b) for x = a, then x + 1 …
      for (std::size_t x = a + 1; x < b; ++x) {
        column += d_.m - x - 1;
        old[x] = rule_ == Rule::complete ? std::max(to[x], *column) : to[x] + (*column - to[x]) * share;
      }
      const MatrixLoops& loops = SUREFIT_TABLE(matrix_loops);
      if (rule_ == Rule::complete) {
        loops.larger(to, d_.row(b), b + 1, d_.m, old);
      } else {
        loops.between(to, d_.row(b), share, b + 1, d_.m, old);
      }
      to = old;
    }
    for (std::size_t s = r + 1; s < kept.size(); ++s) out[s] = to[kept[s]];
    const auto after = std::upper_bound(pairs.begin(), pairs.end(), r, [](std::size_t row, const Pair& p) { return row < p.s; });
    if (rule_ == Rule::complete) {
      for (auto p = after; p != pairs.end(); ++p) out[p->s] = std::max(out[p->s], to[p->f]);
    } else {
      for (auto p = after; p != pairs.end(); ++p) out[p->s] += (to[p->f] - out[p->s]) * p->share;
    }
  }

  // So many merges by the chain. Each step goes to a strictly nearer cluster, or back: it ends.
  void chain(std::size_t n_merges) {
    std::vector<bool> gone(d_.m, false);
    std::vector<std::size_t> path;
    std::size_t lowest = 0;
    for (std::size_t made = 0; made < n_merges && made + 1 < d_.m;) {
      parallel_for(1, 1, [&](std::size_t, int) {  // looks for signals
        for (std::size_t i = 0; i < 64 && made < n_merges && made + 1 < d_.m; ++i) {
          while (gone[lowest]) ++lowest;
          made += step(path, gone, lowest);
        }
      });
    }
    shrink(std::vector<std::int32_t>(d_.m, -1), gone);
  }

  bool step(std::vector<std::size_t>& path, std::vector<bool>& gone, std::size_t lowest) {
    if (path.empty()) path.push_back(lowest);
    const std::size_t m = d_.m, tip = path.back(), back = path.size() > 1 ? path[path.size() - 2] : m;
    std::size_t best = back;
    double value = back < m ? d_.at(tip, back) : kInfinity;
    const auto see = [&](std::size_t j, double v) {
      if (v < value || best == m) {
        if (gone[j]) return;
        best = j;
        value = v;
      }
    };
    for (std::size_t j = 0; j < tip; ++j) see(j, d_.row(j)[tip]);
    const double* row = d_.row(tip);
    for (std::size_t j = tip + 1; j < m; ++j) see(j, row[j]);
    if (best != back) {
      path.push_back(best);
      return false;
    }
    path.resize(path.size() - 2);
    const auto [a, b] = std::minmax(tip, best);
    record(a, b, value);
    for (std::size_t x = 0; x < m; ++x) {
      if (x == a || x == b || gone[x]) continue;
      double& to_a = d_.at(a, x);
      to_a = combine(to_a, size_[a], d_.at(b, x), size_[b]);
    }
    size_[a] += size_[b];
    gone[b] = true;
    return true;
  }

  HalfMatrix d_;
  Rule rule_;
  int n_threads_;
  std::vector<double> size_, height_;
  std::vector<std::int32_t> first_;
  std::vector<Merge> merges_;
};

}  // namespace

std::vector<Merge> merge_matrix(double* distances, std::size_t n, Rule rule, int n_threads) {
  return MatrixLinkage(distances, n, rule, n_threads).run();
}

void fill_matrix(const double* x, std::size_t n, std::size_t d, Distance distance, double* out, int n_threads) {
  const std::size_t n_slots = (n + kBlock - 1) / kBlock * kBlock;
  Aligned<double> points(n_slots * d);
  for (std::size_t i = 0; i < n; ++i) {
    double* block = points.data() + i / kBlock * kBlock * d + i % kBlock;
    for (std::size_t k = 0; k < d; ++k) block[k * kBlock] = x[i * d + k];
  }
  const MatrixLoops& loops = SUREFIT_TABLE(matrix_loops);
  const auto fill = distance == Distance::euclidean   ? loops.euclidean
                    : distance == Distance::manhattan ? loops.manhattan
                                                      : loops.half_squared;
  const HalfMatrix half{out, n};
  parallel_for((n + kRowsOfTask - 1) / kRowsOfTask, n_threads, [&](std::size_t task, int) {
    for (std::size_t i = task * kRowsOfTask; i < std::min(n, (task + 1) * kRowsOfTask); ++i) {
      fill(x + i * d, points.data(), i + 1, n, d, half.row(i));
    }
  });
}

}  // namespace surefit::linkage
