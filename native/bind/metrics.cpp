#include "arrays.hpp"
#include "metrics/roc.hpp"

namespace {

using namespace surefit::bind;
namespace roc = surefit::roc;

template <class T>
roc::Rows<T> rows_of(const Vector<T>& score, const Vector<bool>& positive, const Weights& weight) {
  same("positive", positive.shape(0), score.shape(0));
  if (weight) same("weight", weight->shape(0), score.shape(0));
  return {score.data(), reinterpret_cast<const std::uint8_t*>(positive.data()), data_of(weight), score.shape(0)};
}

// Memory that was never touched costs nothing; much of it is given back all the same.
Array<double> trimmed(std::unique_ptr<double[]> points, std::size_t size, std::size_t places) {
  if (size < places / 2) points = copy(points.get(), size);
  return owned(std::move(points), {size});
}

template <class T>
nb::tuple curve(const Vector<T>& score, const Vector<bool>& positive, const Weights& weight, bool corners,
                int n_threads) {
  const auto rows = rows_of(score, positive, weight);
  const std::size_t places = rows.n + 1;
  auto fp = numbers<double>("the curve", {places}), tp = numbers<double>("the curve", {places}),
       threshold = numbers<double>("the curve", {places});
  std::size_t size;
  {
    nb::gil_scoped_release released;
    size = roc::curve(rows, corners, n_threads, fp.get(), tp.get(), threshold.get());
  }
  return nb::make_tuple(trimmed(std::move(fp), size, places), trimmed(std::move(tp), size, places),
                        trimmed(std::move(threshold), size, places));
}

template <class T>
std::uint64_t half_pairs(const Vector<T>& score, const Vector<bool>& positive, int n_threads) {
  const auto rows = rows_of(score, positive, {});
  if (rows.n > std::size_t{1} << 32) throw std::invalid_argument("more than 2³² rows have too many pairs to count");
  nb::gil_scoped_release released;
  return roc::half_pairs(rows, n_threads);
}

template <class T>
double weighted_area(const Vector<T>& score, const Vector<bool>& positive, const Vector<double>& weight,
                     int n_threads) {
  const auto rows = rows_of(score, positive, weight);
  nb::gil_scoped_release released;
  return roc::weighted_area(rows, n_threads);
}

template <class T>
void define(nb::module_& m) {
  m.def("roc_curve", &curve<T>, nb::arg("score").noconvert(), nb::arg("positive").noconvert(),
        nb::arg("weight").none(), nb::arg("corners"), nb::arg("n_threads"));
  m.def("roc_half_pairs", &half_pairs<T>, nb::arg("score").noconvert(), nb::arg("positive").noconvert(),
        nb::arg("n_threads"));
  m.def("roc_weighted_area", &weighted_area<T>, nb::arg("score").noconvert(), nb::arg("positive").noconvert(),
        nb::arg("weight").noconvert(), nb::arg("n_threads"));
}

}  // namespace

void bind_metrics(nb::module_& m) {
  define<float>(m);
  define<double>(m);
}
