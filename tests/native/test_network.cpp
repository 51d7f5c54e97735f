// An epoch of Adam: the loss of its first batch and the direction of a step against sums in long double, for every
// activation and loss; the same bits for any number of threads.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "network/epoch.hpp"

namespace {

using surefit::network::Activation;
using surefit::network::Loss;
using Numbers = std::vector<long double>;

std::mt19937 random_bits(7);
std::normal_distribution<double> normal;

template <class T>
std::vector<T> draw(std::size_t n) {
  std::vector<T> out(n);
  for (auto& v : out) v = static_cast<T>(normal(random_bits) / 2);
  return out;
}

long double active(Activation activation, long double z) {
  if (activation == Activation::relu) return std::max(z, 0.0L);
  if (activation == Activation::tanh) return std::tanh(z);
  return activation == Activation::logistic ? 1 / (1 + std::exp(-z)) : z;
}

// ℓ of the scores of a row with targets y
long double loss_of(Loss loss, const Numbers& z, const Numbers& y) {
  long double sum = 0, total = 0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    if (loss == Loss::squared_error) sum += (z[j] - y[j]) * (z[j] - y[j]) / 2;
    if (loss == Loss::logistic) sum += std::log1p(std::exp(z[j])) - y[j] * z[j];
    if (loss == Loss::softmax) sum -= y[j] * z[j], total += std::exp(z[j]);
    if (loss == Loss::poisson) sum += std::exp(z[j]) - y[j] * z[j] + (y[j] > 0 ? y[j] * std::log(y[j]) : 0) - y[j];
  }
  return loss == Loss::softmax ? sum + std::log(total) : sum;
}

template <class T>
struct Network {
  std::vector<std::size_t> widths;
  std::vector<std::vector<T>> w, b, w_means, w_squares, b_means, b_squares;

  explicit Network(std::vector<std::size_t> given) : widths(std::move(given)) {
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
      w.push_back(draw<T>(widths[l] * widths[l + 1]));
      b.push_back(draw<T>(widths[l + 1]));
      for (auto* moments : {&w_means, &w_squares}) moments->emplace_back(w[l].size(), T(0));
      for (auto* moments : {&b_means, &b_squares}) moments->emplace_back(b[l].size(), T(0));
    }
  }

  std::vector<surefit::network::Layer<T>> layers() {
    std::vector<surefit::network::Layer<T>> out;
    for (std::size_t l = 0; l < w.size(); ++l) {
      out.push_back({widths[l], widths[l + 1], {w[l].data(), w_means[l].data(), w_squares[l].data()},
                     {b[l].data(), b_means[l].data(), b_squares[l].data()}});
    }
    return out;
  }

  Numbers scores(Activation activation, Numbers a) const {
    for (std::size_t l = 0; l < w.size(); ++l) {
      Numbers z(b[l].begin(), b[l].end());
      for (std::size_t j = 0; j < z.size(); ++j) {
        for (std::size_t i = 0; i < a.size(); ++i) z[j] += a[i] * w[l][i * z.size() + j];
        if (l + 1 < w.size()) z[j] = active(activation, z[j]);
      }
      a = z;
    }
    return a;
  }
};

template <class T>
void epochs(const std::vector<std::size_t>& widths, Activation activation, Loss loss, bool placed) {
  const std::size_t n = 45, batch = 20, d = widths.front(), c = widths.back();
  const auto x = draw<T>(n * d);
  std::vector<T> y(n * c, T(0));
  for (std::size_t i = 0; i < n; ++i) y[i * c + i % c] = 1;
  std::vector<std::int64_t> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = static_cast<std::int64_t>(i * 7 % n);
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = static_cast<double>(i % 3);
  const surefit::network::Examples<T> all{x.data(), y.data(), placed ? places.data() : nullptr, weights.data(), n};
  const surefit::network::Adam adam{0.1, 0.01, 0.9, 0.999, 1e-8, 0.001, 0};

  Network<T> start(widths), one = start, two = start;
  const auto seen = adam_epoch(one.layers(), activation, loss, all, batch, {}, adam, 1);
  const auto again = adam_epoch(two.layers(), activation, loss, all, batch, {}, adam, 3);
  CHECK(seen.steps == 3 && seen.loss == again.loss && one.w == two.w && one.b == two.b);

  auto first = all;
  first.n = batch;
  const auto value = [&](const Network<T>& network) {  // Σ ω ℓ + (α/2) Σ ‖W‖² of the first batch
    long double sum = 0;
    for (std::size_t i = 0; i < batch; ++i) {
      const std::size_t row = placed ? static_cast<std::size_t>(places[i]) : i;
      const Numbers inputs(x.begin() + row * d, x.begin() + (row + 1) * d);
      const Numbers targets(y.begin() + row * c, y.begin() + (row + 1) * c);
      sum += weights[i] * loss_of(loss, network.scores(activation, inputs), targets);
    }
    for (const auto& w : network.w) {
      for (const T v : w) sum += 0.05L * v * v;
    }
    return sum;
  };
  Network<T> stepped = start;
  const auto met = adam_epoch(stepped.layers(), activation, loss, first, batch, {}, adam, 1);
  const long double wanted = value(start);
  CHECK(std::fabs(met.loss - wanted) <= 400 * std::numeric_limits<T>::epsilon() * (1 + std::fabs(wanted)));
  CHECK(value(stepped) < wanted);  // a short step goes down
}

}  // namespace

int main() {
  using A = Activation;
  for (const bool placed : {false, true}) {
    for (const A activation : {A::identity, A::logistic, A::tanh, A::relu}) {
      for (const Loss loss : {Loss::squared_error, Loss::logistic, Loss::softmax, Loss::poisson}) {
        epochs<float>({5, 3}, activation, loss, placed);
        epochs<double>({3, 7, 2}, activation, loss, placed);
        epochs<float>({4, 70, 33, 3}, activation, loss, placed);
      }
    }
  }
  return 0;
}
