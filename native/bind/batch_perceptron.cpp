#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "linear_model/batch_perceptron.hpp"

namespace nb = nanobind;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T> copied(const std::vector<T>& numbers) {
  std::unique_ptr<T[]> out(new T[numbers.size()]);
  std::copy(numbers.begin(), numbers.end(), out.get());
  T* p = out.get();
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<T*>(q); });
  out.release();
  return nb::ndarray<nb::numpy, T>(p, {numbers.size()}, owner);
}

// Where a fit stands between calls, and what is known of each row.
class Visit {
 public:
  Visit(std::size_t n_features, Vector<double> sign, Vector<double> norm, double scale, double rounding,
        bool fit_intercept)
      : sign_(sign.data(), sign.data() + sign.shape(0)),
        norm_(norm.data(), norm.data() + norm.shape(0)),
        theta_(n_features + 1),
        look_at_(sign.shape(0)),
        about_{sign_.data(), norm_.data(), scale, rounding, fit_intercept} {
    if (norm_.size() != sign_.size()) throw std::invalid_argument("sign and norm differ in length");
    state_.theta = theta_.data();
    state_.look_at = look_at_.data();
  }
  Visit(const Visit&) = delete;

  template <class Rows>
  int run(const Rows& rows, std::uint64_t most_updates, std::uint64_t most_work) {
    if (rows.n_rows != sign_.size() || rows.d + 1 != theta_.size()) {
      throw std::invalid_argument("the rows have another shape than those the visit began with");
    }
    nb::gil_scoped_release released;
    return static_cast<int>(surefit::batch_perceptron(rows, about_, most_updates, most_work, state_, passes_));
  }

  nb::ndarray<nb::numpy, double> theta() const { return copied(theta_); }
  nb::ndarray<nb::numpy, std::int64_t> passes() const {
    std::vector<std::int64_t> all(passes_);
    if (state_.position > 0) all.push_back(static_cast<std::int64_t>(state_.updates_in_pass));
    return copied(all);
  }
  std::uint64_t updates() const { return state_.updates; }

 private:
  std::vector<double> sign_, norm_, theta_, look_at_;
  surefit::PerceptronRows about_;
  surefit::PerceptronState state_{};
  std::vector<std::int64_t> passes_;
};

template <class T>
void define(nb::class_<Visit>& visit) {
  visit.def(
      "run",
      [](Visit& self, Matrix<T> x, std::uint64_t most_updates, std::uint64_t most_work) {
        return self.run(surefit::DenseRows<T>{x.data(), x.shape(0), x.shape(1)}, most_updates, most_work);
      },
      nb::arg("X").noconvert(), nb::arg("most_updates"), nb::arg("most_work"));
}

template <class T, class I>
void define_csr(nb::class_<Visit>& visit) {
  visit.def(
      "run_csr",
      [](Visit& self, Vector<T> data, Vector<I> indices, Vector<I> indptr, std::size_t n_features,
         std::uint64_t most_updates, std::uint64_t most_work) {
        const std::size_t held = data.shape(0);
        bool sound = indptr.shape(0) > 0 && indices.shape(0) == held && indptr.data()[0] == 0 &&
                     static_cast<std::size_t>(indptr.data()[indptr.shape(0) - 1]) == held &&
                     std::is_sorted(indptr.data(), indptr.data() + indptr.shape(0));
        sound = sound && std::all_of(indices.data(), indices.data() + held, [&](I j) {
                  return j >= 0 && static_cast<std::size_t>(j) < n_features;
                });
        if (!sound) throw std::invalid_argument("the CSR rows are not well formed");
        const surefit::CsrRows<T, I> rows{data.data(), indices.data(), indptr.data(), indptr.shape(0) - 1, n_features};
        return self.run(rows, most_updates, most_work);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("n_features"), nb::arg("most_updates"), nb::arg("most_work"));
}

}  // namespace

void bind_batch_perceptron(nb::module_& m) {
  nb::class_<Visit> visit(m, "PerceptronVisit");
  visit.def(nb::init<std::size_t, Vector<double>, Vector<double>, double, double, bool>(), nb::arg("n_features"),
            nb::arg("sign").noconvert(), nb::arg("norm").noconvert(), nb::arg("scale"), nb::arg("rounding"),
            nb::arg("fit_intercept"));
  define<float>(visit);
  define<double>(visit);
  define_csr<float, std::int32_t>(visit);
  define_csr<float, std::int64_t>(visit);
  define_csr<double, std::int32_t>(visit);
  define_csr<double, std::int64_t>(visit);
  visit.def_prop_ro("theta", &Visit::theta, nb::rv_policy::automatic);
  visit.def_prop_ro("passes", &Visit::passes, nb::rv_policy::automatic);
  visit.def_prop_ro("updates", &Visit::updates);
}
