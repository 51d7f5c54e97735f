// k-means++ on rows in canonical order (summaries/canonical.hpp): every draw is by cumulative mass in that order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "cluster/kmeans_rounds.hpp"

namespace surefit::kmeans {
namespace {

constexpr std::size_t kSingleEntries = 1 << 20;  // entries from which doubles are seeded in single precision
constexpr double kSingleShare = 1e-6;            // … as long as this share of the first potential is left

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

// Center after center. `nearest` lags one round behind: the distances to the last center are still in `winner_`.
template <class T, class Rounds>
class Seeder {
 public:
  Seeder(Rounds& rounds, const SeedProblem& p)
      : rounds_(rounds),
        p_(p),
        n_trials_(p.seeding == Seeding::farthest ? 1 : p.n_trials),
        n_leaves_(leaves_of(rounds.n, rounds.leaf)),
        weight_mass_(n_leaves_),
        mass_(n_leaves_),
        potential_(n_leaves_ * n_trials_),
        trial_(n_trials_),
        far_(n_leaves_) {
    nearest_.reset(rounds.n_pad, false);
    std::fill_n(nearest_.data(), rounds.n_pad, std::numeric_limits<T>::max());
    distances_.reset(rounds.n_pad * n_trials_, false);
    for (std::size_t l = 0; l < n_leaves_; ++l) {
      for (std::size_t i = l * rounds.leaf; i < end(l); ++i) weight_mass_[l] += rounds.w[i];
    }
  }

  // Returns the potential that is left; `first`: what the first center left.
  double run(std::int64_t* chosen, double& first) {
    double left = 0;
    for (std::size_t c = 0; c < p_.k; ++c) {
      const std::size_t count = c == 0 ? 1 : n_trials_;
      choose_trials(c, count, left);
      rounds_.set_trials(trial_.data(), count);
      parallel_for(n_leaves_, p_.n_threads, [&](std::size_t l, int) { round(l); });
      const std::size_t best = best_trial(count, left);
      for (std::size_t l = 0; l < n_leaves_; ++l) mass_[l] = potential_[l * n_trials_ + best];
      winner_ = distances_.data() + best * rounds_.n_pad;
      chosen[c] = static_cast<std::int64_t>(trial_[best]);
      if (c == 0) first = left;
    }
    return left;
  }

 private:
  struct Far {
    T sq_dist;
    std::size_t at;
  };

  std::size_t end(std::size_t l) const { return std::min(rounds_.n, (l + 1) * rounds_.leaf); }

  void choose_trials(std::size_t c, std::size_t count, double left) {
    const double* u = c == 0 ? p_.uniform : p_.uniform + 1 + (c - 1) * n_trials_;
    const auto weight = [&](std::size_t i) { return rounds_.w[i]; };
    const auto share = [&](std::size_t i) {
      const T least = winner_ && winner_[i] < nearest_[i] ? winner_[i] : nearest_[i];
      return rounds_.w[i] * double(least);
    };
    if (c > 0 && left > 0 && p_.seeding == Seeding::farthest) {
      const auto nearer = [](const Far& a, const Far& b) { return a.sq_dist < b.sq_dist; };
      trial_[0] = std::max_element(far_.begin(), far_.end(), nearer)->at;
      return;
    }
    for (std::size_t t = 0; t < count; ++t) {
      // the first, or every row is a center already: by weight
      trial_[t] = c == 0 || !(left > 0) ? draw(u[t], weight_mass_, rounds_.leaf, rounds_.n, weight)
                                        : draw(u[t], mass_, rounds_.leaf, rounds_.n, share);
    }
  }

  void round(std::size_t l) {
    const std::size_t lo = l * rounds_.leaf, hi = end(l);
    rounds_.round(lo, hi, nearest_.data(), winner_, distances_.data(), potential_.data() + l * n_trials_);
    if (p_.seeding != Seeding::farthest) return;
    Far top{T(-1), lo};
    for (std::size_t i = lo; i < hi; ++i) {
      const T sq = std::min(nearest_[i], distances_[i]);
      if (sq > top.sq_dist && rounds_.w[i] > 0) top = {sq, i};
    }
    far_[l] = top;
  }

  // The trial that leaves the least potential, which becomes `left`.
  std::size_t best_trial(std::size_t count, double& left) const {
    std::size_t best = 0;
    for (std::size_t t = 0; t < count; ++t) {
      double total = 0;
      for (std::size_t l = 0; l < n_leaves_; ++l) total += potential_[l * n_trials_ + t];
      if (t == 0 || total < left) {
        best = t;
        left = total;
      }
    }
    return best;
  }

