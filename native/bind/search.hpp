#pragma once
// What the bindings of the search of neighbors share.

#include <vector>

#include "arrays.hpp"
#include "search/form.hpp"
#include "search/neighborhoods.hpp"

namespace surefit::bind {

using namespace surefit::search;

// order, finish, p, weights of the columns
using FormParts = std::tuple<int, int, double, Weights>;

inline Form form_of(const FormParts& parts, std::size_t d) {
  const auto& [order, finish, p, weights] = parts;
  if (order < 0 || order > 3 || finish < 0 || finish > 2) throw std::invalid_argument("form: there is no such metric");
  if (weights) same("weights", weights->shape(0), d);
  return {static_cast<Order>(order), static_cast<Finish>(finish), p, data_of(weights)};
}

using Pair = std::tuple<Array<double>, Array<std::int64_t>>;

template <class T>
using Rows = std::optional<Matrix<T>>;

// A vector becomes a NumPy array, which frees it.
template <class T>
Array<T> handed_over(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* q) noexcept { delete static_cast<std::vector<T>*>(q); });
  return Array<T>(kept->data(), {kept->size()}, owner);
}

// indptr, indices, distances; None where there are more than most_entries.
using Csr = std::tuple<Array<std::int64_t>, Array<std::int64_t>, Array<double>>;

inline Csr handed_over(Neighborhoods&& found) {
  return {handed_over(std::move(found.indptr)), handed_over(std::move(found.ids)),
          handed_over(std::move(found.distances))};
}

}  // namespace surefit::bind
