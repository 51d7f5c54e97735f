#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "tree/stumps.hpp"

namespace {

using namespace surefit::bind;
namespace stumps = surefit::stumps;

// Rows in classes, their columns sorted once.
class StumpRows {
 public:
  template <class T>
  StumpRows(const Matrix<T>& columns, const Vector<std::int32_t>& codes, std::size_t n_classes, int n_threads)
      : d_(columns.shape(0)), n_(columns.shape(1)), n_classes_(n_classes), n_threads_(n_threads) {
    if (n_ > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw std::invalid_argument("stumps are for fewer than 2^31 rows");
    }
    same("codes", codes.shape(0), n_);
    for (std::size_t i = 0; i < n_; ++i) {
      if (codes.data()[i] < 0 || static_cast<std::size_t>(codes.data()[i]) >= n_classes) {
        throw std::invalid_argument("codes must lie in 0 … n_classes − 1");
      }
    }
    codes_ = copy(codes.data(), n_);
    order_ = numbers<std::int32_t>("the sorted columns", {d_, n_});
    nb::gil_scoped_release released;
    stumps::sort_columns(columns.data(), n_, d_, n_threads, order_.get());
  }

  // (feature, row, row): the threshold lies between the values of two rows; feature −1 if there is none.
  std::tuple<std::int64_t, std::int64_t, std::int64_t> split(const Vector<double>& w) const {
    same("w", w.shape(0), n_);
    nb::gil_scoped_release released;
    const auto found = stumps::best_split({order_.get(), codes_.get(), w.data(), n_, d_, n_classes_}, n_threads_);
    if (found.feature < 0) return {-1, 0, 0};
    const std::int32_t* at = order_.get() + static_cast<std::size_t>(found.feature) * n_ + found.place;
    return {found.feature, ~at[0], at[1] < 0 ? ~at[1] : at[1]};
  }

 private:
  std::unique_ptr<std::int32_t[]> codes_;  // a copy: nobody changes them
  std::size_t d_, n_, n_classes_;
  int n_threads_;
  std::unique_ptr<std::int32_t[]> order_;
};

}  // namespace

void bind_stumps(nb::module_& m) {
  nb::class_<StumpRows>(m, "StumpRows")
      .def(nb::init<const Matrix<float>&, const Vector<std::int32_t>&, std::size_t, int>(), nb::arg("columns").noconvert(),
           nb::arg("codes").noconvert(), nb::arg("n_classes"), nb::arg("n_threads"))
      .def(nb::init<const Matrix<double>&, const Vector<std::int32_t>&, std::size_t, int>(), nb::arg("columns").noconvert(),
           nb::arg("codes").noconvert(), nb::arg("n_classes"), nb::arg("n_threads"))
      .def("split", &StumpRows::split, nb::arg("w").noconvert());
}
