#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "arrays.hpp"
#include "network/epoch.hpp"
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

// The value that has this place among the names.
template <class Kind>
Kind named(const char* what, const std::string& name, std::initializer_list<const char*> names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::invalid_argument(std::string("no such ") + what + ": " + name);
  return static_cast<Kind>(found - names.begin());
}

network::Activation activation_of(const std::string& name) {
  return named<network::Activation>("activation", name, {"identity", "logistic", "tanh", "relu"});
}

network::Loss loss_of(const std::string& name) {
  return named<network::Loss>("loss", name, {"squared_error", "logistic", "softmax", "poisson"});
}

void inside(const Vector<std::int64_t>& places, std::size_t n_rows) {
  const auto n = static_cast<std::int64_t>(n_rows);
  for (std::size_t i = 0; i < places.shape(0); ++i) {
    if (places.data()[i] < 0 || places.data()[i] >= n) throw std::invalid_argument("a place beyond the rows");
  }
}

template <class T>
void gather_rows(const Matrix<T>& X, const Vector<std::int64_t>& places, Written<T> out, int n_threads) {
  const std::size_t m = places.shape(0), d = X.shape(1);
  same("the rows of the copy", out.shape(0), m);
  same("the columns of the copy", out.shape(1), d);
  inside(places, X.shape(0));
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
  network::forward(a.data(), w.data(), b.data(), out.data(), m, n, k,
                   rectified ? network::Activation::relu : network::Activation::identity, n_threads);
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
  network::backward(delta.data(), turned_w.data(), a.data(), static_cast<const T*>(nullptr), out.data(), m, n, k,
                    network::Activation::relu, n_threads);
}

template <class T>
double loss_slopes(const std::string& loss, Written<T> z, const Matrix<T>& y, const Weights& weights) {
  same("the rows of the targets", y.shape(0), z.shape(0));
  same("the columns of the targets", y.shape(1), z.shape(1));
  if (weights) same("the weights", weights->shape(0), z.shape(0));
  const double* w = weights ? weights->data() : nullptr;
  const network::Loss kind = loss_of(loss);
  nb::gil_scoped_release released;
  return network::loss_slopes(kind, z.data(), y.data(), w, z.shape(0), z.shape(1));
}

template <class T>
void adam_step(Moved<T> w, const Vector<T>& g, Moved<T> m, Moved<T> s, const network::Adam& adam, double share,
               int n_threads) {
  const std::size_t n = w.shape(0);
  same("the gradient", g.shape(0), n);
  same("the means", m.shape(0), n);
  same("the squares", s.shape(0), n);
  nb::gil_scoped_release released;
  network::descend(g.data(), adam.step(network::Parameter<T>{w.data(), m.data(), s.data()}, share, adam.t), n, n_threads);
}

// values, means, squares of one parameter
template <class Values>
using Trio = std::tuple<Values, Values, Values>;

template <class Values>
auto checked(const char* what, const Trio<Values>& trio, std::size_t n) {
  const auto& [values, means, squares] = trio;
  for (const Values* one : {&values, &means, &squares}) same(what, one->size(), n);
  return network::Parameter<typename Values::Scalar>{values.data(), means.data(), squares.data()};
}

template <class T>
std::tuple<double, double, std::int64_t> adam_epoch(
    const std::vector<Trio<Written<T>>>& coefs, const std::vector<Trio<Moved<T>>>& intercepts,
    const std::string& activation, const std::string& loss, const Matrix<T>& X, const Matrix<T>& Y,
    const std::optional<Vector<std::int64_t>>& places, const Weights& weights, std::size_t batch,
    const std::vector<Matrix<T>>& masks, const network::Adam& adam, int n_threads) {
  same("the intercepts", intercepts.size(), coefs.size());
  if (coefs.empty() || batch == 0) throw std::invalid_argument("a network has a layer, and a batch a row");
  std::vector<network::Layer<T>> layers;
  std::size_t width = X.shape(1);
  for (std::size_t l = 0; l < coefs.size(); ++l) {
    const Written<T>& W = std::get<0>(coefs[l]);
    same("the rows of the weights", W.shape(0), width);
    const std::size_t units = W.shape(1);
    layers.push_back({width, units, checked("what Adam keeps of the weights", coefs[l], width * units),
                      checked("the intercepts", intercepts[l], units)});
    width = units;
  }
  const std::size_t n = places ? places->shape(0) : X.shape(0);
  same("the rows of the targets", Y.shape(0), X.shape(0));
  same("the columns of the targets", Y.shape(1), width);
  if (weights) same("the weights", weights->shape(0), n);
  if (places) inside(*places, X.shape(0));
  std::vector<const T*> factors;
  if (!masks.empty()) same("the masks", masks.size(), layers.size() - 1);
  for (std::size_t l = 0; l < masks.size(); ++l) {
    same("the rows of a mask", masks[l].shape(0), n);
    same("the columns of a mask", masks[l].shape(1), layers[l].out);
    factors.push_back(masks[l].data());
  }
  if (!masks.empty()) same("the rows of a batch with masks", n, batch);
  const network::Examples<T> examples{X.data(), Y.data(), places ? places->data() : nullptr,
                                      weights ? weights->data() : nullptr, n};
  const network::Activation active = activation_of(activation);
  const network::Loss kind = loss_of(loss);
  nb::gil_scoped_release released;
  const network::Seen seen = network::adam_epoch(layers, active, kind, examples, batch, factors, adam, n_threads);
  return {seen.loss, seen.weight, seen.steps};
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
  m.def("loss_slopes", &loss_slopes<T>, nb::arg("loss"), nb::arg("z").noconvert(), nb::arg("y").noconvert(),
        nb::arg("weights").noconvert().none());
  m.def("adam_step", &adam_step<T>, nb::arg("w").noconvert(), nb::arg("g").noconvert(), nb::arg("m").noconvert(),
        nb::arg("s").noconvert(), nb::arg("adam"), nb::arg("share"), nb::arg("n_threads"));
  m.def("adam_epoch", &adam_epoch<T>, nb::arg("coefs").noconvert(), nb::arg("intercepts").noconvert(),
        nb::arg("activation"), nb::arg("loss"), nb::arg("X").noconvert(), nb::arg("Y").noconvert(),
        nb::arg("places").noconvert().none(), nb::arg("weights").noconvert().none(), nb::arg("batch"),
        nb::arg("masks").noconvert(), nb::arg("adam"), nb::arg("n_threads"));
}

}  // namespace

void bind_network(nb::module_& m) {
  nb::class_<network::Adam>(m, "Adam")
      .def(nb::init<double, double, double, double, double, double, std::int64_t>(), nb::arg("alpha"),
           nb::arg("decay"), nb::arg("beta_1"), nb::arg("beta_2"), nb::arg("epsilon"), nb::arg("rate"), nb::arg("t"));
  define<float>(m);
  define<double>(m);
}
