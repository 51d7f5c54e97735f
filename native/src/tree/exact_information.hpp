#pragma once

#include <cmath>

namespace surefit::exact_tree {

// a log(1 + excess/expected): a share of what a split tells about classes or targets.
inline double information(double a, double excess, double expected) {
  return a > 0 ? a * std::log1p(excess / expected) : 0;
}

}  // namespace surefit::exact_tree
