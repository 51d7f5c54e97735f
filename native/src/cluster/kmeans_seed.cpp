// Canonical order and seeding.
//
// Rows are ordered by a hash of their contents, so that what is drawn by cumulative weight in that order depends on the
// set of weighted rows alone: not on how the rows were shuffled, nor on whether a row came twice or with weight two.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "cluster/kmeans.hpp"
#include "surefit/parallel.hpp"
#include "surefit/simd.hpp"

SUREFIT_KMEANS_TABLES(baseline)
#ifdef SUREFIT_X86_LEVELS
SUREFIT_KMEANS_TABLES(v3)
SUREFIT_KMEANS_TABLES(v4)
#endif

namespace surefit::kmeans {
namespace {

constexpr std::size_t kSerialEntries = 1 << 18;
constexpr std::size_t kSingleEntries = 1 << 20;  // entries from which doubles are seeded in single precision
constexpr double kSingleShare = 1e-6;            // … as long as this share of the first potential is left

std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint64_t entry_hash(double value, std::uint64_t column) {
  return scramble(std::bit_cast<std::uint64_t>(value) + (column + 1) * 0x9E3779B97F4A7C15u);
}

template <class T>
std::uint64_t row_hash(const Dense<T>& rows, std::size_t i) {
  const T* x = rows.x + i * rows.d;
  std::uint64_t sum = 0;
  for (std::size_t j = 0; j < rows.d; ++j) sum += x[j] != T(0) ? entry_hash(x[j], j) : 0;
  return scramble(sum);
}

template <class T, class I>
std::uint64_t row_hash(const Csr<T, I>& rows, std::size_t i) {
  std::uint64_t sum = 0;
  for (I e = rows.indptr[i]; e < rows.indptr[i + 1]; ++e) {
    sum += rows.data[e] != T(0) ? entry_hash(rows.data[e], static_cast<std::uint64_t>(rows.indices[e])) : 0;
  }
  return scramble(sum);
}

template <class T>
const SeedLoops<T>& loops() {
  const T* tag = nullptr;
#ifdef SUREFIT_X86_LEVELS
  switch (level()) {
    case Level::v4: return v4::seed_loops(tag);
    case Level::v3: return v3::seed_loops(tag);
    default: break;
  }
#endif
  return baseline::seed_loops(tag);
}

// Distances of the rows of one leaf to the trials of a round: tiles for dense rows.
template <class T>
struct DenseRounds {
  const SeedLoops<T>& table = loops<T>();
  const Dense<T>& rows;
  const std::int64_t* order;
  std::size_t n, leaf, n_pad;
  T scale;
  Aligned<T> tiles, trials;
  Aligned<double> w;
  std::size_t n_trials = 0;

  DenseRounds(const Dense<T>& r, const std::int64_t* o, std::size_t count, const double* weights, std::size_t leaf_rows,
              double s, int n_threads)
      : rows(r), order(o), n(count), scale(static_cast<T>(s)) {
    const std::size_t R = table.row_tile;
    leaf = std::max<std::size_t>(1, leaf_rows / R) * R;
    n_pad = (n + R - 1) / R * R;
    tiles.reset(n_pad * rows.d, false);
    w.reset(n_pad);
    for (std::size_t i = 0; i < n; ++i) w[i] = weights ? weights[i] : 1.0;
    parallel_for((n + leaf - 1) / leaf, n_threads, [&](std::size_t l, int) {
      table.pack(rows, order, l * leaf, std::min(n, (l + 1) * leaf), scale, tiles.data() + l * leaf * rows.d);
    });
  }
  void set_trials(const std::size_t* at, std::size_t count) {
    n_trials = count;
    if (trials.size() < count * rows.d) trials.reset(count * rows.d);
    for (std::size_t t = 0; t < count; ++t) {
      const T* x = rows.x + static_cast<std::size_t>(order[at[t]]) * rows.d;
      for (std::size_t j = 0; j < rows.d; ++j) trials[t * rows.d + j] = x[j] * scale;
    }
  }
  void round(std::size_t lo, std::size_t hi, T* nearest, const T* chosen, T* distances, double* potential) const {
    const SeedRows<T> kept{n, rows.d, table.row_tile, tiles.data(), w.data()};
    table.round(kept, lo, hi, trials.data(), n_trials, nearest, chosen, distances, n_pad, potential);
  }
};

// CSR: ‖x‖² − 2 x·c + ‖c‖², each product summed entry by entry in the same order, so that equal rows are at distance 0.
template <class T, class I>
struct CsrRounds {
  const Csr<T, I>& rows;
  const std::int64_t* order;
  std::size_t n, leaf, n_pad;
  T scale;
  Aligned<T> trials;  // (d, n_trials)
  Aligned<double> w;
  std::vector<double> trial_norm;
  std::size_t n_trials = 0;

