#include <nanobind/stl/string.h>

#include <vector>

#include "arrays.hpp"
#include "tree/boosting_pass.hpp"
#include "tree/histogram_grow.hpp"

namespace {

using namespace surefit::bind;
namespace histogram = surefit::histogram;
namespace boosting = surefit::boosting;

// The rows of one fit: their bins, the integers of a round, and the memory that its trees share.
class Rows {
 public:
  Rows(Matrix<std::uint8_t> bins, const Vector<std::int64_t>& n_bins, const Vector<std::uint8_t>& categorical,
       int n_threads, bool columns)
      : kept_(bins), n_threads_(n_threads), rows_(bins.data(), bins.shape(0), bins.shape(1), columns, n_threads) {
    same("n_bins", n_bins.shape(0), rows_.d);
    same("categorical", categorical.shape(0), rows_.d);
    for (std::size_t j = 0; j < rows_.d; ++j) {
      const std::int64_t b = n_bins.data()[j];
      if (b < 1 || b > 255) throw std::invalid_argument("a feature has 1 to 255 bins; got " + std::to_string(b));
      features_.push_back({j, static_cast<std::size_t>(b), categorical.data()[j] != 0});
    }
    if (rows_.n == 0 || rows_.n >= (std::size_t{1} << 32)) throw std::invalid_argument("1 to 2^32 - 1 rows, please");
  }

  void take(const Vector<double>& g, const Weights& h, const Weights& c) {
    same("the gradient", g.shape(0), rows_.n);
    if (h) same("the hessian", h->shape(0), rows_.n);
    if (c) same("the weights", c->shape(0), rows_.n);
    nb::gil_scoped_release released;
    statistics_.round(g.data(), data_of(h), data_of(c), rows_.n, n_threads_);
    taken_ = true;
  }

  nb::dict grow(double l2, double min_weight, std::size_t max_leaves, std::size_t max_depth, double max_features,
                std::uint64_t seed, const std::optional<Vector<std::int8_t>>& monotonic,
                const std::optional<Matrix<std::uint8_t>>& groups) {
    if (!taken_) throw std::invalid_argument("take gradients first");
    if (monotonic) same("monotonic", monotonic->shape(0), rows_.d);
    if (groups) same("a row of groups", groups->shape(1), rows_.d);
    histogram::Options options{{l2, min_weight, monotonic ? monotonic->data() : nullptr},
                               max_leaves,
                               max_depth,
                               max_features,
                               seed,
                               groups ? groups->data() : nullptr,
                               groups ? groups->shape(0) : 0,
                               n_threads_};
    histogram::Grown t;
    {
      nb::gil_scoped_release released;
      t = histogram::grow(rows_, features_, statistics_, options, memory_);
    }
    const std::size_t m = t.left.size();
    nb::dict out;
    out["left"] = array(t.left, {m});
    out["right"] = array(t.right, {m});
    out["feature"] = array(t.feature, {m});
    out["bin"] = array(t.bin, {m});
    out["missing_left"] = array(t.missing_left, {m});
    out["categorical"] = array(t.categorical, {m});
    out["sets"] = array(t.sets, {m, 4});
    out["value"] = array(t.value, {m});
    out["score"] = array(t.score, {m});
    out["n_rows"] = array(t.n_rows, {m});
    out["first_row"] = array(t.first_row, {m});
    out["weight"] = array(t.weight, {m});
    out["hessian"] = array(t.hessian, {m});
    out["gradient"] = array(t.gradient, {m});
    return out;
  }

  // The rows, those of every leaf side by side.
  Array<std::uint32_t> order() const {
    return owned(copy(memory_.order.data(), memory_.order.size()), {memory_.order.size()});
  }

  void add_steps(const Vector<std::int64_t>& first, const Vector<std::int64_t>& count, const Vector<double>& value,
                 const Changed& raw) const {
    same("count", count.shape(0), first.shape(0));
    same("value", value.shape(0), first.shape(0));
    same("raw", raw.shape(0), rows_.n);
    for (std::size_t i = 0; i < first.shape(0); ++i) {
      const std::int64_t lo = first.data()[i], n = count.data()[i];
      if (lo < 0 || n < 0 || static_cast<std::size_t>(lo) + static_cast<std::size_t>(n) > memory_.order.size()) {
        throw std::invalid_argument("a leaf names rows that are not there");
      }
    }
    nb::gil_scoped_release released;
    boosting::add_steps({memory_.order.data(), first.data(), count.data(), value.data(), first.shape(0)}, raw.data(),
                        n_threads_);
  }

 private:
  template <class T>
  static Array<T> array(const std::vector<T>& v, Shape shape) {
    return owned(copy(v.data(), v.size()), shape);
  }

  Matrix<std::uint8_t> kept_;
  int n_threads_;
  histogram::BinnedRows rows_;
  std::vector<histogram::Feature> features_;
  histogram::Statistics statistics_;
  histogram::Memory memory_;
  bool taken_ = false;
};

double logistic_slopes(const Vector<double>& raw, const Vector<double>& y, const Weights& w, const Changed& gradient,
                       const Changed& hessian, int n_threads) {
  const std::size_t n = raw.shape(0);
  same("y", y.shape(0), n);
  if (w) same("w", w->shape(0), n);
  same("gradient", gradient.shape(0), n);
  same("hessian", hessian.shape(0), n);
  nb::gil_scoped_release released;
  return boosting::logistic(raw.data(), y.data(), data_of(w), n, gradient.data(), hessian.data(), n_threads);
}

double squared_slopes(const Vector<double>& raw, const Vector<double>& y, const Weights& w, const Changed& gradient,
                      int n_threads) {
  const std::size_t n = raw.shape(0);
  same("y", y.shape(0), n);
  if (w) same("w", w->shape(0), n);
  same("gradient", gradient.shape(0), n);
  nb::gil_scoped_release released;
  return boosting::squared(raw.data(), y.data(), data_of(w), n, gradient.data(), n_threads);
}

}  // namespace

void bind_histogram_trees(nb::module_& m) {
  nb::class_<Rows>(m, "HistogramRows")
      .def(nb::init<Matrix<std::uint8_t>, const Vector<std::int64_t>&, const Vector<std::uint8_t>&, int, bool>())
      .def("take", &Rows::take, nb::arg("gradient"), nb::arg("hessian").none(), nb::arg("weight").none())
      .def("grow", &Rows::grow, nb::arg("l2"), nb::arg("min_weight"), nb::arg("max_leaves"), nb::arg("max_depth"),
           nb::arg("max_features"), nb::arg("seed"), nb::arg("monotonic").none(), nb::arg("groups").none())
      .def("order", &Rows::order)
      .def("add_steps", &Rows::add_steps);
  m.def("logistic_slopes", &logistic_slopes, nb::arg("raw"), nb::arg("y"), nb::arg("w").none(), nb::arg("gradient"),
        nb::arg("hessian"), nb::arg("n_threads"));
  m.def("squared_slopes", &squared_slopes, nb::arg("raw"), nb::arg("y"), nb::arg("w").none(), nb::arg("gradient"),
        nb::arg("n_threads"));
}
