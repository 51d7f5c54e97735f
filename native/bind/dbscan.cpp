#include "cluster/dbscan.hpp"

#include "arrays.hpp"

namespace {

using namespace surefit;
using namespace surefit::bind;

using Found = std::tuple<Array<std::int64_t>, Array<std::uint8_t>, std::size_t>;

template <class T>
void define(nb::module_& m) {
  m.def(
      "dbscan",
      [](Matrix<T> x, Weights w, int norm, double eps, bool squared, double min_samples, bool grid,
         int n_threads) -> Found {
        if (norm < 0 || norm > 2) throw std::invalid_argument("norm must be 0, 1 or 2");
        const std::size_t n = x.shape(0);
        if (w) same("weights", w->shape(0), n);
        auto labels = numbers<std::int64_t>("labels", {n});
        auto core = numbers<std::uint8_t>("core rows", {n});
        std::size_t n_clusters;
        {
          nb::gil_scoped_release released;
          const dbscan::Problem problem{
              static_cast<dbscan::Norm>(norm), eps, squared, min_samples, data_of(w), n_threads, grid};
          n_clusters = dbscan::cluster(dense(x), problem, labels.get(), core.get());
        }
        return {owned(std::move(labels), {n}), owned(std::move(core), {n}), n_clusters};
      },
      nb::arg("X").noconvert(), nb::arg("w").none().noconvert(), nb::arg("norm"), nb::arg("eps"),
      nb::arg("squared"), nb::arg("min_samples"), nb::arg("grid"), nb::arg("n_threads"));
}

}  // namespace

void bind_dbscan(nb::module_& m) {
  define<float>(m);
  define<double>(m);
}
