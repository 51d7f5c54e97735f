#include "arrays.hpp"
#include "kernels/band_lengths.hpp"
#include "kernels/gram.hpp"
#include "products/symmetric.hpp"

namespace {

using namespace surefit::bind;
namespace gram = surefit::gram;

// pair, finish, gamma, coef0, degree
using Form = std::tuple<int, int, double, double, int>;
template <class T>
using Norms = std::optional<Vector<T>>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T, class Index>
using Parts = std::tuple<Vector<T>, Vector<Index>, Vector<Index>>;

gram::Form form_of(const Form& form, bool sparse) {
  const auto& [pair, finish, gamma, coef0, degree] = form;
  if (pair < 0 || pair > (sparse ? 1 : 3) || finish < 0 || finish > 2 || degree < 0) {
    throw std::invalid_argument("form: there is no such kernel");
  }
  return {static_cast<gram::Pair>(pair), static_cast<gram::Finish>(finish), gamma, coef0, degree};
}

template <class X>
void run(const X& a, const X& b, const Norms<typename X::Scalar>& a_sq, const Norms<typename X::Scalar>& b_sq,
         const gram::Form& form, const Out<typename X::Scalar>& out, int n_threads) {
  same("a row of B", b.d, a.d);
  same("out", out.shape(0), a.n);
  same("a row of out", out.shape(1), b.n);
  if (form.pair == gram::Pair::sq_dist) {
    if (!a_sq || !b_sq) throw std::invalid_argument("squared distances need squared norms");
    same("a_sq", a_sq->shape(0), a.n);
    same("b_sq", b_sq->shape(0), b.n);
  }
  const gram::Side<X> left{a, a_sq ? a_sq->data() : nullptr}, right{b, b_sq ? b_sq->data() : nullptr};
  typename X::Scalar* to = out.data();
  nb::gil_scoped_release released;
  gram::block(left, right, form, n_threads, to);
}

template <class T>
void gram_block(const Matrix<T>& a, const Matrix<T>& b, const Norms<T>& a_sq, const Norms<T>& b_sq, const Form& form,
                const Out<T>& out, int n_threads) {
  run(dense(a), dense(b), a_sq, b_sq, form_of(form, false), out, n_threads);
}

template <class T, class Index>
void gram_block_csr(const Parts<T, Index>& a, const Parts<T, Index>& b, std::size_t n_features, const Norms<T>& a_sq,
                    const Norms<T>& b_sq, const Form& form, const Out<T>& out, int n_threads) {
  const auto rows = [&](const Parts<T, Index>& parts) {
    return csr(std::get<0>(parts), std::get<1>(parts), std::get<2>(parts), n_features);
  };
  run(rows(a), rows(b), a_sq, b_sq, form_of(form, true), out, n_threads);
}

void band_lengths(const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& l, const Matrix<double>& v,
                  const ChangedMatrix& out, int n_threads) {
  if (l.shape(2) == 0) throw std::invalid_argument("a factor needs its diagonal");
  same("rows of a factor", l.shape(1), v.shape(0));
  same("out", out.shape(0), l.shape(0));
  same("a row of out", out.shape(1), v.shape(1));
  const surefit::band_lengths::Factors factors{l.data(), l.shape(0), l.shape(1), l.shape(2) - 1};
  const double* at = v.data();
  const std::size_t m = v.shape(1);
  double* to = out.data();
  nb::gil_scoped_release released;
  surefit::band_lengths::squared_lengths(factors, at, m, n_threads, to);
}

// Part of a larger matrix.
using Tile = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

std::size_t rows_apart(const char* what, const Tile& tile) {
  const auto columns = static_cast<std::int64_t>(tile.shape(1));
  if (tile.size() == 0) return tile.shape(1);
  if ((columns > 1 && tile.stride(1) != 1) || (tile.shape(0) > 1 && tile.stride(0) < columns)) {
    throw std::invalid_argument(std::string(what) + " must be a matrix row by row, or a part of one");
  }
  return tile.shape(0) > 1 ? static_cast<std::size_t>(tile.stride(0)) : tile.shape(1);
}

void multiply_symmetric(const Tile& a, const Tile& b, const ChangedMatrix& out, int n_threads) {
  const std::size_t n = a.shape(0), columns = b.shape(1), lda = rows_apart("A", a), ldb = rows_apart("B", b);
  same("a row of A", a.shape(1), n);
  same("B", b.shape(0), n);
  same("out", out.shape(0), n);
  same("a row of out", out.shape(1), columns);
  const double *left = a.data(), *right = b.data();
  double* to = out.data();
  nb::gil_scoped_release released;
  surefit::products::multiply_symmetric(left, lda, right, ldb, to, n, columns, n_threads);
}

template <class T>
void define(nb::module_& m) {
  m.def("gram_block", &gram_block<T>, nb::arg("A").noconvert(), nb::arg("B").noconvert(),
        nb::arg("a_sq").none().noconvert(), nb::arg("b_sq").none().noconvert(), nb::arg("form"),
        nb::arg("out").noconvert(), nb::arg("n_threads"));
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  m.def("gram_block_csr", &gram_block_csr<T, Index>, nb::arg("A"), nb::arg("B"), nb::arg("n_features"),
        nb::arg("a_sq").none().noconvert(), nb::arg("b_sq").none().noconvert(), nb::arg("form"),
        nb::arg("out").noconvert(), nb::arg("n_threads"));
}

}  // namespace

void bind_kernels(nb::module_& m) {
  define<float>(m);
  define<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
  m.def("multiply_symmetric", &multiply_symmetric, nb::arg("A").noconvert(), nb::arg("B").noconvert(),
        nb::arg("out").noconvert(), nb::arg("n_threads"));
  m.def("band_lengths", &band_lengths, nb::arg("L").noconvert(), nb::arg("V").noconvert(),
        nb::arg("out").noconvert(), nb::arg("n_threads"));
}
