// Blocks of kernel values against sums in long double: every form, dense and CSR, both precisions, under the sanitizers.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "kernels/gram.hpp"

namespace {

using namespace surefit;
using gram::Finish;
using gram::Form;
using gram::Pair;

template <class T>
struct Data {
  std::size_t n, d;
  std::vector<T> x, sq, data;
  std::vector<std::int32_t> indices, indptr{0};

  Data(std::size_t n, std::size_t d, unsigned seed) : n(n), d(d), x(n * d), sq(n) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform;
    for (auto& v : x) v = uniform(random) < 0.5 ? T(0) : static_cast<T>(uniform(random) * 3);
    if (n > 2) std::memcpy(&x[d], &x[0], d * sizeof(T));                         // two equal rows
    if (n > 3) for (std::size_t j = 0; j < d; ++j) x[2 * d + j] = x[j] * (1 + T(1e-5));  // and one close to them
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const T v = x[i * d + j];
        sum += static_cast<double>(v) * v;
        if (v == 0) continue;
        data.push_back(v);
        indices.push_back(static_cast<std::int32_t>(j));
      }
      indptr.push_back(static_cast<std::int32_t>(data.size()));
      sq[i] = static_cast<T>(sum);
    }
  }
  gram::Side<DenseRows<T>> dense() const { return {{x.data(), n, d}, sq.data()}; }
  gram::Side<CsrRows<T, std::int32_t>> csr() const {
    return {{data.data(), indices.data(), indptr.data(), n, d}, sq.data()};
  }
};

template <class T>
long double wanted(const Data<T>& a, std::size_t i, const Data<T>& b, std::size_t j, const Form& form) {
  long double v = 0;
  for (std::size_t c = 0; c < a.d; ++c) {
    const long double x = a.x[i * a.d + c], y = b.x[j * b.d + c];
    switch (form.pair) {
      case Pair::product: v += x * y; break;
      case Pair::sq_dist: v += (x - y) * (x - y); break;
      case Pair::absolute: v += std::fabs(x - y); break;
      case Pair::chi2: v += x + y > 0 ? (x - y) * (x - y) / (x + y) : 0; break;
    }
  }
  if (form.finish == Finish::power) return std::pow(form.gamma * v + form.coef0, form.degree);
  return form.finish == Finish::exponential ? std::exp(-form.gamma * v) : v;
}

template <class Side, class T>
void compare(const Side& left, const Side& right, const Data<T>& a, const Data<T>& b, const Form& form) {
  const double u = sizeof(T) == 8 ? 1e-16 : 6e-8;
  std::vector<T> one(a.n * b.n, T(-7)), two(a.n * b.n);
  gram::block(left, right, form, 1, one.data());
  gram::block(left, right, form, 3, two.data());
  CHECK(std::memcmp(one.data(), two.data(), one.size() * sizeof(T)) == 0);
  // A squared distance of a share kClose of the norms has lost 1/kClose roundings.
  const double slack = form.pair == Pair::sq_dist ? 4 / static_cast<double>(gram::kClose<T>) : 4;
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < b.n; ++j) {
      const long double want = wanted(a, i, b, j, form);
      const double scale = form.finish == Finish::exponential ? 1.0 : static_cast<double>(std::fabs(want));
      const double error = static_cast<double>(std::fabs(want - static_cast<long double>(one[i * b.n + j])));
      CHECK(error <= u * slack * (20 + std::sqrt(static_cast<double>(a.d))) * scale);
    }
  }
  gram::block(right, left, form, 2, two.data());
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < b.n; ++j) CHECK(one[i * b.n + j] == two[j * a.n + i]);
  }
}

template <class T>
void check(std::size_t m, std::size_t n, std::size_t d) {
  const Data<T> a(m, d, 1), b(n, d, 2);
  const double gamma = 1.0 / static_cast<double>(d);
  const Form both[] = {{Pair::product, Finish::none, 0, 0, 0},
                       {Pair::product, Finish::power, gamma, 1.0, 5},
                       {Pair::product, Finish::power, gamma, 1.0, 0},
                       {Pair::sq_dist, Finish::none, 0, 0, 0},
                       {Pair::sq_dist, Finish::exponential, gamma, 0, 0},
                       {Pair::sq_dist, Finish::exponential, 1000 * gamma, 0, 0}};
  for (const Form& form : both) {
    compare(a.dense(), b.dense(), a, b, form);
    compare(a.csr(), b.csr(), a, b, form);
    compare(a.dense(), a.dense(), a, a, form);
    compare(a.csr(), a.csr(), a, a, form);
  }
  const Form dense_only[] = {{Pair::absolute, Finish::none, 0, 0, 0},
                             {Pair::absolute, Finish::exponential, gamma, 0, 0},
                             {Pair::chi2, Finish::none, 0, 0, 0},
                             {Pair::chi2, Finish::exponential, gamma, 0, 0}};
  for (const Form& form : dense_only) compare(a.dense(), b.dense(), a, b, form);
}

// exp through the Gaussian of one column: x = sqrt(t), against 0.
template <class T>
void check_exponential() {
  const Form form{Pair::sq_dist, Finish::exponential, 1.0, 0, 0};
  const T zero = 0;
  const gram::Side<DenseRows<T>> origin{{&zero, 1, 1}, &zero};
  const double most = sizeof(T) == 8 ? 708 : 87, u = sizeof(T) == 8 ? 1.2e-16 : 6e-8;
  for (int i = 0; i < 20000; ++i) {
    const T x = static_cast<T>(std::sqrt(most * i / 20000.0)), sq = x * x;
    T k;
    gram::block<DenseRows<T>>({{&x, 1, 1}, &sq}, origin, form, 1, &k);
    const long double want = std::exp(-static_cast<long double>(sq));
    CHECK(std::fabs(static_cast<long double>(k) - want) <= 2 * u * want);
  }
  const T far[] = {T(1e3), T(1e30)};
  const T far_sq[] = {far[0] * far[0], far[1] * far[1]};
  T k[2];
  gram::block<DenseRows<T>>({{far, 2, 1}, far_sq}, origin, form, 1, k);
  CHECK(k[0] == 0 && k[1] == 0);
}

// Norms beyond floating point: equal rows are at distance 0, others at infinity.
void check_overflow() {
  const double x[] = {1e200, 1e200, -1e200}, sq[] = {INFINITY, INFINITY, INFINITY};
  double k[9];
  gram::block<DenseF64>({{x, 3, 1}, sq}, {{x, 3, 1}, sq}, {Pair::sq_dist, Finish::exponential, 1.0, 0, 0}, 1, k);
  const double want[] = {1, 1, 0, 1, 1, 0, 0, 0, 1};
  for (int i = 0; i < 9; ++i) CHECK(k[i] == want[i]);
}

}  // namespace

int main() {
  for (const std::size_t d : {1, 2, 7, 20, 300}) {
    check<double>(1, 1, d);
    check<double>(13, 29, d);
    check<float>(7, 1, d);
    check<float>(31, 50, d);
  }
  check<double>(1100, 530, 3);
  check<float>(1030, 520, 3);
  check_exponential<double>();
  check_exponential<float>();
  check_overflow();
  return 0;
}
