#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "engine/finite.hpp"
#include "engine/moments.hpp"
#include "engine/permutation.hpp"

namespace nb = nanobind;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<nb::numpy, double>;
using Result = std::tuple<double, Numbers, Numbers, Numbers>;

nb::ndarray<nb::numpy, double> owned(std::unique_ptr<double[]> numbers, std::initializer_list<std::size_t> shape) {
  double* p = numbers.get();
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<double*>(q); });
  numbers.release();
  return nb::ndarray<nb::numpy, double>(p, shape, owner);
}

void check_sizes(std::size_t n, const std::optional<Matrix<double>>& y, const std::optional<Vector<double>>& w,
                 std::size_t leaf_rows) {
  if (y && y->shape(0) != n) {
    throw std::invalid_argument("X has " + std::to_string(n) + " rows, Y has " + std::to_string(y->shape(0)));
  }
  if (w && w->shape(0) != n) {
    throw std::invalid_argument("X has " + std::to_string(n) + " rows, w has " + std::to_string(w->shape(0)));
  }
  if (leaf_rows == 0) throw std::invalid_argument("leaf_rows must be at least 1");
}

template <class Rows>
Result compute(const Rows& rows, std::size_t leaf_rows, int n_threads) {
  const std::size_t p = rows.n_features + rows.n_targets;
  if (p > (std::size_t{1} << 29)) throw std::bad_alloc();
  std::unique_ptr<double[]> mean, low, products;
  double weight;
  {
    nb::gil_scoped_release released;
    mean.reset(new double[p]);
    low.reset(new double[p]);
    products.reset(new double[p * p]);
    weight = surefit::moments(rows, leaf_rows, n_threads, mean.get(), low.get(), products.get());
  }
  return {weight, owned(std::move(mean), {p}), owned(std::move(low), {p}), owned(std::move(products), {p, p})};
}

template <class T>
Result moments(const Matrix<T>& x, const std::optional<Matrix<double>>& y, const std::optional<Vector<double>>& w,
               std::size_t leaf_rows, int n_threads) {
  check_sizes(x.shape(0), y, w, leaf_rows);
  const surefit::DenseRows<T> rows{x.data(),
                                   x.shape(0),
                                   x.shape(1),
                                   y ? y->data() : nullptr,
                                   y ? y->shape(1) : 0,
                                   w ? w->data() : nullptr};
  return compute(rows, leaf_rows, n_threads);
}

template <class T, class Index>
Result moments_csr(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                   std::size_t n_features, const std::optional<Matrix<double>>& y,
                   const std::optional<Vector<double>>& w, std::size_t leaf_rows, int n_threads) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr is empty; it must hold one number more than rows");
  if (data.shape(0) != indices.shape(0)) {
    throw std::invalid_argument("data has " + std::to_string(data.shape(0)) + " entries, indices has " +
                                std::to_string(indices.shape(0)));
  }
  const std::size_t n = indptr.shape(0) - 1;
  check_sizes(n, y, w, leaf_rows);
  const surefit::SparseRows<T, Index> rows{data.data(),
                                           indices.data(),
                                           indptr.data(),
                                           data.shape(0),
                                           n,
                                           n_features,
                                           y ? y->data() : nullptr,
                                           y ? y->shape(1) : 0,
                                           w ? w->data() : nullptr};
  return compute(rows, leaf_rows, n_threads);
}

template <class T>
bool all_finite(const Vector<T>& x, int n_threads) {
  nb::gil_scoped_release released;
  return surefit::all_finite(x.data(), x.shape(0), n_threads);
}

nb::ndarray<nb::numpy, std::int64_t> permutation(std::size_t n, std::uint64_t seed, std::uint64_t epoch,
                                                 std::uint64_t window) {
  if (n > (std::size_t{1} << 40)) throw std::bad_alloc();
  std::unique_ptr<std::int64_t[]> out(new std::int64_t[n]);
  surefit::permutation(n, seed, epoch, window, out.get());
  std::int64_t* p = out.get();
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<std::int64_t*>(q); });
  out.release();
  return nb::ndarray<nb::numpy, std::int64_t>(p, {n}, owner);
}

template <class T>
void define(nb::module_& m) {
  m.def("all_finite", &all_finite<T>, nb::arg("x").noconvert(), nb::arg("n_threads"));
  m.def("moments", &moments<T>, nb::arg("X").noconvert(), nb::arg("Y").none().noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  m.def("moments_csr", &moments_csr<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("n_features"), nb::arg("Y").none().noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
}

}  // namespace

void bind_engine(nb::module_& m) {
  m.def("permutation", &permutation, nb::arg("n"), nb::arg("seed"), nb::arg("epoch"), nb::arg("window"));
  define<float>(m);
  define<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