  Rounds& rounds_;
  const SeedProblem& p_;
  std::size_t n_trials_, n_leaves_;
  Aligned<T> nearest_, distances_;
  std::vector<double> weight_mass_, mass_, potential_;
  std::vector<std::size_t> trial_;
  std::vector<Far> far_;
  const T* winner_ = nullptr;
};

// Rounds over large data wait for memory, and chances need no sixteen digits: rows about the first one in canonical order,
// rounded to single precision, halve the wait. Where so little potential is left that rounding might show (or all
// centers but one are far away, so that rows lie close together at a distance), the answer is refused.
bool seed_in_single(const PaddedRows<double>& rows, const SeedProblem& p, std::int64_t* chosen, double& potential) {
  const std::size_t n = p.n, d = rows.d, n_tasks = leaves_of(n, p.leaf_rows);
  const double* origin = rows.row(static_cast<std::size_t>(p.order[0])).x;
  // use(place, entry) for all entries of a task, about the origin
  const auto each = [&](std::size_t task, auto&& use) {
    for (std::size_t i = task * p.leaf_rows; i < std::min(n, (task + 1) * p.leaf_rows); ++i) {
      const double* x = rows.row(static_cast<std::size_t>(p.order[i])).x;
      for (std::size_t j = 0; j < d; ++j) use(i * d + j, (x[j] - origin[j]) * p.scale);
    }
  };
  std::vector<double> largest(n_tasks);
  parallel_for(n_tasks, p.n_threads, [&](std::size_t task, int) {
    each(task, [&](std::size_t, double v) { largest[task] = std::max(largest[task], std::abs(v)); });
  });
  const double most = *std::max_element(largest.begin(), largest.end());
  if (!(most > 0) || !std::isfinite(most)) return false;
  const double unit = std::ldexp(1.0, -std::ilogb(most));
  Aligned<float> single, tail;
  single.reset(n * d, false);
  parallel_for(n_tasks, p.n_threads, [&](std::size_t task, int) {
    each(task, [&](std::size_t place, double v) { single[place] = static_cast<float>(v * unit); });
  });
  std::vector<std::int64_t> in_order(n);
  std::iota(in_order.begin(), in_order.end(), std::int64_t{0});
  SeedProblem near = p;
  near.order = in_order.data();
  const PaddedRows<float> near_rows = padded_rows(DenseRows<float>{single.data(), n, d}, tail);
  DenseRounds<float> rounds(near_rows, near, 1.0);
  double first = 0;
  const double left = Seeder<float, DenseRounds<float>>(rounds, near).run(chosen, first);
  potential = left / unit / unit;
  return left > kSingleShare * first;
}

template <class T>
double seed_rows(const PaddedRows<T>& rows, const SeedProblem& p, std::int64_t* chosen) {
  double left = 0, first = 0;
  if constexpr (sizeof(T) == sizeof(double)) {
    if (p.n * rows.d >= kSingleEntries && seed_in_single(rows, p, chosen, left)) return left;
  }
  DenseRounds<T> rounds(rows, p, p.scale);
  return Seeder<T, DenseRounds<T>>(rounds, p).run(chosen, first);
}

template <class T, class I>
double seed_rows(const CsrRows<T, I>& rows, const SeedProblem& p, std::int64_t* chosen) {
  double first = 0;
  CsrRounds<T, I> rounds(rows, p, p.scale);
  return Seeder<T, CsrRounds<T, I>>(rounds, p).run(chosen, first);
}

}  // namespace

template <class X>
double seed(const X& rows, const SeedProblem& problem, std::int64_t* chosen) {
  SeedProblem p = problem;
  if (p.n == 0 || p.k == 0 || p.n_trials == 0 || p.leaf_rows == 0) {
    throw std::invalid_argument("seeding needs rows, centers and trials");
  }
  for (std::size_t i = 0; i < p.n; ++i) {
    if (p.order[i] < 0 || static_cast<std::size_t>(p.order[i]) >= rows.n) {
      throw std::invalid_argument("seeding: a row number is out of range");
    }
  }
  const double work = static_cast<double>(p.n) * static_cast<double>(rows.d) * static_cast<double>(p.n_trials);
  p.n_threads = threads_for(work * kScalarNs, p.n_threads);
  return seed_rows(rows, p, chosen);
}

#define SUREFIT_SEED(R) template double seed(const R&, const SeedProblem&, std::int64_t*);
SUREFIT_SEED(PaddedRows<float>)
SUREFIT_SEED(PaddedRows<double>)
SUREFIT_EACH_CSR(SUREFIT_SEED)

}  // namespace surefit::kmeans
