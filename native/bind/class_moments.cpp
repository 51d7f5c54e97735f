#include <new>
#include <tuple>

#include "arrays.hpp"
#include "engine/class_moments.hpp"

namespace {

using namespace surefit::bind;

using Result = std::tuple<Array<double>, Array<std::int64_t>, Array<double>, Array<double>>;

template <class T>
Result class_moments(const Matrix<T>& x, const Vector<std::int32_t>& classes, std::size_t n_classes,
                     const Weights& w, bool pooled, std::size_t leaf_rows, int n_threads) {
  const std::size_t n = x.shape(0), d = x.shape(1);
  if (classes.shape(0) != n) throw std::invalid_argument("X and classes differ in their number of rows");
  if (w && w->shape(0) != n) throw std::invalid_argument("X and w differ in their number of rows");
  some_leaf_rows(leaf_rows);
  constexpr std::size_t most = std::size_t{1} << 29;
  if (d > most || n_classes > most || (d > 0 && n_classes > (std::size_t{1} << 58) / d / d)) throw std::bad_alloc();
  std::unique_ptr<double[]> weights, means, products;
  std::unique_ptr<std::int64_t[]> counts;
  {
    nb::gil_scoped_release released;
    weights.reset(new double[n_classes]);
    counts.reset(new std::int64_t[n_classes]);
    means.reset(new double[n_classes * d]);
    products.reset(new double[(pooled ? 1 : n_classes) * d * d]);
    const surefit::LabelledRows<T> rows{x.data(), n, d, classes.data(), n_classes, w ? w->data() : nullptr};
    surefit::class_moments(rows, pooled, leaf_rows, n_threads,
                           {weights.get(), counts.get(), means.get(), products.get()});
  }
  Array<double> S =
      pooled ? owned(std::move(products), {d, d}) : owned(std::move(products), {n_classes, d, d});
  return {owned(std::move(weights), {n_classes}), owned(std::move(counts), {n_classes}),
          owned(std::move(means), {n_classes, d}), S};
}

template <class T>
void define(nb::module_& m) {
  m.def("class_moments", &class_moments<T>, nb::arg("X").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("n_classes"), nb::arg("w").none().noconvert(), nb::arg("pooled"), nb::arg("leaf_rows"),
        nb::arg("n_threads"));
}

}  // namespace

void bind_class_moments(nb::module_& m) {
  define<float>(m);
  define<double>(m);
}
