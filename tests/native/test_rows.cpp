// Dense rows and CSR: the same bits in lanes, sums against long double, broken CSR refused, two-sums exact.
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "engine/checked_csr.hpp"
#include "surefit/compensated.hpp"

namespace {

template <class T, class Index>
void test_row(std::size_t d, double share) {
  std::mt19937 random(static_cast<unsigned>(d));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<T> x(d), data;
  std::vector<Index> indices, indptr{0};
  std::vector<double> v(d);
  for (std::size_t j = 0; j < d; ++j) {
    v[j] = normal(random);
    if (uniform(random) > share) continue;
    x[j] = static_cast<T>(normal(random));
    data.push_back(x[j]);
    indices.push_back(static_cast<Index>(j));
  }
  indptr.push_back(static_cast<Index>(data.size()));
  const surefit::DenseRows<T> dense{x.data(), 1, d};
  const auto csr = surefit::checked_csr(data.data(), indices.data(), indptr.data(), data.size(), 1, d);
  CHECK(dense.entries() == d && csr.entries() == data.size() && csr.row(0).size() == data.size());
  long double product = 0, square = 0, size = 0;
  for (std::size_t j = 0; j < d; ++j) {
    product += static_cast<long double>(x[j]) * v[j];
    square += static_cast<long double>(x[j]) * x[j];
    size += std::fabs(static_cast<long double>(x[j]) * v[j]);
  }
  for (const double got : {dense.row(0).dot(v.data(), 1.0), csr.row(0).dot(v.data(), 1.0)}) {
    CHECK(std::fabs(got - static_cast<double>(product)) <= 1e-14 * static_cast<double>(size));
  }
  CHECK(dense.row(0).dot(v.data(), 0.25) == 0.25 * dense.row(0).dot(v.data(), 1.0));
  surefit::RowLanes lanes, others;
  dense.row(0).each([&](double value, std::size_t, std::size_t l) { lanes.sum[l] += value * value; });
  csr.row(0).each([&](double value, std::size_t, std::size_t l) { others.sum[l] += value * value; });
  const double got = lanes.total();
  CHECK(got == others.total());
  CHECK(std::fabs(got - static_cast<double>(square)) <= 1e-14 * static_cast<double>(square));
  std::vector<double> moved(v), other(v);
  surefit::add_to(dense.row(0), 3.0, moved.data());
  surefit::add_to(csr.row(0), 3.0, other.data());
  CHECK(moved == other);
  for (std::size_t j = 0; j < d; ++j) CHECK(moved[j] == v[j] + 3.0 * static_cast<double>(x[j]));
}

template <class Index>
bool refused(const std::vector<Index>& indices, const std::vector<Index>& indptr, std::size_t n_stored, std::size_t d) {
  const std::vector<double> data(indices.size());
  try {
    surefit::checked_csr(data.data(), indices.data(), indptr.data(), n_stored, indptr.size() - 1, d);
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

template <class Index>
void test_broken_csr() {
  CHECK(!refused<Index>({0, 1, 2}, {0, 1, 3}, 3, 3));
  CHECK(!refused<Index>({}, {0}, 0, 0));
  CHECK(!refused<Index>({0, 9}, {0, 1}, 2, 3));  // beyond the last row nothing is read
  CHECK(refused<Index>({0, 1, 3}, {0, 1, 3}, 3, 3));
  CHECK(refused<Index>({0, -1, 2}, {0, 1, 3}, 3, 3));
  CHECK(refused<Index>({0, -1, 2}, {0, 1, 3}, 3, static_cast<std::size_t>(-1)));
  CHECK(refused<Index>({0, 1, 2}, {0, 1, 4}, 3, 3));
  CHECK(refused<Index>({0, 1, 2}, {0, 3, 1}, 3, 3));
  CHECK(refused<Index>({0, 1, 2}, {1, 2, 3}, 3, 3));
  CHECK(refused<Index>({0, 1, 2}, {-5, 1, 3}, 3, 3));
}

// a + b = sum + error exactly: in long double, which holds both sides of numbers this close in size.
void test_two_sum() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    const double a = normal(random) * 64, b = normal(random) / 4;
    double sum = a;
    const double error = surefit::two_sum(sum, b);
    CHECK(sum == a + b);
    CHECK(static_cast<long double>(sum) + error == static_cast<long double>(a) + static_cast<long double>(b) ||
          sizeof(long double) == sizeof(double));
  }
  double mean = 1e17, low = 0;  // (1e17 + 3) · 1/2 + 1e17 · 1/2: the step of 3 is not in a double next to 1e17
  CHECK(surefit::merge_mean(mean, low, 1e17, 3, 0.5) == 3);
  CHECK(mean == 1e17 && low == 1.5);
}

}  // namespace

int main() {
  for (std::size_t d : {0, 1, 15, 16, 17, 33, 200}) {
    for (double share : {0.1, 1.0}) {
      test_row<double, std::int64_t>(d, share);
      test_row<float, std::int32_t>(d, share);
    }
  }
  test_broken_csr<std::int32_t>();
  test_broken_csr<std::int64_t>();
  test_two_sum();
  return 0;
}
