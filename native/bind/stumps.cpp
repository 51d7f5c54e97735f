#include <limits>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "tree/stumps.hpp"

namespace {

using namespace surefit::bind;
namespace stumps = surefit::stumps;

template <class T>
Array<std::int32_t> stump_columns(const Matrix<T>& columns, int n_threads) {
  const std::size_t d = columns.shape(0), n = columns.shape(1);
  if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::invalid_argument("stumps are for fewer than 2^31 rows");
  }
  auto order = numbers<std::int32_t>("the sorted columns", {d, n});
  {
    nb::gil_scoped_release released;
    stumps::sort_columns(columns.data(), n, d, n_threads, order.get());
  }
  return owned(std::move(order), {d, n});
}

std::tuple<std::int64_t, std::int64_t> stump_split(const Matrix<std::int32_t>& order, const Vector<std::int32_t>& codes,
                                                   const Vector<double>& w, std::size_t n_classes, int n_threads) {
  const std::size_t d = order.shape(0), n = order.shape(1);
  same("codes", codes.shape(0), n);
  same("w", w.shape(0), n);
  nb::gil_scoped_release released;
  for (std::size_t i = 0; i < n; ++i) {
    if (codes.data()[i] < 0 || static_cast<std::size_t>(codes.data()[i]) >= n_classes) {
      throw std::invalid_argument("codes must lie in 0 … n_classes − 1");
    }
  }
  std::int32_t largest = -1;
  for (std::size_t i = 0; i < d * n; ++i) {
    const std::int32_t entry = order.data()[i];
    largest = std::max(largest, entry < 0 ? ~entry : entry);
  }
  if (largest >= static_cast<std::int64_t>(n)) throw std::invalid_argument("order holds a number that is no row");
  const auto split = stumps::best_split({order.data(), codes.data(), w.data(), n, d, n_classes}, n_threads);
  return {split.feature, split.place};
}

}  // namespace

void bind_stumps(nb::module_& m) {
  m.def("stump_columns", &stump_columns<float>, nb::arg("columns").noconvert(), nb::arg("n_threads"));
  m.def("stump_columns", &stump_columns<double>, nb::arg("columns").noconvert(), nb::arg("n_threads"));
  m.def("stump_split", &stump_split, nb::arg("order").noconvert(), nb::arg("codes").noconvert(),
        nb::arg("w").noconvert(), nb::arg("n_classes"), nb::arg("n_threads"));
}
