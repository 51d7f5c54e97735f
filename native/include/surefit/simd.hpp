// Vector types for the level this file is compiled for, and the choice of a level at run time.
//
// A vector source (native/CMakeLists.txt) is compiled once per level; inside it SUREFIT_LEVEL names the namespace and
// Vec<T> is the widest vector of that level. The generic vector extension of GCC and Clang gives one text for all.
#pragma once

#include <cstddef>
#include <cstring>

namespace surefit {

enum class Level { baseline = 0, v3 = 1, v4 = 2 };

// The best level this processor runs; SUREFIT_SIMD=baseline|v3|v4 in the environment lowers it.
Level level();
const char* level_name();

}  // namespace surefit

#ifdef SUREFIT_LEVEL
namespace surefit::SUREFIT_LEVEL {

#if defined(SUREFIT_LEVEL_v4)
constexpr std::size_t kVectorBytes = 64;
constexpr int kVectorRegisters = 32;
#elif defined(SUREFIT_LEVEL_v3)
constexpr std::size_t kVectorBytes = 32;
constexpr int kVectorRegisters = 16;
#else
constexpr std::size_t kVectorBytes = 16;
constexpr int kVectorRegisters = 16;
#endif

template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vec = typename VecOf<T>::type;
template <class T>
constexpr int kLanes = static_cast<int>(kVectorBytes / sizeof(T));

template <class T>
inline Vec<T> load(const T* p) {
  Vec<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void store(T* p, Vec<T> v) {
  std::memcpy(p, &v, sizeof v);
}
template <class T>
inline Vec<T> splat(T x) {
  return x - Vec<T>{};
}

}  // namespace surefit::SUREFIT_LEVEL
#endif
