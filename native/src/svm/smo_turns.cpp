#include "smo_turns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "smo.hpp"
#include "surefit/aligned.hpp"

namespace surefit::smo {
namespace {

constexpr double kSame = 1e-14;          // gaps that differ by this share of D are one
constexpr double kRelativePivot = 1e-7;  // of Cholesky's factor, below which it is not trusted
constexpr int kRounds = 30;
constexpr int kTurns = 4;

// F = Kβ + q
void gradient(const Square& p, const double* beta, double* F) {
  std::vector<const double*> rows;
  std::vector<double> factors;
  for (std::size_t i = 0; i < p.m; ++i) {
    if (beta[i] != 0) {
      rows.push_back(p.K + i * p.m);
      factors.push_back(beta[i]);
    }
  }
  std::copy_n(p.q, p.m, F);
  SUREFIT_TABLE(smo_loops).add_twice({rows.data(), factors.data(), rows.size()}, 0, p.m, F);
}

// The gap at bias b.
double complementarity(const Square& p, const double* beta, const double* F, double b) {
  double sum = 0;
  for (std::size_t i = 0; i < p.m; ++i) {
    const double h = F[i] + b;
    sum += h > 0 ? (beta[i] - p.low[i]) * h : (p.high[i] - beta[i]) * -h;
  }
  return sum;
}

// −v where the slope Σ_{F<v} (high − β) − Σ_{F>v} (β − low) turns positive; the middle where it is zero on an interval.
double quantile(const Square& p, const double* beta, const double* F) {
  std::vector<std::size_t> order(p.m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto earlier = [&](std::size_t i, std::size_t j) { return F[i] < F[j] || (F[i] == F[j] && i < j); };
  std::sort(order.begin(), order.end(), earlier);
  double below = 0, all = 0;
  for (std::size_t i = 0; i < p.m; ++i) below += beta[i] - p.low[i];
  for (const std::size_t i : order) all += p.high[i] - p.low[i];
  const double rounding = 1e-13 * all;
  double passed = 0;
  std::size_t first = p.m - 1, last = p.m - 1;
  bool found = false;
  for (std::size_t k = 0; k < p.m; ++k) {
    passed += p.high[order[k]] - p.low[order[k]];
    if (!found && passed >= below - rounding) first = k, found = true;
    if (passed > below + rounding) {
      last = k;
      break;
    }
  }
  return -0.5 * (F[order[first]] + F[order[last]]);
}

double mean_of_free(const Square& p, const double* beta, const double* F) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < p.m; ++i) {
    if (beta[i] > p.low[i] && beta[i] < p.high[i]) sum += F[i], ++count;
  }
  return count ? -sum / static_cast<double>(count) : 0;
}

// The free entries of β and their equations; A is overwritten by its factor.
struct Free {
  std::vector<std::size_t> places;
  std::vector<double> A, first, ones;

  // A = LLᵀ, L below the diagonal; false where a pivot is not to be trusted.
  bool factorize(const Square& p) {
    const std::size_t n = places.size();
    A.resize(n * n);
    double smallest = std::numeric_limits<double>::infinity(), largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double s = p.K[places[i] * p.m + places[j]];
        for (std::size_t k = 0; k < j; ++k) s -= A[i * n + k] * A[j * n + k];
        if (j < i) {
          A[i * n + j] = s / A[j * n + j];
          continue;
        }
        if (!(s > 0)) return false;
        A[i * n + i] = std::sqrt(s);
        smallest = std::min(smallest, A[i * n + i]);
        largest = std::max(largest, A[i * n + i]);
      }
    }
    return smallest >= kRelativePivot * largest;
  }

  // x ← A⁻¹ x
  void solve(std::vector<double>& x) const {
    const std::size_t n = places.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= A[i * n + k] * x[k];
      x[i] /= A[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= A[k * n + i] * x[k];
      x[i] /= A[i * n + i];
    }
  }

  // δ of the saddle point, in `first`.
  void step(const double* F) {
    const std::size_t n = places.size();
    const double size = static_cast<double>(n);
    first.resize(n);
    ones.assign(n, 1.0);
    double mean = 0;
    for (std::size_t k = 0; k < n; ++k) mean += F[places[k]] / size;
    for (std::size_t k = 0; k < n; ++k) first[k] = F[places[k]] - mean;
    solve(first);
    solve(ones);
    const double ratio = std::accumulate(first.begin(), first.end(), 0.0) / std::accumulate(ones.begin(), ones.end(), 0.0);
    for (std::size_t k = 0; k < n; ++k) first[k] = ratio * ones[k] - first[k];
    mean = std::accumulate(first.begin(), first.end(), 0.0) / size;
    for (double& d : first) d -= mean;
  }
};

