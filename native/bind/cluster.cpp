#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "cluster/kmeans.hpp"

namespace km = surefit::kmeans;

namespace {

using namespace surefit::bind;

template <class T>
struct DenseInput {
  surefit::DenseRows<T> rows;
  surefit::Aligned<T> tail{};
  km::PaddedRows<T> open() { return km::padded_rows(rows, tail); }
};

template <class T, class I>
struct CsrInput {
  surefit::CsrRows<T, I> rows;
  const surefit::CsrRows<T, I>& open() const { return rows; }
};

using PassResult = std::tuple<Array<double>, Array<double>, double, std::uint64_t>;
using AssignResult = std::tuple<Array<std::int32_t>, std::optional<Array<double>>>;
using SeedResult = std::tuple<Array<std::int64_t>, double>;

template <class Input, class T>
km::Problem<T> problem(const Input& input, const Weights& w, const Matrix<double>& centers,
                       const std::optional<Vector<T>>& shift, double scale, std::uint64_t start,
                       std::size_t leaf_rows, int n_threads) {
  same("columns of the centers", centers.shape(1), input.rows.d);
  if (w) same("weights", w->shape(0), input.rows.n);
  if (shift) same("shift", shift->shape(0), input.rows.d);
  return {data_of(w), centers.data(), centers.shape(0), shift ? shift->data() : nullptr, scale,
          start,      leaf_rows,      n_threads};
}

template <class Input, class T>
PassResult pass(Input input, const Weights& w, const Matrix<double>& centers, const std::optional<Vector<T>>& shift,
                double scale, std::uint64_t start, std::size_t leaf_rows, int n_threads, km::Scratch* scratch) {
  const auto p = problem<Input, T>(input, w, centers, shift, scale, start, leaf_rows, n_threads);
  km::Statistic out;
  {
    nb::gil_scoped_release released;
    km::lloyd_pass(input.open(), p, scratch, nullptr, nullptr, &out);
  }
  const std::size_t k = p.k, d = input.rows.d;
  return {owned(copy(out.weight.data(), k), {k}), owned(copy(out.sums.data(), k * d), {k, d}), out.inertia,
          out.fingerprint};
}

template <class Input, class T>
AssignResult assign(Input input, const Matrix<double>& centers, const std::optional<Vector<T>>& shift, double scale,
                    std::size_t leaf_rows, int n_threads, bool distances) {
  const std::size_t n = input.rows.n;
  const auto p = problem<Input, T>(input, std::nullopt, centers, shift, scale, 0, leaf_rows, n_threads);
  auto label = numbers<std::int32_t>("labels", {n});
  std::unique_ptr<double[]> sq_dist = distances ? numbers<double>("distances", {n}) : nullptr;
  {
    nb::gil_scoped_release released;
    km::Statistic unused;
    km::lloyd_pass(input.open(), p, nullptr, label.get(), sq_dist.get(), distances ? &unused : nullptr);
  }
  std::optional<Array<double>> far;
  if (distances) far = owned(std::move(sq_dist), {n});
  return {owned(std::move(label), {n}), far};
}

template <class Input>
SeedResult seed(Input input, const Vector<std::int64_t>& order, const Weights& w, std::size_t k, std::size_t n_trials,
                const Vector<double>& uniform, double scale, bool farthest, std::size_t leaf_rows, int n_threads) {
  const std::size_t n = order.shape(0);
  if (w) same("weights", w->shape(0), n);
  if (k == 0) throw std::invalid_argument("at least one center is needed");
  same("random numbers", uniform.shape(0), 1 + count("random numbers", {k - 1, n_trials}));
  count("trials", {n_trials, input.rows.d});
  auto chosen = numbers<std::int64_t>("seeds", {k});
  double potential;
  {
    nb::gil_scoped_release released;
    const auto seeding = farthest ? km::Seeding::farthest : km::Seeding::plus_plus;
    potential = km::seed(input.open(),
                         {order.data(), n, data_of(w), k, n_trials, uniform.data(), scale, seeding, leaf_rows, n_threads},
                         chosen.get());
  }
  return {owned(std::move(chosen), {k}), potential};
}

template <class T>
void define(nb::module_& m) {
  using Input = DenseInput<T>;
  using Shift = std::optional<Vector<T>>;
  m.def(
      "kmeans_pass",
      [](Matrix<T> x, Weights w, Matrix<double> centers, Shift shift, double scale, std::uint64_t start,
         std::size_t leaf_rows, int n_threads, km::Scratch* scratch) {
        return pass<Input, T>(Input{dense(x)}, w, centers, shift, scale, start, leaf_rows, n_threads, scratch);
      },
      nb::arg("X").noconvert(), nb::arg("w").none().noconvert(), nb::arg("centers").noconvert(),
      nb::arg("shift").none().noconvert(), nb::arg("scale"), nb::arg("start"), nb::arg("leaf_rows"),
      nb::arg("n_threads"), nb::arg("scratch").none());
  m.def(
      "kmeans_assign",
      [](Matrix<T> x, Matrix<double> centers, Shift shift, double scale, std::size_t leaf_rows, int n_threads,
         bool distances) {
        return assign<Input, T>(Input{dense(x)}, centers, shift, scale, leaf_rows, n_threads, distances);
      },
      nb::arg("X").noconvert(), nb::arg("centers").noconvert(), nb::arg("shift").none().noconvert(), nb::arg("scale"),
      nb::arg("leaf_rows"), nb::arg("n_threads"), nb::arg("distances"));
  m.def(
      "kmeans_seed",
      [](Matrix<T> x, Vector<std::int64_t> order, Weights w, std::size_t k, std::size_t n_trials,
         Vector<double> uniform, double scale, bool farthest, std::size_t leaf_rows, int n_threads) {
        return seed(Input{dense(x)}, order, w, k, n_trials, uniform, scale, farthest, leaf_rows, n_threads);
      },
      nb::arg("X").noconvert(), nb::arg("order").noconvert(), nb::arg("w").none().noconvert(), nb::arg("k"),
      nb::arg("n_trials"), nb::arg("uniform").noconvert(), nb::arg("scale"), nb::arg("farthest"), nb::arg("leaf_rows"),
      nb::arg("n_threads"));
}

template <class T, class I>
void define_csr(nb::module_& m) {
  using Input = CsrInput<T, I>;
  const std::optional<Vector<T>> none;
  m.def(
      "kmeans_pass_csr",
      [none](Vector<T> data, Vector<I> indices, Vector<I> indptr, std::size_t n_features, Weights w,
             Matrix<double> centers, double scale, std::uint64_t start, std::size_t leaf_rows, int n_threads,
             km::Scratch* scratch) {
        return pass<Input, T>(Input{csr(data, indices, indptr, n_features)}, w, centers, none, scale, start, leaf_rows,
                              n_threads, scratch);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("n_features"), nb::arg("w").none().noconvert(), nb::arg("centers").noconvert(), nb::arg("scale"),
      nb::arg("start"), nb::arg("leaf_rows"), nb::arg("n_threads"), nb::arg("scratch").none());
  m.def(
      "kmeans_assign_csr",
      [none](Vector<T> data, Vector<I> indices, Vector<I> indptr, std::size_t n_features, Matrix<double> centers,
             double scale, std::size_t leaf_rows, int n_threads, bool distances) {
        return assign<Input, T>(Input{csr(data, indices, indptr, n_features)}, centers, none, scale, leaf_rows, n_threads,
                                distances);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("n_features"), nb::arg("centers").noconvert(), nb::arg("scale"), nb::arg("leaf_rows"),
      nb::arg("n_threads"), nb::arg("distances"));
  m.def(
      "kmeans_seed_csr",
      [](Vector<T> data, Vector<I> indices, Vector<I> indptr, std::size_t n_features, Vector<std::int64_t> order,
         Weights w, std::size_t k, std::size_t n_trials, Vector<double> uniform, double scale, bool farthest,
         std::size_t leaf_rows, int n_threads) {
        return seed(Input{csr(data, indices, indptr, n_features)}, order, w, k, n_trials, uniform, scale, farthest,
                    leaf_rows, n_threads);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("n_features"), nb::arg("order").noconvert(), nb::arg("w").none().noconvert(), nb::arg("k"),
      nb::arg("n_trials"), nb::arg("uniform").noconvert(), nb::arg("scale"), nb::arg("farthest"), nb::arg("leaf_rows"),
      nb::arg("n_threads"));
}

}  // namespace

void bind_cluster(nb::module_& m) {
  nb::class_<km::Scratch>(m, "KMeansScratch").def(nb::init<>()).def("labels", [](const km::Scratch& s) {
    std::unique_ptr<std::int32_t[]> copy(new std::int32_t[s.label.size()]);
    std::copy(s.label.begin(), s.label.end(), copy.get());
    return owned(std::move(copy), {s.label.size()});
  });
  define<float>(m);
  define<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
