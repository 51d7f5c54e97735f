#include "arrays.hpp"
#include "summaries/bins.hpp"

namespace {

using namespace surefit::bind;
namespace bins = surefit::bins;

template <class T>
using AnyOrder = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
using Bytes = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Into `out`, which may be a part of a larger matrix or of a file.
template <class T>
void transform(const AnyOrder<T>& x, const Vector<double>& thresholds, const Vector<std::int64_t>& starts,
               const Vector<std::uint8_t>& categorical, int n_threads, const Bytes& out) {
  const std::size_t n = x.shape(0), d = x.shape(1);
  same("starts", starts.shape(0), d + 1);
  same("categorical", categorical.shape(0), d);
  same("out", out.shape(0), n);
  same("a row of out", out.shape(1), d);
  for (std::size_t j = 0; j < d; ++j) {
    const std::int64_t lo = starts.data()[j], hi = starts.data()[j + 1];
    if (lo < 0 || hi < lo || hi - lo > 254 || static_cast<std::size_t>(hi) > thresholds.shape(0)) {
      throw std::invalid_argument("column " + std::to_string(j) + " has more than 254 thresholds, or not those it names");
    }
  }
  nb::gil_scoped_release released;
  bins::transform(x.data(), n, static_cast<std::ptrdiff_t>(x.stride(0)), static_cast<std::ptrdiff_t>(x.stride(1)),
                  {thresholds.data(), starts.data(), categorical.data(), d}, n_threads, out.data());
}

}  // namespace

void bind_bins(nb::module_& m) {
  m.def("transform_bins", &transform<float>);
  m.def("transform_bins", &transform<double>);
}