// Along `move` to the saddle point or the first bound; whether a bound was met (its entries then leave `free`).
bool moved(const Square& p, Free& free, double* beta) {
  const auto share_of = [&](std::size_t k) {
    const std::size_t i = free.places[k];
    const double d = free.first[k];
    return d > 0 ? (p.high[i] - beta[i]) / d : d < 0 ? (p.low[i] - beta[i]) / d : std::numeric_limits<double>::infinity();
  };
  double share = 1;
  bool met = false;
  for (std::size_t k = 0; k < free.places.size(); ++k) {
    if (share_of(k) < share) share = std::max(share_of(k), 0.0), met = true;
  }
  std::vector<std::size_t> inside;
  for (std::size_t k = 0; k < free.places.size(); ++k) {
    const std::size_t i = free.places[k];
    if (met && share_of(k) <= share) {
      beta[i] = free.first[k] > 0 ? p.high[i] : p.low[i];
      continue;
    }
    beta[i] = std::min(std::max(beta[i] + share * free.first[k], p.low[i]), p.high[i]);
    inside.push_back(i);
  }
  free.places = std::move(inside);
  return met;
}

// Σ β = 0 to the last digit: what rounding has left of it goes to the entry farthest from its bounds.
void balance(const Square& p, double* beta) {
  double sum = 0, lost = 0, room = 0;
  std::size_t farthest = p.m;
  for (std::size_t i = 0; i < p.m; ++i) {
    const double next = sum + beta[i];
    lost += std::abs(sum) >= std::abs(beta[i]) ? (sum - next) + beta[i] : (beta[i] - next) + sum;
    sum = next;
    const double here = std::min(beta[i] - p.low[i], p.high[i] - beta[i]);
    if (here > room) room = here, farthest = i;
  }
  if (farthest == p.m) return;
  const double value = beta[farthest] - (sum + lost);
  if (p.low[farthest] <= value && value <= p.high[farthest]) beta[farthest] = value;
}

// β with its free entries at their minimum; false where that is not to be had here.
bool at_free_minimum(const Square& p, double* beta, double* F) {
  Free free;
  for (std::size_t i = 0; i < p.m; ++i) {
    if (beta[i] > p.low[i] && beta[i] < p.high[i]) free.places.push_back(i);
  }
  for (int round = 0; round < kRounds; ++round) {
    if (free.places.size() < 2) break;
    if (free.places.size() > kMostFree || !free.factorize(p)) return false;
    free.step(F);
    const bool met = moved(p, free, beta);
    gradient(p, beta, F);
    if (!met) break;
  }
  balance(p, beta);
  gradient(p, beta, F);
  return true;
}

}  // namespace

Gap duality_gap(const Square& p, const double* beta, const double* F) {
  double value = 0;
  for (std::size_t i = 0; i < p.m; ++i) value += 0.5 * beta[i] * (F[i] + p.q[i]);
  const bool finite = std::all_of(F, F + p.m, [](double f) { return std::isfinite(f); });
  if (!finite) return {0, value, std::numeric_limits<double>::infinity()};
  Gap best{quantile(p, beta, F), value, 0};
  best.gap = complementarity(p, beta, F, best.bias);
  if (best.gap > kSame * std::abs(value)) {
    const double other = mean_of_free(p, beta, F), its = complementarity(p, beta, F, other);
    if (best.gap > its + kSame * std::abs(value)) best.bias = other, best.gap = its;
  }
  return best;
}

namespace {

// The largest F of what may fall less the smallest of what may grow, at β = 0.
double first_violation(const Square& p) {
  double grows = std::numeric_limits<double>::infinity(), falls = -grows;
  for (std::size_t i = 0; i < p.m; ++i) {
    if (p.high[i] > 0) grows = std::min(grows, p.q[i]);
    if (p.low[i] < 0) falls = std::max(falls, p.q[i]);
  }
  return std::max(falls - grows, 0.0);
}

}  // namespace

Turn turns(const Square& p, const Ends& ends, double* beta, double* F) {
  const std::size_t m = p.m;
  const Aligned<double> work(3 * m);
  for (std::size_t i = 0; i < m; ++i) work[i] = p.K[i * m + i];
  std::fill_n(beta, m, 0.0);
  std::copy_n(p.q, m, F);
  const Problem<double> problem{p.K, work.data(), p.low, p.high, beta, F, work.data() + m, work.data() + 2 * m, m};
  std::vector<double> finer(m), its_F(m);
  double eps = ends.first_share * first_violation(p);
  Turn turn{0, {}};
  for (int number = 0; number < kTurns; ++number) {
    const Outcome out = SUREFIT_TABLE(smo_loops).twice(problem, eps, ends.most - turn.steps);
    turn.steps += out.steps;
    gradient(p, beta, F);
    turn.gap = duality_gap(p, beta, F);
    std::copy_n(beta, m, finer.data());
    std::copy_n(F, m, its_F.data());
    if (at_free_minimum(p, finer.data(), its_F.data())) {
      const Gap gap = duality_gap(p, finer.data(), its_F.data());
      if (gap.gap < turn.gap.gap) {
        turn.gap = gap;
        std::copy_n(finer.data(), m, beta);
        std::copy_n(its_F.data(), m, F);
      }
    }
    const double size = std::max(std::abs(turn.gap.value), std::abs(turn.gap.gap - turn.gap.value));
    if (turn.gap.gap <= ends.rel_gap * size || turn.steps >= ends.most) break;
    eps = ends.next_share * std::max(out.violation, 0.0);
  }
  return turn;
}

}  // namespace surefit::smo
