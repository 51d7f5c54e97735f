#include "arrays.hpp"
#include "engine/finite.hpp"
#include "engine/permutation.hpp"

namespace {

using namespace surefit::bind;

template <class T>
bool all_finite(const Vector<T>& x, int n_threads) {
  nb::gil_scoped_release released;
  return surefit::all_finite(x.data(), x.shape(0), n_threads);
}

Array<std::int64_t> permutation(std::size_t n, std::uint64_t seed, std::uint64_t epoch, std::uint64_t window) {
  auto out = numbers<std::int64_t>("the permutation", {n});
  surefit::permutation(n, seed, epoch, window, out.get());
  return owned(std::move(out), {n});
}

}  // namespace

void bind_engine(nb::module_& m) {
  m.def("permutation", &permutation, nb::arg("n"), nb::arg("seed"), nb::arg("epoch"), nb::arg("window"));
  m.def("all_finite", &all_finite<float>, nb::arg("x").noconvert(), nb::arg("n_threads"));
  m.def("all_finite", &all_finite<double>, nb::arg("x").noconvert(), nb::arg("n_threads"));
}
