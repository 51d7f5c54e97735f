#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "cluster/linkage.hpp"

namespace lk = surefit::linkage;

namespace {

using namespace surefit::bind;

// SciPy's matrix from merges that `find` makes while the GIL is free.
template <class Find>
Array<double> linkage(std::size_t n, Find&& find) {
  if (n < 2 || n > static_cast<std::size_t>(INT32_MAX) / 2) throw std::invalid_argument("between 2 and 2^30 rows");
  auto out = numbers<double>("the linkage matrix", {n - 1, 4});
  {
    nb::gil_scoped_release released;
    std::vector<lk::Merge> merges = find();
    same("merges", merges.size(), n - 1);
    lk::linkage_matrix(merges, n, out.get());
  }
  return owned(std::move(out), {n - 1, 4});
}

}  // namespace

void bind_linkage(nb::module_& m) {
  m.def(
      "single_linkage",
      [](Matrix<double> x, bool squared, int n_threads) {
        return linkage(x.shape(0), [&] {
          return lk::minimum_spanning_tree(x.data(), x.shape(0), x.shape(1),
                                           squared ? lk::Sum::squared : lk::Sum::absolute, n_threads);
        });
      },
      nb::arg("X").noconvert(), nb::arg("squared"), nb::arg("n_threads"));
  m.def(
      "ward_linkage",
      [](Matrix<double> x, int n_threads) {
        return linkage(x.shape(0), [&] { return lk::ward(x.data(), x.shape(0), x.shape(1), n_threads); });
      },
      nb::arg("X").noconvert(), nb::arg("n_threads"));
  m.def(
      "matrix_linkage",
      [](Changed distances, std::size_t n, bool complete, int n_threads) {
        same("distances", distances.shape(0), n * (n - 1) / 2);
        return linkage(n, [&] {
          return lk::merge_matrix(distances.data(), n, complete ? lk::Rule::complete : lk::Rule::average, n_threads);
        });
      },
      nb::arg("distances").noconvert(), nb::arg("n"), nb::arg("complete"), nb::arg("n_threads"));
  m.def(
      "pair_distances",
      [](Matrix<double> x, int distance, Changed out, int n_threads) {
        const std::size_t n = x.shape(0);
        same("distances", out.shape(0), n * (n - 1) / 2);
        if (distance < 0 || distance > 2) throw std::invalid_argument("distance is 0, 1 or 2");
        nb::gil_scoped_release released;
        lk::fill_matrix(x.data(), n, x.shape(1), static_cast<lk::Distance>(distance), out.data(), n_threads);
      },
      nb::arg("X").noconvert(), nb::arg("distance"), nb::arg("out").noconvert(), nb::arg("n_threads"));
  // Merges that exist already (rows a, b and heights, parts before what they make), as SciPy writes them.
  m.def(
      "merges_to_linkage",
      [](Vector<std::int64_t> a, Vector<std::int64_t> b, Vector<double> heights) {
        const std::size_t n = heights.shape(0) + 1;
        same("a", a.shape(0), n - 1);
        same("b", b.shape(0), n - 1);
        rows_exist(a, n);
        rows_exist(b, n);
        return linkage(n, [&] {
          std::vector<lk::Merge> merges(n - 1);
          for (std::size_t t = 0; t + 1 < n; ++t) {
            merges[t] = {static_cast<std::int32_t>(a.data()[t]), static_cast<std::int32_t>(b.data()[t]),
                         heights.data()[t]};
          }
          return merges;
        });
      },
      nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("heights").noconvert());
}
