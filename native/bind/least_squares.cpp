#include <tuple>

#include "arrays.hpp"
#include "linear_model/twofold_gap.hpp"

namespace {

using namespace surefit::bind;

// (g high, g low, g0 high, g0 low, residual sums of squares)
using Gap = std::tuple<Array<double>, Array<double>, Array<double>, Array<double>, Array<double>>;

Gap twofold_gap(const Matrix<double>& x, const Matrix<double>& y, const Weights& omega, const Vector<double>& center,
                const Vector<double>& scale, const Matrix<double>& w_high, const Matrix<double>& w_low,
                const Vector<double>& b_high, const Vector<double>& b_low) {
  const std::size_t d = x.shape(1), t = y.shape(1);
  same("y", y.shape(0), x.shape(0));
  if (omega) same("omega", omega->shape(0), x.shape(0));
  same("center", center.shape(0), d + t);
  same("scale", scale.shape(0), d + t);
  for (const auto* w : {&w_high, &w_low}) {
    same("w", w->shape(0), t);
    same("a row of w", w->shape(1), d);
  }
  same("b_high", b_high.shape(0), t);
  same("b_low", b_low.shape(0), t);
  auto g_high = numbers<double>("a gradient", {t, d}), g_low = numbers<double>("a gradient", {t, d});
  auto g0_high = numbers<double>("a gradient", {t}), g0_low = numbers<double>("a gradient", {t});
  auto residual_ss = numbers<double>("sums of squares", {t});
  auto work = numbers<double>("deviations and sums", {surefit::least_squares::gap_work(d)});
  {
    nb::gil_scoped_release released;
    SUREFIT_TABLE(gap_loops).gap({dense(x), y.data(), data_of(omega), t, center.data(), scale.data(), w_high.data(),
                                  w_low.data(), b_high.data(), b_low.data()},
                                 {g_high.get(), g_low.get(), g0_high.get(), g0_low.get(), residual_ss.get(), work.get()});
  }
  return {owned(std::move(g_high), {t, d}), owned(std::move(g_low), {t, d}), owned(std::move(g0_high), {t}),
          owned(std::move(g0_low), {t}), owned(std::move(residual_ss), {t})};
}

}  // namespace

void bind_least_squares(nb::module_& m) {
  m.def("twofold_gap", &twofold_gap, nb::arg("x").noconvert(), nb::arg("y").noconvert(),
        nb::arg("omega").none().noconvert(), nb::arg("center").noconvert(), nb::arg("scale").noconvert(),
        nb::arg("w_high").noconvert(), nb::arg("w_low").noconvert(), nb::arg("b_high").noconvert(),
        nb::arg("b_low").noconvert());
}
