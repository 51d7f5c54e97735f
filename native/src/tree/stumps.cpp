#include "tree/stumps.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "surefit/parallel.hpp"
#include "tree/stump_scan.hpp"

namespace surefit::stumps {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

inline std::size_t row_of(std::int32_t entry) { return static_cast<std::size_t>(entry < 0 ? ~entry : entry); }

// W − Σ c² / W of both sides, summed anew at every threshold.
Found scan_many(const Rows& rows, const std::int32_t* order, const double* totals, double T, double enough) {
  const std::size_t k = rows.n_classes;
  std::vector<double> left(k, 0.0);
  double L = 0, least = kInfinite;
  for (std::size_t i = 0; i < rows.n; ++i) {
    const std::size_t row = row_of(order[i]);
    left[static_cast<std::size_t>(rows.codes[row])] += rows.w[row];
    L += rows.w[row];
    const double R = T - L;
    if (order[i] >= 0 || !(L > 0) || !(R > 0)) continue;
    double squares_left = 0, squares_right = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double r = totals[c] - left[c];
      squares_left += left[c] * left[c];
      squares_right += r * r;
    }
    const double impurity = T - (squares_left / L + squares_right / R);
    if (impurity <= enough) return {impurity, i};
    least = std::min(least, impurity);
  }
  return {least, rows.n};
}

}  // namespace

template <class T>
void sort_columns(const T* columns, std::size_t n, std::size_t d, int n_threads, std::int32_t* order) {
  struct Entry {
    T value;
    std::int32_t row;
  };
  parallel_for(d, n_threads, [&](std::size_t j, int) {
    std::vector<Entry> entries(n);
    for (std::size_t i = 0; i < n; ++i) entries[i] = {columns[j * n + i], static_cast<std::int32_t>(i)};
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.value < b.value || (a.value == b.value && a.row < b.row);
    });
    std::int32_t* out = order + j * n;
    for (std::size_t i = 0; i < n; ++i) {
      const bool larger_next = i + 1 < n && entries[i].value < entries[i + 1].value;
      out[i] = larger_next ? ~entries[i].row : entries[i].row;
    }
  });
}

template void sort_columns<float>(const float*, std::size_t, std::size_t, int, std::int32_t*);
template void sort_columns<double>(const double*, std::size_t, std::size_t, int, std::int32_t*);

Split best_split(const Rows& rows, int n_threads) {
  std::vector<double> totals(std::max(rows.n_classes, kFewClasses), 0.0);
  for (std::size_t i = 0; i < rows.n; ++i) totals[static_cast<std::size_t>(rows.codes[i])] += rows.w[i];
  double T = 0, squares = 0;
  for (const double t : totals) T += t;
  for (const double t : totals) squares += t * t;
  const bool two = rows.n_classes == 2;
  std::vector<double> signed_w(two ? rows.n : 0);
  for (std::size_t i = 0; i < signed_w.size(); ++i) signed_w[i] = rows.codes[i] ? rows.w[i] : -rows.w[i];
  const ScanTable& table = SUREFIT_TABLE(stump_scan);
  const auto scan = [&](std::size_t j, double enough) {
    const std::int32_t* order = rows.order + j * rows.n;
    return two ? table.two_classes(order, rows.n, signed_w.data(), T, totals[1] - totals[0], enough)
           : rows.n_classes <= kFewClasses
               ? table.few_classes(order, rows.n, rows.codes, rows.w, totals.data(), T, enough)
               : scan_many(rows, order, totals.data(), T, enough);
  };

  std::vector<double> least(rows.d);
  const std::size_t together = two ? rows.d / kTogether : 0;  // groups of columns; then those that are left
  parallel_for(together + (rows.d - together * kTogether), n_threads, [&](std::size_t task, int) {
    const std::size_t j = task < together ? task * kTogether : task + together * (kTogether - 1);
    if (task < together) {
      table.least_of_columns(rows.order + j * rows.n, rows.n, signed_w.data(), T, totals[1] - totals[0], &least[j]);
    } else {
      least[j] = scan(j, -kInfinite).least;
    }
  });
  const double best = rows.d ? *std::min_element(least.begin(), least.end()) : kInfinite;
  if (best == kInfinite) return {};
  const double enough = best + kTie * std::max(T - squares / T, 0.0);
  for (std::size_t j = 0; j < rows.d; ++j) {
    if (least[j] <= enough) return {static_cast<std::int64_t>(j), static_cast<std::int64_t>(scan(j, enough).place)};
  }
  return {};
}

}  // namespace surefit::stumps
