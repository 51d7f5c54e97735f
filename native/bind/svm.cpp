#include <tuple>
#include <type_traits>
#include <vector>

#include "arrays.hpp"
#include "surefit/aligned.hpp"
#include "surefit/parallel.hpp"
#include "svm/smo.hpp"
#include "svm/smo_turns.hpp"

namespace {

using namespace surefit::bind;

// low, high
using Box = std::tuple<Vector<double>, Vector<double>>;

template <class T>
std::tuple<std::size_t, double> descend(const Matrix<T>& K, const Vector<double>& diagonal, const Box& box, Changed beta,
                                        Changed F, double eps, std::size_t most) {
  const std::size_t m = beta.shape(0);
  const auto& [low, high] = box;
  same("K", K.shape(0), m);
  same("a row of K", K.shape(1), m);
  same("diagonal", diagonal.shape(0), m);
  same("low", low.shape(0), m);
  same("high", high.shape(0), m);
  same("F", F.shape(0), m);
  const surefit::Aligned<double> work(2 * m);
  const surefit::smo::Problem<T> problem{K.data(),   diagonal.data(), low.data(),  high.data(),    beta.data(),
                                         F.data(),   work.data(),     work.data() + m, m};
  nb::gil_scoped_release release;
  surefit::smo::Outcome out;
  if constexpr (std::is_same_v<T, float>) {
    out = SUREFIT_TABLE(smo_loops).single(problem, eps, most);
  } else {
    out = SUREFIT_TABLE(smo_loops).twice(problem, eps, most);
  }
  return {out.steps, out.violation};
}

// first_share, next_share, most, rel_gap
using Ends = std::tuple<double, double, std::size_t, double>;

// steps, bias, D, gap; β and F are written.
std::tuple<std::size_t, double, double, double> turns(const Matrix<double>& K, const Vector<double>& q, const Box& box,
                                                      const Ends& ends, Changed beta, Changed F) {
  const std::size_t m = beta.shape(0);
  const auto& [low, high] = box;
  const auto& [first_share, next_share, most, rel_gap] = ends;
  if (m == 0) throw nb::value_error("there must be a variable");
  same("K", K.shape(0), m);
  same("a row of K", K.shape(1), m);
  same("q", q.shape(0), m);
  same("low", low.shape(0), m);
  same("high", high.shape(0), m);
  same("F", F.shape(0), m);
  const surefit::smo::Square problem{K.data(), q.data(), low.data(), high.data(), m};
  nb::gil_scoped_release release;
  const surefit::smo::Turn turn =
      surefit::smo::turns(problem, {first_share, next_share, most, rel_gap}, beta.data(), F.data());
  return {turn.steps, turn.gap.bias, turn.gap.value, turn.gap.gap};
}

constexpr std::size_t kColumns = 2048;  // of one task

// F += Σ factor · row over the rows of `held` at these places.
template <class T>
void add_rows(const Matrix<T>& held, const Vector<std::int64_t>& places, const Vector<double>& factors, Changed F,
              int n_threads) {
  const std::size_t n = F.shape(0), count = places.shape(0);
  same("a row", held.shape(1), n);
  same("factors", factors.shape(0), count);
  rows_exist(places, held.shape(0));
  std::vector<const T*> rows(count);
  for (std::size_t r = 0; r < count; ++r) rows[r] = held.data() + static_cast<std::size_t>(places.data()[r]) * n;
  const surefit::smo::Combination<T> sum{rows.data(), factors.data(), count};
  double* out = F.data();
  nb::gil_scoped_release release;
  const surefit::smo::Loops& loops = SUREFIT_TABLE(smo_loops);
  surefit::parallel_for((n + kColumns - 1) / kColumns, n_threads, [&](std::size_t task, int) {
    const std::size_t first = task * kColumns, end = std::min(first + kColumns, n);
    if constexpr (std::is_same_v<T, float>) {
      loops.add_single(sum, first, end, out);
    } else {
      loops.add_twice(sum, first, end, out);
    }
  });
}

template <class T>
void define(nb::module_& m) {
  m.def("smo_add_rows", &add_rows<T>, nb::arg("held").noconvert(), nb::arg("places").noconvert(),
        nb::arg("factors").noconvert(), nb::arg("F").noconvert(), nb::arg("n_threads"));
  m.def("smo_descend", &descend<T>, nb::arg("K").noconvert(), nb::arg("diagonal").noconvert(), nb::arg("box"),
        nb::arg("beta").noconvert(), nb::arg("F").noconvert(), nb::arg("eps"), nb::arg("most"));
}

}  // namespace

void bind_svm(nb::module_& m) {
  define<float>(m);
  define<double>(m);
  m.def("smo_turns", &turns, nb::arg("K").noconvert(), nb::arg("q").noconvert(), nb::arg("box"), nb::arg("ends"),
        nb::arg("beta").noconvert(), nb::arg("F").noconvert());
}
