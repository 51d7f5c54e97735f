#pragma once
// What bindings share: arrays read where they are, arrays handed to Python, and lengths that must agree.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace nb = nanobind;

namespace surefit::bind {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = std::optional<Vector<double>>;

// Written to in place.
using Changed = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ChangedMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
using Array = nb::ndarray<nb::numpy, T>;

// The numbers become a NumPy array, which frees them.
template <class T>
Array<T> owned(std::unique_ptr<T[]> numbers, std::initializer_list<std::size_t> shape) {
  T* p = numbers.get();
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<T*>(q); });
  numbers.release();
  return Array<T>(p, shape, owner);
}

template <class T>
std::unique_ptr<T[]> copy(const T* from, std::size_t n) {
  std::unique_ptr<T[]> out(new T[n]);
  std::copy_n(from, n, out.get());
  return out;
}

inline void same(const char* what, std::size_t got, std::size_t wanted) {
  if (got != wanted) {
    throw std::invalid_argument(std::string(what) + " has length " + std::to_string(got) + ", expected " +
                                std::to_string(wanted));
  }
}

inline void some_leaf_rows(std::size_t leaf_rows) {
  if (leaf_rows == 0) throw std::invalid_argument("leaf_rows must be at least 1");
}

// Row numbers to be visited.
inline void rows_exist(const Vector<std::int64_t>& order, std::size_t n_rows) {
  for (std::size_t i = 0; i < order.shape(0); ++i) {
    if (order.data()[i] < 0 || static_cast<std::size_t>(order.data()[i]) >= n_rows) {
      throw std::invalid_argument("order holds " + std::to_string(order.data()[i]) + ", which is no row");
    }
  }
}

// Row pointers that rise from 0 and end within the data. Returns the number of rows.
template <class T, class Index>
std::size_t csr_rows(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr is empty; it must hold one number more than rows");
  same("indices", indices.shape(0), data.shape(0));
  const Index* p = indptr.data();
  const std::size_t n = indptr.shape(0) - 1;
  if (p[0] != 0 || !std::is_sorted(p, p + n + 1) || static_cast<std::size_t>(p[n]) > data.shape(0)) {
    throw std::invalid_argument("indptr does not rise from 0 to the number of entries");
  }
  return n;
}

}  // namespace surefit::bind