  CsrRounds(const Csr<T, I>& r, const std::int64_t* o, std::size_t count, const double* weights, std::size_t leaf_rows,
            double s, int)
      : rows(r), order(o), n(count), leaf(leaf_rows), n_pad(count), scale(static_cast<T>(s)), w(count) {
    for (std::size_t i = 0; i < n; ++i) w[i] = weights ? weights[i] : 1.0;
  }
  double sq_norm(std::size_t i) const {
    double sum = 0;
    for (I e = rows.indptr[i]; e < rows.indptr[i + 1]; ++e) {
      const double v = rows.data[e] * scale;
      sum += v * v;
    }
    return sum;
  }
  void set_trials(const std::size_t* at, std::size_t count) {
    n_trials = count;
    trials.reset(count * rows.d);
    trial_norm.assign(count, 0.0);
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t i = static_cast<std::size_t>(order[at[t]]);
      for (I e = rows.indptr[i]; e < rows.indptr[i + 1]; ++e) {
        trials[static_cast<std::size_t>(rows.indices[e]) * count + t] += rows.data[e] * scale;
      }
      trial_norm[t] = sq_norm(i);
    }
  }
  void round(std::size_t lo, std::size_t hi, T* nearest, const T* chosen, T* distances, double* potential) const {
    std::vector<double> dot(n_trials);
    std::fill_n(potential, n_trials, 0.0);
    for (std::size_t at = lo; at < hi; ++at) {
      if (chosen && chosen[at] < nearest[at]) nearest[at] = chosen[at];
      const std::size_t i = static_cast<std::size_t>(order[at]);
      std::fill(dot.begin(), dot.end(), 0.0);
      for (I e = rows.indptr[i]; e < rows.indptr[i + 1]; ++e) {
        const double v = rows.data[e] * scale;
        const T* column = trials.data() + static_cast<std::size_t>(rows.indices[e]) * n_trials;
        for (std::size_t t = 0; t < n_trials; ++t) dot[t] += v * column[t];
      }
      const double norm = sq_norm(i);
      for (std::size_t t = 0; t < n_trials; ++t) {
        const T sq = static_cast<T>(std::max(0.0, (norm - dot[t]) + (trial_norm[t] - dot[t])));
        distances[t * n_pad + at] = sq;
        potential[t] += w[at] * std::min(sq, nearest[at]);
      }
    }
  }
};

// The position where the cumulative mass passes share·total: first the leaf, then the row. mass(i) ≥ 0.
template <class Mass>
std::size_t draw(double share, const std::vector<double>& leaf_mass, std::size_t leaf, std::size_t n, Mass&& mass) {
  double total = 0;
  for (double m : leaf_mass) total += m;
  double target = share * total;
  std::size_t last = 0, l = 0;
  for (; l < leaf_mass.size(); ++l) {
    if (leaf_mass[l] > 0) last = l;
    if (target < leaf_mass[l]) break;
    target -= leaf_mass[l];
  }
  if (l == leaf_mass.size()) {  // rounding carried the target past the end
    l = last;
    target = std::numeric_limits<double>::infinity();
  }
  std::size_t found = l * leaf;
  double sum = 0;
  for (std::size_t i = l * leaf; i < std::min(n, (l + 1) * leaf); ++i) {
    const double m = mass(i);
    if (m > 0) found = i;
    sum += m;
    if (target < sum) break;
  }
  return found;
}

template <class T, class Rounds>
double seed_rows(Rounds& rounds, std::size_t k, std::size_t n_trials, const double* uniform, Seeding seeding,
                 int n_threads, std::int64_t* chosen_out, double* first_potential = nullptr) {
  const std::size_t n = rounds.n, leaf = rounds.leaf, n_pad = rounds.n_pad, n_leaves = (n + leaf - 1) / leaf;
  if (seeding == Seeding::farthest) n_trials = 1;
  Aligned<T> nearest(n_pad), distances;
  distances.reset(n_pad * n_trials, false);
  std::fill_n(nearest.data(), n_pad, std::numeric_limits<T>::max());
  std::vector<double> weight_mass(n_leaves), mass(n_leaves), potential(n_leaves * n_trials);
  for (std::size_t l = 0; l < n_leaves; ++l) {
    for (std::size_t i = l * leaf; i < std::min(n, (l + 1) * leaf); ++i) weight_mass[l] += rounds.w[i];
  }
  const auto weight_of = [&](std::size_t i) { return rounds.w[i]; };
  const T* winner = nullptr;
  const auto least = [&](std::size_t i) { return winner && winner[i] < nearest[i] ? winner[i] : nearest[i]; };

  std::vector<std::size_t> trial(n_trials);
  struct Far {
    T sq_dist;
    std::size_t at;
  };
  std::vector<Far> far(n_leaves);
  double best_potential = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const std::size_t count = c == 0 ? 1 : n_trials;
    if (c == 0 || !(best_potential > 0)) {  // the first, or every row is a centre already
      const double* u = c == 0 ? uniform : uniform + 1 + (c - 1) * n_trials;
      for (std::size_t t = 0; t < count; ++t) trial[t] = draw(u[t], weight_mass, leaf, n, weight_of);
    } else if (seeding == Seeding::farthest) {
      trial[0] = std::max_element(far.begin(), far.end(), [](const Far& a, const Far& b) {
                   return a.sq_dist < b.sq_dist;
                 })->at;
    } else {
      const double* u = uniform + 1 + (c - 1) * n_trials;
      for (std::size_t t = 0; t < count; ++t) {
        trial[t] = draw(u[t], mass, leaf, n, [&](std::size_t i) { return rounds.w[i] * double(least(i)); });
      }
    }
    rounds.set_trials(trial.data(), count);
    parallel_for(n_leaves, n_threads, [&](std::size_t l, int) {
      rounds.round(l * leaf, std::min(n, (l + 1) * leaf), nearest.data(), winner, distances.data(),
                   potential.data() + l * n_trials);
      if (seeding != Seeding::farthest) return;
      Far top{T(-1), l * leaf};
      for (std::size_t i = l * leaf; i < std::min(n, (l + 1) * leaf); ++i) {
        const T sq = std::min(nearest[i], distances[i]);
        if (sq > top.sq_dist && rounds.w[i] > 0) top = {sq, i};
      }
      far[l] = top;
    });
    std::size_t best = 0;
    for (std::size_t t = 0; t < count; ++t) {
      double total = 0;
      for (std::size_t l = 0; l < n_leaves; ++l) total += potential[l * n_trials + t];
      if (t == 0 || total < best_potential) {
        best = t;
        best_potential = total;
      }
    }
    for (std::size_t l = 0; l < n_leaves; ++l) mass[l] = potential[l * n_trials + best];
    winner = distances.data() + best * n_pad;
    chosen_out[c] = static_cast<std::int64_t>(trial[best]);
    if (c == 0 && first_potential) *first_potential = best_potential;
  }
  return best_potential;
}

