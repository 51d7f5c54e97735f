#include <type_traits>

#include "arrays.hpp"
#include "network/adam_loops.hpp"
#include "products/product.hpp"
#include "surefit/fold.hpp"

namespace {

using namespace surefit::bind;

template <class T>
using Written = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Moved = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t kChunk = 1 << 14;  // parameters of one task

template <class T>
void multiply(const Matrix<T>& a, const Matrix<T>& b, Written<T> out, bool turned, int n_threads) {
  const std::size_t m = a.shape(turned ? 1 : 0), k = a.shape(turned ? 0 : 1), n = b.shape(1);
  same("the rows of the second matrix", b.shape(0), k);
  same("the rows of the product", out.shape(0), m);
  same("the columns of the product", out.shape(1), n);
  nb::gil_scoped_release released;
  surefit::products::multiply(a.data(), b.data(), out.data(), m, n, k, turned, n_threads);
}

template <class T>
void adam_step(Moved<T> w, const Vector<T>& g, Moved<T> m, Moved<T> s, double beta_1, double beta_2, double epsilon,
               double rate, int n_threads) {
  const std::size_t n = w.shape(0);
  same("the gradient", g.shape(0), n);
  same("the means", m.shape(0), n);
  same("the squares", s.shape(0), n);
  const surefit::network::AdamStep<T> step{
      w.data(), g.data(), m.data(), s.data(), static_cast<T>(beta_1), static_cast<T>(1 - beta_1),
      static_cast<T>(beta_2), static_cast<T>(1 - beta_2), static_cast<T>(epsilon), static_cast<T>(rate)};
  const auto& loops = SUREFIT_TABLE(adam_loops);
  nb::gil_scoped_release released;
  n_threads = surefit::threads_for(static_cast<double>(n) * surefit::kScalarNs, n_threads);
  surefit::parallel_for((n + kChunk - 1) / kChunk, n_threads, [&](std::size_t i, int) {
    const std::size_t first = i * kChunk, last = std::min(n, first + kChunk);
    if constexpr (std::is_same_v<T, float>) {
      loops.single_step(step, first, last);
    } else {
      loops.double_step(step, first, last);
    }
  });
}

template <class T>
void define(nb::module_& m) {
  m.def("multiply", &multiply<T>, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("out").noconvert(),
        nb::arg("turned"), nb::arg("n_threads"));
  m.def("adam_step", &adam_step<T>, nb::arg("w").noconvert(), nb::arg("g").noconvert(), nb::arg("m").noconvert(),
        nb::arg("s").noconvert(), nb::arg("beta_1"), nb::arg("beta_2"), nb::arg("epsilon"), nb::arg("rate"),
        nb::arg("n_threads"));
}

}  // namespace

void bind_network(nb::module_& m) {
  define<float>(m);
  define<double>(m);
}
