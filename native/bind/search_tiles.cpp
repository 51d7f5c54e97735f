#include "search.hpp"
#include "search/tiles.hpp"

namespace {

using namespace surefit::bind;

template <class T>
Tiles tiles_of(const Matrix<T>& x, const Weights& weights, int n_threads) {
  if (x.shape(0) == 0) throw std::invalid_argument("tiles take at least one row");
  if (weights) same("weights", weights->shape(0), x.shape(1));
  const double* w = data_of(weights);
  nb::gil_scoped_release released;
  return build_tiles(dense(x), w, n_threads);
}

// Rows of their own, or rows first … end - 1 of X, which the tiles were built of.
template <class T, class U>
TileQueries<T, U> queries_of(const Tiles& tiles, const Matrix<T>& x, const Rows<U>& q, std::size_t first,
                             std::size_t end) {
  same("X", x.shape(0), tiles.n);
  same("a row of X", x.shape(1), tiles.d);
  if (q) {
    same("a query", q->shape(1), tiles.d);
    return {dense(x), q->data(), q->shape(0), 0};
  }
  if (!std::is_same_v<T, U>) throw std::invalid_argument("Q: rows of X are asked by its own type");
  if (first > end || end > tiles.n) throw std::invalid_argument("first, end: there are no such rows");
  return {dense(x), nullptr, end - first, first};
}

Form euclidean(const FormParts& parts, std::size_t d) {
  const Form form = form_of(parts, d);
  if (form.order != Order::two) throw std::invalid_argument("form: tiles are for Euclidean distances");
  return form;
}

template <class T, class U>
Pair tile_nearest(const Tiles& tiles, const Matrix<T>& x, const Rows<U>& q, std::size_t first, std::size_t end,
                  const FormParts& form, std::size_t k, bool without_self, int n_threads) {
  const TileQueries<T, U> queries = queries_of(tiles, x, q, first, end);
  if (k == 0 || k > tiles.n - without_self) throw std::invalid_argument("k: there are not so many rows");
  if (without_self && q) throw std::invalid_argument("without_self is for rows of X");
  const Form f = euclidean(form, tiles.d);
  auto distances = numbers<double>("the distances", {queries.n, k});
  auto ids = numbers<std::int64_t>("the indices", {queries.n, k});
  {
    nb::gil_scoped_release released;
    nearest(tiles, queries, f, k, without_self, n_threads, distances.get(), ids.get());
  }
  return {owned(std::move(distances), {queries.n, k}), owned(std::move(ids), {queries.n, k})};
}

template <class T, class U>
std::optional<Csr> tile_within(const Tiles& tiles, const Matrix<T>& x, const Rows<U>& q, std::size_t first,
                               std::size_t end, const FormParts& form, double radius, bool without_self,
                               bool by_distance, std::size_t most_entries, int n_threads) {
  const TileQueries<T, U> queries = queries_of(tiles, x, q, first, end);
  if (without_self && q) throw std::invalid_argument("without_self is for rows of X");
  const Form f = euclidean(form, tiles.d);
  Neighborhoods found;
  try {
    nb::gil_scoped_release released;
    found = within(tiles, queries, f, radius, without_self, by_distance, most_entries, n_threads);
  } catch (const TooMany&) {
    return std::nullopt;
  }
  return handed_over(std::move(found));
}

template <class T, class U>
Array<std::int64_t> tile_counts(const Tiles& tiles, const Matrix<T>& x, const Rows<U>& q, std::size_t first,
                                std::size_t end, const FormParts& form, double radius, int n_threads) {
  const TileQueries<T, U> queries = queries_of(tiles, x, q, first, end);
  const Form f = euclidean(form, tiles.d);
  auto counts = numbers<std::int64_t>("the counts", {queries.n});
  {
    nb::gil_scoped_release released;
    count_within(tiles, queries, f, radius, n_threads, counts.get());
  }
  return owned(std::move(counts), {queries.n});
}

template <class T, class U>
void define(nb::module_& m) {
  m.def("tile_nearest", &tile_nearest<T, U>, nb::arg("tiles"), nb::arg("X").noconvert(),
        nb::arg("Q").none().noconvert(), nb::arg("first"), nb::arg("end"), nb::arg("form"), nb::arg("k"),
        nb::arg("without_self"), nb::arg("n_threads"));
  m.def("tile_within", &tile_within<T, U>, nb::arg("tiles"), nb::arg("X").noconvert(), nb::arg("Q").none().noconvert(),
        nb::arg("first"), nb::arg("end"), nb::arg("form"), nb::arg("radius"), nb::arg("without_self"),
        nb::arg("by_distance"), nb::arg("most_entries"), nb::arg("n_threads"));
  m.def("tile_counts", &tile_counts<T, U>, nb::arg("tiles"), nb::arg("X").noconvert(), nb::arg("Q").none().noconvert(),
        nb::arg("first"), nb::arg("end"), nb::arg("form"), nb::arg("radius"), nb::arg("n_threads"));
}

}  // namespace

void bind_search_tiles(nb::module_& m) {
  nb::class_<Tiles>(m, "NeighborTiles").def_prop_ro("n_chunks", [](const Tiles& tiles) { return tiles.norms.size(); });
  m.def("neighbor_tiles", &tiles_of<float>, nb::arg("X").noconvert(), nb::arg("weights").none().noconvert(), nb::arg("n_threads"));
  m.def("neighbor_tiles", &tiles_of<double>, nb::arg("X").noconvert(), nb::arg("weights").none().noconvert(), nb::arg("n_threads"));
  define<float, float>(m);
  define<double, double>(m);
  define<float, double>(m);
  define<double, float>(m);
}
