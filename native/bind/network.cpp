#include "arrays.hpp"
#include "network/layers.hpp"
#include "products/product.hpp"

namespace {

using namespace surefit::bind;
namespace network = surefit::network;

template <class T>
using Written = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Moved = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class Product>
void same_product(const Product& out, std::size_t rows, std::size_t columns) {
  same("the rows of the product", out.shape(0), rows);
  same("the columns of the product", out.shape(1), columns);
}

template <class T>
void multiply(const Matrix<T>& a, const Matrix<T>& b, Written<T> out, bool turned, int n_threads) {
  const std::size_t m = a.shape(turned ? 1 : 0), k = a.shape(turned ? 0 : 1), n = b.shape(1);
  same("the rows of the second matrix", b.shape(0), k);
  same_product<T>(out, m, n);
  nb::gil_scoped_release released;
  surefit::products::multiply(a.data(), b.data(), out.data(), m, n, k, turned, n_threads);
}

template <class T>
void gather_rows(const Matrix<T>& X, const Vector<std::int64_t>& places, Written<T> out, int n_threads) {
  const std::size_t m = places.shape(0), d = X.shape(1);
  same("the rows of the copy", out.shape(0), m);
  same("the columns of the copy", out.shape(1), d);
  const auto n = static_cast<std::int64_t>(X.shape(0));
  for (std::size_t i = 0; i < m; ++i) {
    if (places.data()[i] < 0 || places.data()[i] >= n) throw std::invalid_argument("a place beyond the rows");
  }
  nb::gil_scoped_release released;
  network::gather(X.data(), places.data(), out.data(), m, d, n_threads);
}

template <class T>
void layer_forward(const Matrix<T>& a, const Matrix<T>& w, const Vector<T>& b, Written<T> out, bool rectified,
                   int n_threads) {
  const std::size_t m = a.shape(0), k = a.shape(1), n = w.shape(1);
  same("the rows of the weights", w.shape(0), k);
  same("the intercepts", b.shape(0), n);
  same_product<T>(out, m, n);
  nb::gil_scoped_release released;
  network::forward(a.data(), w.data(), b.data(), out.data(), m, n, k, rectified, n_threads);
}

template <class T>
void layer_backward(const Matrix<T>& delta, const Matrix<T>& turned_w, const Matrix<T>& a, Written<T> out,
                    int n_threads) {
  const std::size_t m = delta.shape(0), n = delta.shape(1), k = turned_w.shape(1);
  same("the rows of the turned weights", turned_w.shape(0), n);
  same("the rows of the activations", a.shape(0), m);
  same("the columns of the activations", a.shape(1), k);
  same_product<T>(out, m, k);
  nb::gil_scoped_release released;
  network::backward(delta.data(), turned_w.data(), a.data(), out.data(), m, n, k, n_threads);
}

template <class T>
double softmax_slopes(Written<T> z, const Matrix<T>& y, const Weights& weights) {
  same("the rows of the targets", y.shape(0), z.shape(0));
  same("the columns of the targets", y.shape(1), z.shape(1));
  if (weights) same("the weights", weights->shape(0), z.shape(0));
  const double* w = weights ? weights->data() : nullptr;
  nb::gil_scoped_release released;
  return z.shape(1) == 0 ? 0.0 : network::softmax_slopes(z.data(), y.data(), w, z.shape(0), z.shape(1));
}

// What a step of Adam is made of besides the parameters.
struct Adam {
  double alpha, share, beta_1, beta_2, epsilon, rate;

  template <class T>
  network::AdamStep<T> step(T* w, T* m, T* s) const {
    const auto as = [](double v) { return static_cast<T>(v); };
    return {w, m, s, as(alpha), as(share), as(beta_1), as(1 - beta_1), as(beta_2), as(1 - beta_2), as(epsilon),
            as(rate)};
  }
};

template <class T>
void adam_step(Moved<T> w, const Vector<T>& g, Moved<T> m, Moved<T> s, const Adam& adam, int n_threads) {
  const std::size_t n = w.shape(0);
  same("the gradient", g.shape(0), n);
  same("the means", m.shape(0), n);
  same("the squares", s.shape(0), n);
  nb::gil_scoped_release released;
  network::descend(g.data(), adam.step(w.data(), m.data(), s.data()), n, n_threads);
}

template <class T>
void adam_product_step(const Matrix<T>& a, const Matrix<T>& delta, Written<T> w, Written<T> m, Written<T> s,
                       const Adam& adam, int n_threads) {
  const std::size_t rows = a.shape(0), k = a.shape(1), n = delta.shape(1);
  same("the rows of the slopes", delta.shape(0), rows);
  for (const Written<T>& one : {w, m, s}) same_product<T>(one, k, n);
  nb::gil_scoped_release released;
  network::descend(a.data(), delta.data(), adam.step(w.data(), m.data(), s.data()), rows, n, k, n_threads);
}

template <class T>
void define(nb::module_& m) {
  m.def("multiply", &multiply<T>, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("out").noconvert(),
        nb::arg("turned"), nb::arg("n_threads"));
  m.def("gather_rows", &gather_rows<T>, nb::arg("X").noconvert(), nb::arg("places").noconvert(),
        nb::arg("out").noconvert(), nb::arg("n_threads"));
  m.def("layer_forward", &layer_forward<T>, nb::arg("a").noconvert(), nb::arg("w").noconvert(),
        nb::arg("b").noconvert(), nb::arg("out").noconvert(), nb::arg("rectified"), nb::arg("n_threads"));
  m.def("layer_backward", &layer_backward<T>, nb::arg("delta").noconvert(), nb::arg("turned_w").noconvert(),
        nb::arg("a").noconvert(), nb::arg("out").noconvert(), nb::arg("n_threads"));
  m.def("softmax_slopes", &softmax_slopes<T>, nb::arg("z").noconvert(), nb::arg("y").noconvert(),
        nb::arg("weights").noconvert().none());
  m.def("adam_step", &adam_step<T>, nb::arg("w").noconvert(), nb::arg("g").noconvert(), nb::arg("m").noconvert(),
        nb::arg("s").noconvert(), nb::arg("adam"), nb::arg("n_threads"));
  m.def("adam_product_step", &adam_product_step<T>, nb::arg("a").noconvert(), nb::arg("delta").noconvert(),
        nb::arg("w").noconvert(), nb::arg("m").noconvert(), nb::arg("s").noconvert(), nb::arg("adam"), nb::arg("n_threads"));
}

}  // namespace

void bind_network(nb::module_& m) {
  nb::class_<Adam>(m, "Adam").def(nb::init<double, double, double, double, double, double>(), nb::arg("alpha"),
                                  nb::arg("share"), nb::arg("beta_1"), nb::arg("beta_2"), nb::arg("epsilon"),
                                  nb::arg("rate"));
  define<float>(m);
  define<double>(m);
}
