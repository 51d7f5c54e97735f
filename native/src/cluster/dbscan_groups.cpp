#include "dbscan_groups.hpp"

#include <cmath>

#include "surefit/parallel.hpp"

namespace surefit::dbscan {

double scale_of(double eps, double largest) {
  int of_eps = 0, of_largest = 0;
  std::frexp(eps, &of_eps);
  std::frexp(largest, &of_largest);
  return std::ldexp(1.0, std::clamp(std::min(-of_eps, 1000 - of_largest), -1020, 1020));
}

template <class T>
void fill_blocks(const DenseRows<T>& x, double scale, int n_threads, Groups& groups) {
  const std::size_t d = groups.d, m = groups.size(), run = groups_per_task(m);
  groups.x.resize(groups.n * d + kPadding);
  groups.box.resize(2 * d * m);
  groups.tight.resize(m);
  parallel_for((m + run - 1) / run, n_threads, [&](std::size_t task, int) {
    for (std::size_t g = task * run; g < std::min(m, (task + 1) * run); ++g) {
      const std::size_t first = groups.start[g], n = groups.rows_of(g);
      double* block = groups.x.data() + first * d;
      double* low = groups.box.data() + 2 * d * g;
      for (std::size_t k = 0; k < n; ++k) {
        const T* from = x.x + std::size_t{groups.row[first + k]} * d;
        for (std::size_t j = 0; j < d; ++j) block[j * n + k] = static_cast<double>(from[j]) * scale;
      }
      for (std::size_t j = 0; j < d; ++j) {
        const auto [least, most] = std::minmax_element(block + j * n, block + (j + 1) * n);
        low[j] = *least;
        low[d + j] = *most;
      }
      groups.tight[g] = farthest(groups, g, g) <= groups.limit;
    }
  });
}

template void fill_blocks(const DenseRows<float>&, double, int, Groups&);
template void fill_blocks(const DenseRows<double>&, double, int, Groups&);

}  // namespace surefit::dbscan
