#include "lasso.hpp"

#include <cmath>

namespace surefit::lasso {

// The best value of one entry, the others held: with h its curvature and s = h z − r, zero where |s| ≤ t, otherwise
// (s ∓ t)/h. An entry that is zero and stays so costs one comparison.
std::size_t sweeps(const double* H, double* r, double* z, const double* t, std::size_t p, std::size_t most,
                         std::size_t quiet) {
  std::size_t calm = 0, done = 0;
  while (done < most && calm < quiet) {
    bool steady = true;
    for (std::size_t j = 0; j < p; ++j) {
      const double old = z[j];
      if (old == 0 && std::fabs(r[j]) <= t[j]) continue;
      const double* row = H + j * p;
      const double s = row[j] * old - r[j];
      const double fresh = (s > t[j] ? s - t[j] : s < -t[j] ? s + t[j] : 0.0) / row[j];
      const double change = fresh - old;
      if (change == 0) continue;
      for (std::size_t i = 0; i < p; ++i) r[i] += change * row[i];
      z[j] = fresh;
      steady = steady && (t[j] == 0 || fresh * old > 0);
    }
    ++done;
    calm = steady ? calm + 1 : 0;
  }
  return done;
}

}  // namespace surefit::lasso
