// Vector types for the level this file is compiled for, and the choice of a level at run time.
//
// A vector source (native/CMakeLists.txt) is compiled once per level; inside it SUREFIT_LEVEL names the namespace and
// Vec<T> is the widest vector of that level. The generic vector extension of GCC and Clang gives one text for all.
#pragma once

#include <cstddef>
#include <cstring>

// Functions in headers that sources of several levels include are inlined always: one copy shared by the linker could
// carry wide instructions to a processor that has none.
#define SUREFIT_INLINE [[gnu::always_inline]] inline

namespace surefit {

enum class Level { baseline = 0, v3 = 1, v4 = 2 };

// The best level this processor runs; SUREFIT_SIMD=baseline|v3|v4 in the environment lowers it.
Level level();
const char* level_name();

}  // namespace surefit

// A vector source defines a table of its functions, `const Table name` in the namespace of its level.
// SUREFIT_TABLES(Table, name) declares the tables of all levels, SUREFIT_TABLE(name) is that of the level in force.
#ifdef SUREFIT_X86_LEVELS
#define SUREFIT_TABLES(Table, name)                       \
  namespace surefit::baseline { extern const Table name; } \
  namespace surefit::v3 { extern const Table name; }       \
  namespace surefit::v4 { extern const Table name; }
#define SUREFIT_TABLE(name)                                                    \
  (::surefit::level() == ::surefit::Level::v4   ? ::surefit::v4::name          \
   : ::surefit::level() == ::surefit::Level::v3 ? ::surefit::v3::name          \
                                                : ::surefit::baseline::name)
#else
#define SUREFIT_TABLES(Table, name) namespace surefit::baseline { extern const Table name; }
#define SUREFIT_TABLE(name) (::surefit::baseline::name)
#endif

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
