#include <vector>

#include "arrays.hpp"
#include "linear_model/batch_perceptron.hpp"

namespace {

using namespace surefit::bind;
namespace bp = surefit::batch_perceptron;

// Where a fit stands between calls, and what is known of each row.
class Visit {
 public:
  Visit(std::size_t n_features, Vector<double> sign, Vector<double> norm, double scale, double rounding,
        bool fit_intercept)
      : sign_(sign.data(), sign.data() + sign.shape(0)),
        norm_(norm.data(), norm.data() + norm.shape(0)),
        theta_(count("coefficients", {n_features}) + 1),
        look_at_(sign.shape(0)),
        about_{sign_.data(), norm_.data(), scale, rounding, fit_intercept} {
    if (norm_.size() != sign_.size()) throw std::invalid_argument("sign and norm differ in length");
    state_.theta = theta_.data();
    state_.look_at = look_at_.data();
  }
  Visit(const Visit&) = delete;

  template <class Rows>
  int run(const Rows& rows, std::uint64_t most_updates, std::uint64_t most_work) {
    if (rows.n != sign_.size() || rows.d + 1 != theta_.size()) {
      throw std::invalid_argument("the rows have another shape than those the visit began with");
    }
    nb::gil_scoped_release released;
    return static_cast<int>(bp::visit(rows, about_, most_updates, most_work, state_, passes_));
  }

  Array<double> theta() const { return owned(copy(theta_.data(), theta_.size()), {theta_.size()}); }
  Array<std::int64_t> passes() const {
    std::vector<std::int64_t> all(passes_);
    if (state_.position > 0) all.push_back(static_cast<std::int64_t>(state_.updates_in_pass));
    return owned(copy(all.data(), all.size()), {all.size()});
  }
  std::uint64_t updates() const { return state_.updates; }

 private:
  std::vector<double> sign_, norm_, theta_, look_at_;
  bp::About about_;
  bp::State state_{};
  std::vector<std::int64_t> passes_;
};

template <class T>
void define(nb::class_<Visit>& visit) {
  visit.def(
      "run",
      [](Visit& self, Matrix<T> x, std::uint64_t most_updates, std::uint64_t most_work) {
        return self.run(dense(x), most_updates, most_work);
      },
      nb::arg("X").noconvert(), nb::arg("most_updates"), nb::arg("most_work"));
}

template <class T, class I>
void define_csr(nb::class_<Visit>& visit) {
  visit.def(
      "run_csr",
      [](Visit& self, Vector<T> data, Vector<I> indices, Vector<I> indptr, std::size_t n_features,
         std::uint64_t most_updates, std::uint64_t most_work) {
        return self.run(csr(data, indices, indptr, n_features), most_updates, most_work);
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
