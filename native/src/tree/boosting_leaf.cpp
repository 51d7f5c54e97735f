#include "boosting_leaf.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

constexpr double kTerms[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                             1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0,
                             1.0};

using Numbers = Vec<double>;
typedef long long Wholes __attribute__((vector_size(kVectorBytes)));
constexpr std::size_t kWide = kLanes<double>;

// e^−a for 0 ≤ a ≤ 700 to about an ulp: −a = k log 2 + r with |r| ≤ ½ log 2, e^r by its series, 2^k by its bits.
SUREFIT_INLINE Numbers exp_minus(Numbers a) {
  constexpr double kLog2Hi = 6.93147180369123816490e-01, kLog2Lo = 1.90821492927058770002e-10;
  constexpr double kMagic = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to a whole number
  constexpr long long kMagicBits = __builtin_bit_cast(long long, kMagic);
  const Numbers shifted = a * -1.44269504088896338700 + kMagic;
  const Numbers k = shifted - kMagic;
  const Numbers r = (-a - k * kLog2Hi) - k * kLog2Lo;
  Numbers p = splat(kTerms[0]);
  for (int i = 1; i < 13; ++i) p = p * r + kTerms[i];
  return p * (Numbers)(((Wholes)shifted - (kMagicBits - 1023)) << 52);
}

SUREFIT_INLINE void logistic_lanes(const double* raw, const double* y, double* gradient, double* hessian,
                                   double* factor, double* linear) {
  const Numbers zero{}, sign = 1.0 - 2.0 * load(y);  // y is 0 or 1
  const Numbers u = sign * load(raw);
  const Numbers a = u < zero ? -u : u;
  const Numbers e = exp_minus(a < 700.0 ? a : splat(700.0));
  const Numbers q = 1.0 / (1.0 + e), small = e * q;
  store(gradient, sign * (u > zero ? q : small));
  store(hessian, small * q);
  store(factor, 1.0 + e);
  store(linear, u > zero ? u : zero);
}

void logistic(const double* raw, const double* y, std::size_t n, double* gradient, double* hessian, double* factor,
              double* linear) {
  std::size_t i = 0;
  for (; i + kWide <= n; i += kWide) {
    logistic_lanes(raw + i, y + i, gradient + i, hessian + i, factor + i, linear + i);
  }
  if (i == n) return;
  double in[2][kWide] = {}, out[4][kWide];
  for (std::size_t l = 0; i + l < n; ++l) {
    in[0][l] = raw[i + l];
    in[1][l] = y[i + l];
  }
  logistic_lanes(in[0], in[1], out[0], out[1], out[2], out[3]);
  for (std::size_t l = 0; i + l < n; ++l) {
    gradient[i + l] = out[0][l];
    hessian[i + l] = out[1][l];
    factor[i + l] = out[2][l];
    linear[i + l] = out[3][l];
  }
}

}  // namespace

extern const boosting::LeafLoops boosting_leaf{&logistic};

}  // namespace surefit::SUREFIT_LEVEL
