#pragma once
// What bindings share: arrays read where they are, arrays handed to Python, and lengths that must agree.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/checked_csr.hpp"

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

// An array larger than memory can be: MemoryError in Python.
class TooLarge : public std::bad_alloc {
 public:
  explicit TooLarge(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

using Shape = std::initializer_list<std::size_t>;

inline std::string too_large(const char* what, Shape shape) {
  std::string sizes;
  for (const std::size_t s : shape) sizes += (sizes.empty() ? "" : " × ") + std::to_string(s);
  return std::string(what) + " would hold " + sizes + " numbers, more than there is memory for";
}

// The number of numbers in an array, if memory can hold so many; `what` names it.
inline std::size_t count(const char* what, Shape shape) {
  std::size_t n = 1;
  for (const std::size_t s : shape) {
    if (__builtin_mul_overflow(n, s, &n) || n > std::size_t{1} << 48) throw TooLarge(too_large(what, shape));
  }
  return n;
}

template <class T>
std::unique_ptr<T[]> numbers(const char* what, Shape shape) {
  const std::size_t n = count(what, shape);
  try {
    return std::unique_ptr<T[]>(new T[n]);
  } catch (const std::bad_alloc&) {
    throw TooLarge(too_large(what, shape));
  }
}

// The numbers become a NumPy array, which frees them.
template <class T>
Array<T> owned(std::unique_ptr<T[]> numbers, Shape shape) {
  T* p = numbers.get();
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<T*>(q); });
  numbers.release();
  return Array<T>(p, shape, owner);
}

template <class T>
std::unique_ptr<T[]> copy(const T* from, std::size_t n) {
  auto out = numbers<T>("a copy", {n});
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

inline const double* data_of(const Weights& w) { return w ? w->data() : nullptr; }

template <class T>
DenseRows<T> dense(const Matrix<T>& x) {
  return {x.data(), x.shape(0), x.shape(1)};
}

template <class T, class Index>
CsrRows<T, Index> csr(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                      std::size_t n_features) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("CSR: indptr is empty; it must hold one number more than rows");
  same("indices", indices.shape(0), data.shape(0));
  nb::gil_scoped_release released;
  return checked_csr(data.data(), indices.data(), indptr.data(), data.shape(0), indptr.shape(0) - 1, n_features);
}

// The same for loops that look at column numbers themselves.
template <class T, class Index>
CsrRows<T, Index> csr_ends(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                           std::size_t n_features) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("CSR: indptr is empty; it must hold one number more than rows");
  same("indices", indices.shape(0), data.shape(0));
  return checked_ends(data.data(), indices.data(), indptr.data(), data.shape(0), indptr.shape(0) - 1, n_features);
}

}  // namespace surefit::bind
