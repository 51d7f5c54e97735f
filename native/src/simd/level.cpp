#include "surefit/simd.hpp"

#include <cstdlib>
#include <string_view>

namespace surefit {
namespace {

Level detect() {
  Level best = Level::baseline;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    best = Level::v3;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd")) {
      best = Level::v4;
    }
  }
#endif
  if (const char* asked = std::getenv("SUREFIT_SIMD")) {
    const std::string_view name(asked);
    const Level wish = name == "baseline" ? Level::baseline : name == "v3" ? Level::v3 : Level::v4;
    if (static_cast<int>(wish) < static_cast<int>(best)) best = wish;
  }
  return best;
}

}  // namespace

Level level() {
  static const Level chosen = detect();
  return chosen;
}

const char* level_name() {
  switch (level()) {
    case Level::v4: return "x86-64-v4 (AVX-512)";
    case Level::v3: return "x86-64-v3 (AVX2, FMA)";
    default: return "baseline";
  }
}

}  // namespace surefit
