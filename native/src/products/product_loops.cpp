// A panel of columns of C = op(A) B: kDepth rows of B are packed side by side (zeros behind the last column), and all
// rows of C take their products with them before the next kDepth come.
#include "products/product_loops.hpp"

#include "products/product_tiles.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

template <class T>
void pack(const T* b, std::size_t ldb, std::size_t k, std::size_t columns, std::size_t wide, T* panel) {
  for (std::size_t p = 0; p < k; ++p, b += ldb, panel += wide) {
    for (std::size_t j = 0; j < columns; ++j) panel[j] = b[j];
    for (std::size_t j = columns; j < wide; ++j) panel[j] = 0;
  }
}

template <class T>
void part(const products::Part<T>& s) {
  const std::size_t wide = (s.columns + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
  if (s.k == 0) {
    for (std::size_t i = 0; i < s.m; ++i) {
      for (std::size_t j = 0; j < s.columns; ++j) s.c[i * s.ldc + j] = 0;
    }
  }
  for (std::size_t start = 0; start < s.k; start += products::kDepth) {
    const std::size_t k = s.k - start < products::kDepth ? s.k - start : products::kDepth;
    pack(s.b + start * s.ldb, s.ldb, k, s.columns, wide, s.panel);
    if (s.turned) {
      product_panel<true>(s.m, k, s.a + start * s.lda, s.lda, s.panel, wide, s.c, s.ldc, s.columns, start > 0);
    } else {
      product_panel<false>(s.m, k, s.a + start, s.lda, s.panel, wide, s.c, s.ldc, s.columns, start > 0);
    }
  }
}

}  // namespace

extern const products::Loops product_loops;
const products::Loops product_loops = {kPanelColumns<float>, kPanelColumns<double>, part<float>, part<double>};

}  // namespace surefit::SUREFIT_LEVEL