// Rounds over large data wait for memory, and chances need no sixteen digits: rows about the first one in canonical order,
// rounded to single precision, halve the wait. Where so little potential is left that rounding might show (or all
// centres but one are far away, so that rows lie close together at a distance), the answer is refused.
bool seed_in_single(const Dense<double>& rows, const std::int64_t* order, std::size_t n, const double* w,
                    std::size_t k, std::size_t n_trials, const double* uniform, double scale, Seeding seeding,
                    std::size_t leaf_rows, int n_threads, std::int64_t* chosen, double* potential) {
  const std::size_t d = rows.d, n_tasks = (n + leaf_rows - 1) / leaf_rows;
  const double* origin = rows.x + static_cast<std::size_t>(order[0]) * d;
  const auto entry = [&](std::size_t i, std::size_t j) {
    return (rows.x[static_cast<std::size_t>(order[i]) * d + j] - origin[j]) * scale;
  };
  std::vector<double> reach(n_tasks);
  parallel_for(n_tasks, n_threads, [&](std::size_t task, int) {
    for (std::size_t i = task * leaf_rows; i < std::min(n, (task + 1) * leaf_rows); ++i) {
      for (std::size_t j = 0; j < d; ++j) reach[task] = std::max(reach[task], std::abs(entry(i, j)));
    }
  });
  const double most = *std::max_element(reach.begin(), reach.end());
  if (!(most > 0) || !std::isfinite(most)) return false;
  const double unit = std::ldexp(1.0, -std::ilogb(most));
  Aligned<float> single, tail;
  single.reset(n * d, false);
  parallel_for(n_tasks, n_threads, [&](std::size_t task, int) {
    for (std::size_t i = task * leaf_rows; i < std::min(n, (task + 1) * leaf_rows); ++i) {
      for (std::size_t j = 0; j < d; ++j) single[i * d + j] = static_cast<float>(entry(i, j) * unit);
    }
  });
  std::vector<std::int64_t> in_order(n);
  for (std::size_t i = 0; i < n; ++i) in_order[i] = static_cast<std::int64_t>(i);
  const Dense<float> near = dense_rows(single.data(), n, d, tail);
  DenseRounds<float> rounds(near, in_order.data(), n, w, leaf_rows, 1.0, n_threads);
  double first = 0;
  const double left = seed_rows<float>(rounds, k, n_trials, uniform, seeding, n_threads, chosen, &first);
  *potential = left / unit / unit;
  return left > kSingleShare * first;
}

}  // namespace

