#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "cluster/kmeans.hpp"

namespace km = surefit::kmeans;

namespace {

using namespace surefit::bind;

template <class T>
struct DenseInput {
  Matrix<T> x;
  km::Aligned<T> tail{};
  std::size_t n() const { return x.shape(0); }
  std::size_t d() const { return x.shape(1); }
  km::Dense<T> open() { return km::dense_rows(x.data(), n(), d(), tail); }
};

template <class T, class I>
struct CsrInput {
  Vector<T> data;
  Vector<I> indices, indptr;
  std::size_t n_features;
  std::size_t n() const {
    if (indptr.shape(0) == 0) throw std::invalid_argument("CSR: indptr is empty");
    return indptr.shape(0) - 1;
  }
  std::size_t d() const { return n_features; }
  km::Csr<T, I> open() {
    same("CSR indices", indices.shape(0), data.shape(0));
    return km::csr_rows(data.data(), data.shape(0), indices.data(), indptr.data(), n(), n_features);
  }
};

using PassResult = std::tuple<Array<double>, Array<double>, double, std::uint64_t>;
using AssignResult = std::tuple<Array<std::int32_t>, std::optional<Array<double>>>;
using SeedResult = std::tuple<Array<std::int64_t>, double>;

template <class Input, class T>
km::Problem<T> problem(const Input& input, const Weights& w, const Matrix<double>& centres,
                       const std::optional<Vector<T>>& shift, double scale, std::uint64_t start,
                       std::size_t leaf_rows, int n_threads) {
  same("columns of the centres", centres.shape(1), input.d());
  if (w) same("weights", w->shape(0), input.n());
  if (shift) same("shift", shift->shape(0), input.d());
  return {w ? w->data() : nullptr, centres.data(), centres.shape(0), shift ? shift->data() : nullptr, scale, start,
          leaf_rows,               n_threads};
}

template <class Input, class T>
PassResult pass(Input input, const Weights& w, const Matrix<double>& centres, const std::optional<Vector<T>>& shift,
                double scale, std::uint64_t start, std::size_t leaf_rows, int n_threads, km::Scratch* scratch) {
  const auto p = problem<Input, T>(input, w, centres, shift, scale, start, leaf_rows, n_threads);
  km::Statistic out;
  {
    nb::gil_scoped_release released;
    km::lloyd_pass(input.open(), p, scratch, nullptr, nullptr, &out);
  }
  return {owned(copy(out.weight.data(), p.k), {p.k}), owned(copy(out.sums.data(), p.k * input.d()), {p.k, input.d()}),
          out.inertia, out.fingerprint};
}

template <class Input, class T>
AssignResult assign(Input input, const Matrix<double>& centres, const std::optional<Vector<T>>& shift, double scale,
                    std::size_t leaf_rows, int n_threads, bool distances) {
  const std::size_t n = input.n();
  const auto p = problem<Input, T>(input, std::nullopt, centres, shift, scale, 0, leaf_rows, n_threads);
  std::unique_ptr<std::int32_t[]> label(new std::int32_t[n]);
  std::unique_ptr<double[]> sq_dist(distances ? new double[n] : nullptr);
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
Array<std::uint64_t> hashes(Input input, int n_threads) {
  const std::size_t n = input.n();
  std::unique_ptr<std::uint64_t[]> out(new std::uint64_t[n]);
  {
    nb::gil_scoped_release released;
    km::hash_rows(input.open(), n_threads, out.get());
  }
  return owned(std::move(out), {n});
}

template <class Input>
SeedResult seed(Input input, const Vector<std::int64_t>& order, const Weights& w, std::size_t k, std::size_t n_trials,
                const Vector<double>& uniform, double scale, bool farthest, std::size_t leaf_rows, int n_threads) {
  const std::size_t n = order.shape(0);
  if (w) same("weights", w->shape(0), n);
  if (k == 0) throw std::invalid_argument("at least one centre is needed");
  same("random numbers", uniform.shape(0), 1 + (k - 1) * n_trials);
  std::unique_ptr<std::int64_t[]> chosen(new std::int64_t[k]);
  double potential;
  {
    nb::gil_scoped_release released;
    potential = km::seed(input.open(), order.data(), n, w ? w->data() : nullptr, k, n_trials, uniform.data(), scale,
                         farthest ? km::Seeding::farthest : km::Seeding::plus_plus, leaf_rows, n_threads, chosen.get());
  }
  return {owned(std::move(chosen), {k}), potential};
}

template <class T>
void define(nb::module_& m) {
  using Input = DenseInput<T>;
  using Shift = std::optional<Vector<T>>;
  m.def(
      "kmeans_pass",
      [](Matrix<T> x, Weights w, Matrix<double> centres, Shift shift, double scale, std::uint64_t start,
         std::size_t leaf_rows, int n_threads, km::Scratch* scratch) {
        return pass<Input, T>(Input{x}, w, centres, shift, scale, start, leaf_rows, n_threads, scratch);
      },
      nb::arg("X").noconvert(), nb::arg("w").none().noconvert(), nb::arg("centers").noconvert(),
      nb::arg("shift").none().noconvert(), nb::arg("scale"), nb::arg("start"), nb::arg("leaf_rows"),
      nb::arg("n_threads"), nb::arg("scratch").none());
  m.def(
      "kmeans_assign",
      [](Matrix<T> x, Matrix<double> centres, Shift shift, double scale, std::size_t leaf_rows, int n_threads,
         bool distances) {
        return assign<Input, T>(Input{x}, centres, shift, scale, leaf_rows, n_threads, distances);
      },
      nb::arg("X").noconvert(), nb::arg("centers").noconvert(), nb::arg("shift").none().noconvert(), nb::arg("scale"),
      nb::arg("leaf_rows"), nb::arg("n_threads"), nb::arg("distances"));
  m.def(
      "hash_rows", [](Matrix<T> x, int n_threads) { return hashes(Input{x}, n_threads); }, nb::arg("X").noconvert(),
      nb::arg("n_threads"));
  m.def(
      "kmeans_seed",
      [](Matrix<T> x, Vector<std::int64_t> order, Weights w, std::size_t k, std::size_t n_trials,
         Vector<double> uniform, double scale, bool farthest, std::size_t leaf_rows, int n_threads) {
        return seed(Input{x}, order, w, k, n_trials, uniform, scale, farthest, leaf_rows, n_threads);
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
             Matrix<double> centres, double scale, std::uint64_t start, std::size_t leaf_rows, int n_threads,
             km::Scratch* scratch) {
        return pass<Input, T>(Input{data, indices, indptr, n_features}, w, centres, none, scale, start, leaf_rows,
                              n_threads, scratch);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("n_features"), nb::arg("w").none().noconvert(), nb::arg("centers").noconvert(), nb::arg("scale"),
      nb::arg("start"), nb::arg("leaf_rows"), nb::arg("n_threads"), nb::arg("scratch").none());
  m.def(
      "kmeans_assign_csr",
      [none](Vector<T> data, Vector<I> indices, Vector<I> indptr, std::size_t n_features, Matrix<double> centres,
             double scale, std::size_t leaf_rows, int n_threads, bool distances) {
        return assign<Input, T>(Input{data, indices, indptr, n_features}, centres, none, scale, leaf_rows, n_threads,
                                distances);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("n_features"), nb::arg("centers").noconvert(), nb::arg("scale"), nb::arg("leaf_rows"),
      nb::arg("n_threads"), nb::arg("distances"));
  m.def(
      "hash_rows_csr",
      [](Vector<T> data, Vector<I> indices, Vector<I> indptr, std::size_t n_features, int n_threads) {
        return hashes(Input{data, indices, indptr, n_features}, n_threads);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("n_features"), nb::arg("n_threads"));
  m.def(
      "kmeans_seed_csr",
      [](Vector<T> data, Vector<I> indices, Vector<I> indptr, std::size_t n_features, Vector<std::int64_t> order,
         Weights w, std::size_t k, std::size_t n_trials, Vector<double> uniform, double scale, bool farthest,
         std::size_t leaf_rows, int n_threads) {
        return seed(Input{data, indices, indptr, n_features}, order, w, k, n_trials, uniform, scale, farthest,
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
  m.def(
      "order_by_hash",
      [](const Vector<std::uint64_t>& hash) {
        std::unique_ptr<std::int64_t[]> order(new std::int64_t[hash.shape(0)]);
        {
          nb::gil_scoped_release released;
          km::order_by_hash(hash.data(), hash.shape(0), order.get());
        }
        return owned(std::move(order), {hash.shape(0)});
      },
      nb::arg("hash").noconvert());
  define<float>(m);
  define<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
