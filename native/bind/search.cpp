#include "search.hpp"

#include "search/pairwise.hpp"
#include "search/tree_search.hpp"

namespace {

using namespace surefit::bind;
using namespace surefit::search;
using surefit::DenseRows;

template <class T, class U>
Array<double> distances(const Matrix<T>& a, const Matrix<U>& b, const FormParts& form, int n_threads) {
  same("a row of B", b.shape(1), a.shape(1));
  const Form f = form_of(form, a.shape(1));
  auto out = numbers<double>("the distances", {a.shape(0), b.shape(0)});
  {
    nb::gil_scoped_release released;
    pairwise(dense(a), dense(b), f, n_threads, out.get());
  }
  return owned(std::move(out), {a.shape(0), b.shape(0)});
}

template <class T>
KdTree tree_of(const Matrix<T>& x, int n_threads) {
  if (x.shape(0) == 0) throw std::invalid_argument("a tree takes at least one row");
  nb::gil_scoped_release released;
  return build_tree(dense(x), n_threads);
}

// Rows of their own, or rows first … end - 1 of the tree.
template <class T>
Queries<T> queries_of(const KdTree& tree, const Rows<T>& q, std::size_t first, std::size_t end) {
  if (q) {
    same("a query", q->shape(1), tree.d);
    return {q->data(), q->shape(0), 0};
  }
  if (first > end || end > tree.n) throw std::invalid_argument("first, end: there are no such rows");
  return {nullptr, end - first, first};
}

template <class T>
Pair tree_nearest(const KdTree& tree, const Rows<T>& q, std::size_t first, std::size_t end, const FormParts& form,
                  std::size_t k, bool without_self, int n_threads) {
  const Queries<T> queries = queries_of(tree, q, first, end);
  if (k == 0 || k > tree.n - without_self) throw std::invalid_argument("k: there are not so many rows");
  if (without_self && q) throw std::invalid_argument("without_self is for rows of the tree");
  const Form f = form_of(form, tree.d);
  auto distances = numbers<double>("the distances", {queries.n, k});
  auto ids = numbers<std::int64_t>("the indices", {queries.n, k});
  {
    nb::gil_scoped_release released;
    nearest(tree, queries, f, k, without_self, n_threads, distances.get(), ids.get());
  }
  return {owned(std::move(distances), {queries.n, k}), owned(std::move(ids), {queries.n, k})};
}

template <class T>
std::optional<Csr> tree_within(const KdTree& tree, const Rows<T>& q, std::size_t first, std::size_t end,
                               const FormParts& form, double radius, bool without_self, bool by_distance,
                               std::size_t most_entries, int n_threads) {
  const Queries<T> queries = queries_of(tree, q, first, end);
  if (without_self && q) throw std::invalid_argument("without_self is for rows of the tree");
  const Form f = form_of(form, tree.d);
  Neighborhoods found;
  try {
    nb::gil_scoped_release released;
    found = within(tree, queries, f, radius, without_self, by_distance, most_entries, n_threads);
  } catch (const TooMany&) {
    return std::nullopt;
  }
  return handed_over(std::move(found));
}

template <class T>
Array<std::int64_t> tree_counts(const KdTree& tree, const Rows<T>& q, std::size_t first, std::size_t end,
                                const FormParts& form, double radius, int n_threads) {
  const Queries<T> queries = queries_of(tree, q, first, end);
  const Form f = form_of(form, tree.d);
  auto counts = numbers<std::int64_t>("the counts", {queries.n});
  {
    nb::gil_scoped_release released;
    count_within(tree, queries, f, radius, n_threads, counts.get());
  }
  return owned(std::move(counts), {queries.n});
}

template <class T, class U>
void define_distances(nb::module_& m) {
  m.def("distances", &distances<T, U>, nb::arg("A").noconvert(), nb::arg("B").noconvert(), nb::arg("form"),
        nb::arg("n_threads"));
}

template <class T>
void define(nb::module_& m) {
  m.def("kd_tree", &tree_of<T>, nb::arg("X").noconvert(), nb::arg("n_threads"));
  m.def("tree_nearest", &tree_nearest<T>, nb::arg("tree"), nb::arg("Q").none().noconvert(), nb::arg("first"),
        nb::arg("end"), nb::arg("form"), nb::arg("k"), nb::arg("without_self"), nb::arg("n_threads"));
  m.def("tree_within", &tree_within<T>, nb::arg("tree"), nb::arg("Q").none().noconvert(), nb::arg("first"),
        nb::arg("end"), nb::arg("form"), nb::arg("radius"), nb::arg("without_self"), nb::arg("by_distance"),
        nb::arg("most_entries"), nb::arg("n_threads"));
  m.def("tree_counts", &tree_counts<T>, nb::arg("tree"), nb::arg("Q").none().noconvert(), nb::arg("first"),
        nb::arg("end"), nb::arg("form"), nb::arg("radius"), nb::arg("n_threads"));
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<KdTree>(m, "KdTree").def_prop_ro("n_leaves", [](const KdTree& tree) { return tree.n_leaves; });
  define_distances<float, float>(m);
  define_distances<float, double>(m);
  define_distances<double, float>(m);
  define_distances<double, double>(m);
  define<double>(m);
  define<float>(m);
}