template <class Rows>
void hash_rows(const Rows& rows, int n_threads, std::uint64_t* out) {
  constexpr std::size_t kRows = 4096;
  parallel_for((rows.n + kRows - 1) / kRows, rows.n * rows.d < kSerialEntries ? 1 : n_threads,
               [&](std::size_t task, int) {
                 const std::size_t hi = std::min(rows.n, (task + 1) * kRows);
                 for (std::size_t i = task * kRows; i < hi; ++i) out[i] = row_hash(rows, i);
               });
}

void order_by_hash(const std::uint64_t* hash, std::size_t n, std::int64_t* order) {
  // Hashes are spread evenly: one distribution by their leading bits leaves a few rows in each bucket.
  int bits = 0;
  while ((std::size_t{4} << bits) < n && bits < 24) ++bits;
  const auto bucket = [&](std::size_t i) { return bits ? static_cast<std::size_t>(hash[i] >> (64 - bits)) : 0; };
  std::vector<std::size_t> start((std::size_t{1} << bits) + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++start[bucket(i) + 1];
  for (std::size_t b = 1; b < start.size(); ++b) start[b] += start[b - 1];
  struct Entry {
    std::uint64_t hash;
    std::int64_t row;
    bool operator<(const Entry& o) const { return hash != o.hash ? hash < o.hash : row < o.row; }
  };
  std::vector<Entry> entries(n);
  std::vector<std::size_t> at(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < n; ++i) entries[at[bucket(i)]++] = {hash[i], static_cast<std::int64_t>(i)};
  for (std::size_t b = 0; b + 1 < start.size(); ++b) {
    if (start[b + 1] - start[b] > 1) {
      std::sort(entries.begin() + static_cast<std::ptrdiff_t>(start[b]),
                entries.begin() + static_cast<std::ptrdiff_t>(start[b + 1]));
    }
  }
  for (std::size_t i = 0; i < n; ++i) order[i] = entries[i].row;
}

template <class Rows>
double seed(const Rows& rows, const std::int64_t* order, std::size_t n, const double* w, std::size_t k,
            std::size_t n_trials, const double* uniform, double scale, Seeding seeding, std::size_t leaf_rows,
            int n_threads, std::int64_t* chosen) {
  using T = typename Rows::Scalar;
  if (n == 0 || k == 0 || n_trials == 0 || leaf_rows == 0) {
    throw std::invalid_argument("seeding needs rows, centres and trials");
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (order[i] < 0 || static_cast<std::size_t>(order[i]) >= rows.n) {
      throw std::invalid_argument("seeding: a row number is out of range");
    }
  }
  if (n * rows.d * n_trials < kSerialEntries) n_threads = 1;
  if constexpr (Rows::sparse) {
    CsrRounds rounds(rows, order, n, w, leaf_rows, scale, n_threads);
    return seed_rows<T>(rounds, k, n_trials, uniform, seeding, n_threads, chosen);
  } else {
    if constexpr (sizeof(T) == sizeof(double)) {
      double left = 0;
      if (n * rows.d >= kSingleEntries && seed_in_single(rows, order, n, w, k, n_trials, uniform, scale, seeding,
                                                         leaf_rows, n_threads, chosen, &left)) {
        return left;
      }
    }
    DenseRounds<T> rounds(rows, order, n, w, leaf_rows, scale, n_threads);
    return seed_rows<T>(rounds, k, n_trials, uniform, seeding, n_threads, chosen);
  }
}

#define SUREFIT_ROWS(R)                                                                                             \
  template void hash_rows<R>(const R&, int, std::uint64_t*);                                                        \
  template double seed<R>(const R&, const std::int64_t*, std::size_t, const double*, std::size_t, std::size_t,      \
                          const double*, double, Seeding, std::size_t, int, std::int64_t*);
using CsrF32 = Csr<float, std::int32_t>;
using CsrF64 = Csr<float, std::int64_t>;
using CsrD32 = Csr<double, std::int32_t>;
using CsrD64 = Csr<double, std::int64_t>;
SUREFIT_ROWS(Dense<float>)
SUREFIT_ROWS(Dense<double>)
SUREFIT_ROWS(CsrF32)
SUREFIT_ROWS(CsrF64)
SUREFIT_ROWS(CsrD32)
SUREFIT_ROWS(CsrD64)

}  // namespace surefit::kmeans
