#include "arrays.hpp"
#include "manifold/local_weights.hpp"
#include "manifold/shortest_paths.hpp"
#include "manifold/smacof.hpp"

namespace {

using namespace surefit::bind;
using Indices = Vector<std::int64_t>;

std::tuple<double, double> smacof_look(const Matrix<double>& x, const Vector<double>& delta, const Weights& w,
                                       const std::optional<Changed>& distances, const ChangedMatrix& g,
                                       int n_threads) {
  const std::size_t n = x.shape(0), p = x.shape(1), n_pairs = n * (n - (n > 0)) / 2;
  if (p == 0 || p > surefit::smacof::kMostColumns) throw std::invalid_argument("X must have between 1 and 512 columns");
  same("delta", delta.shape(0), n_pairs);
  if (w) same("w", w->shape(0), n_pairs);
  if (distances) same("distances", distances->shape(0), n_pairs);
  same("g", g.shape(0), n);
  same("a row of g", g.shape(1), p);
  const double *at = x.data(), *wanted = delta.data(), *weights = data_of(w);
  double *out = g.data(), *d = distances ? distances->data() : nullptr;
  nb::gil_scoped_release released;
  const auto sums = surefit::smacof::look(at, n, p, wanted, weights, d, n_threads, out);
  return {sums.stress, sums.sq_dist};
}

// indptr rises from 0 to the number of indices, which are below `limit`.
template <class Index>
void lists_of(const Indices& indptr, const Vector<Index>& indices, std::size_t limit) {
  if (indptr.shape(0) == 0 || indptr.data()[0] != 0) throw std::invalid_argument("indptr must begin with 0");
  const std::size_t n = indptr.shape(0) - 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (indptr.data()[i + 1] < indptr.data()[i]) throw std::invalid_argument("indptr must not fall");
  }
  same("indices", indices.shape(0), static_cast<std::size_t>(indptr.data()[n]));
  for (std::size_t e = 0; e < indices.shape(0); ++e) {
    if (indices.data()[e] < 0 || static_cast<std::size_t>(indices.data()[e]) >= limit) {
      throw std::invalid_argument("indices holds " + std::to_string(indices.data()[e]) + ", which is no row");
    }
  }
}

template <class T>
void shortest_paths(const Indices& indptr, const Vector<std::int32_t>& indices, const Vector<double>& length,
                    const Indices& sources,
                    const nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>& out, int n_threads) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr is empty");
  const std::size_t n = indptr.shape(0) - 1;
  lists_of(indptr, indices, n);
  same("length", length.shape(0), indices.shape(0));
  for (std::size_t e = 0; e < length.shape(0); ++e) {
    if (!(length.data()[e] >= 0)) throw std::invalid_argument("lengths must be numbers >= 0");
  }
  rows_exist(sources, n);
  same("out", out.shape(0), sources.shape(0));
  same("a row of out", out.shape(1), n);
  const surefit::shortest_paths::Graph graph{indptr.data(), indices.data(), length.data(), n};
  const std::int64_t* from = sources.data();
  const std::size_t n_sources = sources.shape(0);
  T* to = out.data();
  nb::gil_scoped_release released;
  surefit::shortest_paths::from_sources(graph, from, n_sources, n_threads, to);
}

std::int64_t local_weights(const Matrix<double>& queries, const Matrix<double>& rows, const Indices& indptr,
                           const Indices& indices, double reg, const Changed& w, int n_threads) {
  same("a row of queries", queries.shape(1), rows.shape(1));
  same("indptr", indptr.shape(0), queries.shape(0) + 1);
  lists_of(indptr, indices, rows.shape(0));
  same("w", w.shape(0), indices.shape(0));
  const surefit::local_weights::Problem problem{queries.data(), rows.data(),    queries.shape(0), queries.shape(1),
                                                indptr.data(),  indices.data(), reg};
  double* out = w.data();
  nb::gil_scoped_release released;
  return static_cast<std::int64_t>(surefit::local_weights::solve(problem, n_threads, out));
}

template <class T>
void define(nb::module_& m) {
  m.def("shortest_paths", &shortest_paths<T>, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("length").noconvert(), nb::arg("sources").noconvert(), nb::arg("out").noconvert(),
        nb::arg("n_threads"));
}

}  // namespace

void bind_manifold(nb::module_& m) {
  m.def("smacof_look", &smacof_look, nb::arg("X").noconvert(), nb::arg("delta").noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("distances").none().noconvert(), nb::arg("g").noconvert(),
        nb::arg("n_threads"));
  m.def("local_weights", &local_weights, nb::arg("queries").noconvert(), nb::arg("rows").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("reg"), nb::arg("w").noconvert(),
        nb::arg("n_threads"));
  define<float>(m);
  define<double>(m);
}
