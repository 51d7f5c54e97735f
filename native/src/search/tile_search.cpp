#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "search/nearest_list.hpp"
#include "search/tiles.hpp"
#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSingle = 0x1p-24 + 0x1p-50;  // rounding to single precision, of numbers computed in double
constexpr double kFarthest = 1e15;             // queries beyond this are not held in single precision
constexpr std::size_t kMostQueries = 96;

// Thresholds for the scores of one query (tiles.hpp).
struct Bounds {
  double norm = 0;  // |a'|; negative: the query is compared with every row

  // No row with a score below this has raw ≤ limit.
  float candidate(const Tiles& tiles, double limit, double b) const {
    if (norm < 0 || !(limit < kInfinity)) return -std::numeric_limits<float>::infinity();
    const double far = radius(tiles, limit, 1) + e(tiles, b);
    return rounded_down(0.5 * (norm * norm - far * far) - c(tiles, b, far));
  }
  // Every row with a score above this has raw ≤ limit.
  double sure(const Tiles& tiles, double limit, double b) const {
    const double near = radius(tiles, limit, -1) - e(tiles, b);
    if (norm < 0 || !(near > 0)) return kInfinity;
    return 0.5 * (norm * norm - near * near) + c(tiles, b, near);
  }

 private:
  // √limit in the coordinates of the tiles; the formula rounds at most d + 3 times.
  static double radius(const Tiles& tiles, double limit, double sign) {
    const double rounding = (static_cast<double>(tiles.d) + 8) * kUnit;
    return std::sqrt(std::max(limit, 0.0)) * tiles.scale * (1 + sign * rounding);
  }
  double e(const Tiles& tiles, double b) const {
    return 2 * kSingle * (norm + b) + 1e-40 * static_cast<double>(tiles.d);
  }
  double c(const Tiles& tiles, double b, double far) const {
    const double d = static_cast<double>(tiles.d);
    return (d + 4) * 1.01 * kSingle * (norm * b + b * b) + 8 * kUnit * (norm * norm + far * far) + 1e-36 * d;
  }
  static float rounded_down(double x) {
    constexpr double most = std::numeric_limits<float>::max();
    return std::nextafter(static_cast<float>(std::clamp(x, -most, most)), -std::numeric_limits<float>::infinity());
  }
};

// Queries of one task.
template <class U>
struct Block {
  explicit Block(std::size_t d) : values(kMostQueries * d) {}

  std::size_t count = 0;
  Aligned<float> values;  // a', [group][column][query]
  const U* rows[kMostQueries];
  std::int64_t self[kMostQueries];
  Bounds bounds[kMostQueries];
  double limits[kMostQueries];  // of raw
  NearestList lists[kMostQueries];
  std::vector<Neighbor> found[kMostQueries];

  void load(const Tiles& tiles, const U* x, std::size_t n) {
    const std::size_t group = SUREFIT_TABLE(search_tile_loops).group;
    count = n;
    for (std::size_t q = 0; q < n; ++q) {
      rows[q] = x + q * tiles.d;
      double square = 0, largest = 0;
      float* out = values.data() + q / group * group * tiles.d + q % group;
      for (std::size_t j = 0; j < tiles.d; ++j) {
        const double moved = (static_cast<double>(rows[q][j]) - tiles.center[j]) * tiles.factor[j];
        const double size = std::fabs(moved);
        largest = size <= largest ? largest : size;  // NaN stays
        const float value = size <= kFarthest ? static_cast<float>(moved) : 0.0f;
        out[j * group] = value;
        square += static_cast<double>(value) * static_cast<double>(value);
      }
      bounds[q].norm = largest <= kFarthest ? std::sqrt(square) : -1.0;
    }
  }
};

// hit(q, mask, scores, first row of the panel, chunk) for the panels that may hold neighbors of query q.
template <class U, class Hit>
void scan_group(const Tiles& tiles, Block<U>& block, std::size_t first, std::size_t c, Hit&& hit) {
  const TileLoops& loops = SUREFIT_TABLE(search_tile_loops);
  const std::size_t n_queries = std::min(loops.group, block.count - first);
  float thresholds[kMostGroup];
  alignas(64) float scores[kMostGroup * kMostPanel];
  std::uint64_t masks[kMostGroup];
  for (std::size_t r = 0; r < loops.group; ++r) {
    const bool used = r < n_queries;
    thresholds[r] = used ? block.bounds[first + r].candidate(tiles, block.limits[first + r], tiles.norms[c])
                         : std::numeric_limits<float>::infinity();
  }
  const std::size_t n_panels = leaves_of(tiles.n, tiles.panel), end = std::min((c + 1) * tiles.chunk, n_panels);
  TileScan t{block.values.data() + first * tiles.d, tiles.packed.data(), tiles.offsets.data(), tiles.d, c * tiles.chunk, end, thresholds, scores, masks};
  for (;; ++t.first) {
    t.first = loops.scan(t);
    if (t.first >= end) return;
    for (std::size_t r = 0; r < n_queries; ++r) {
      if (masks[r] == 0) continue;
      const std::size_t q = first + r;
      const double before = block.limits[q];
      hit(q, masks[r], scores + r * tiles.panel, t.first * tiles.panel, c);
      if (block.limits[q] != before) thresholds[r] = block.bounds[q].candidate(tiles, block.limits[q], tiles.norms[c]);
    }
  }
}

// step(row, raw) for the rows of a mask, four at a time by the one formula; not for the query itself.
template <class T, class U, class Step>
void evaluate(const DenseRows<T>& rows, const Form& form, const U* query, std::uint64_t mask, std::size_t base,
              std::int64_t self, Step&& step) {
  while (mask != 0) {
    const T* b[4];
    std::size_t numbers[4], count = 0;
    for (; mask != 0 && count < 4; mask &= mask - 1) {
      const std::size_t i = base + static_cast<std::size_t>(std::countr_zero(mask));
      if (static_cast<std::int64_t>(i) != self) numbers[count++] = i;
    }
    if (count == 0) return;
    for (std::size_t r = 0; r < 4; ++r) b[r] = rows.x + numbers[r < count ? r : 0] * rows.d;
    double raw[4];
    squares_of_four(form, query, b, rows.d, raw);
    for (std::size_t r = 0; r < count; ++r) step(numbers[r], raw[r]);
  }
}

// prepare(block, first) and conclude(block, first) around the scan of all rows, for blocks of queries.
template <class T, class U, class Prepare, class Hit, class Conclude>
void each_block(const Tiles& tiles, const TileQueries<T, U>& queries, bool without_self, int n_threads,
                Prepare&& prepare, Hit&& hit, Conclude&& conclude) {
  const double pairs = static_cast<double>(queries.n) * static_cast<double>(tiles.n);
  n_threads = threads_for(pairs * (static_cast<double>(tiles.d) * kVectorNs * 0.5 + 0.2), n_threads);
  const std::size_t group = SUREFIT_TABLE(search_tile_loops).group;
  const std::size_t share = leaves_of(queries.n, 4 * static_cast<std::size_t>(n_threads));
  const std::size_t most = std::clamp(leaves_of(share, group) * group, group, kMostQueries / group * group);
  PerThread<Block<U>> blocks(n_threads);
  const U* x = queries.x ? queries.x : reinterpret_cast<const U*>(queries.rows.x + queries.first * tiles.d);
  parallel_for(leaves_of(queries.n, most), n_threads, [&](std::size_t task, int thread) {
    Block<U>& block = blocks.of(thread, tiles.d);
    const std::size_t first = task * most;
    block.load(tiles, x + first * tiles.d, std::min(most, queries.n - first));
    for (std::size_t q = 0; q < block.count; ++q) {
      block.self[q] = without_self ? static_cast<std::int64_t>(queries.first + first + q) : -1;
      block.found[q].clear();
    }
    prepare(block, first);
    for (std::size_t c = 0; c < tiles.norms.size(); ++c) {
      for (std::size_t g = 0; g < block.count; g += group) {
        scan_group(tiles, block, g, c, [&](std::size_t q, std::uint64_t mask, const float* scores, std::size_t base,
                                           std::size_t chunk) { hit(block, first, q, mask, scores, base, chunk); });
      }
    }
    conclude(block, first);
  });
}

}  // namespace

template <class T, class U>
void nearest(const Tiles& tiles, const TileQueries<T, U>& queries, const Form& form, std::size_t k, bool without_self,
             int n_threads, double* distances, std::int64_t* ids) {
  auto prepare = [&](Block<U>& block, std::size_t first) {
    for (std::size_t q = 0; q < block.count; ++q) {
      block.lists[q] = NearestList(distances + (first + q) * k, ids + (first + q) * k, k);
      block.limits[q] = kInfinity;
    }
  };
  auto hit = [&](Block<U>& block, std::size_t, std::size_t q, std::uint64_t mask, const float*, std::size_t base,
                 std::size_t) {
    NearestList& list = block.lists[q];
    evaluate(queries.rows, form, block.rows[q], mask, base, block.self[q], [&](std::size_t i, double raw) {
      if (!(raw <= block.limits[q])) return;
      if (list.add(finished(form, raw), static_cast<std::int64_t>(i)) && list.full()) {
        block.limits[q] = raw_limit(form, list.worst());
      }
    });
  };
  each_block(tiles, queries, without_self, n_threads, prepare, hit, [](Block<U>& block, std::size_t) {
    for (std::size_t q = 0; q < block.count; ++q) block.lists[q].sort();
  });
}

template <class T, class U>
Neighborhoods within(const Tiles& tiles, const TileQueries<T, U>& queries, const Form& form, double radius,
                     bool without_self, bool by_distance, std::size_t most_entries, int n_threads) {
  Collected collected(queries.n, most_entries);
  const double limit = raw_limit(form, radius);
  auto prepare = [&](Block<U>& block, std::size_t) { std::fill_n(block.limits, block.count, limit); };
  auto hit = [&](Block<U>& block, std::size_t, std::size_t q, std::uint64_t mask, const float*, std::size_t base,
                 std::size_t) {
    evaluate(queries.rows, form, block.rows[q], mask, base, block.self[q], [&](std::size_t i, double raw) {
      const double distance = finished(form, raw);
      if (distance <= radius) block.found[q].push_back({distance, static_cast<std::int64_t>(i)});
    });
  };
  each_block(tiles, queries, without_self, n_threads, prepare, hit, [&](Block<U>& block, std::size_t first) {
    for (std::size_t q = 0; q < block.count; ++q) collected.take(first + q, block.found[q], by_distance);
  });
  return collected.joined(n_threads);
}

template <class T, class U>
void count_within(const Tiles& tiles, const TileQueries<T, U>& queries, const Form& form, double radius, int n_threads,
                  std::int64_t* counts) {
  const double limit = raw_limit(form, radius), sure_limit = raw_sure(form, radius);
  auto prepare = [&](Block<U>& block, std::size_t first) {
    std::fill_n(block.limits, block.count, limit);
    std::fill_n(counts + first, block.count, 0);
  };
  auto hit = [&](Block<U>& block, std::size_t first, std::size_t q, std::uint64_t mask, const float* scores,
                 std::size_t base, std::size_t c) {
    const double sure = block.bounds[q].sure(tiles, sure_limit, tiles.norms[c]);
    std::uint64_t open = 0;
    for (std::uint64_t m = mask; m != 0; m &= m - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(m));
      if (static_cast<double>(scores[l]) > sure) {
        ++counts[first + q];
      } else {
        open |= std::uint64_t{1} << l;
      }
    }
    evaluate(queries.rows, form, block.rows[q], open, base, -1,
             [&](std::size_t, double raw) { counts[first + q] += finished(form, raw) <= radius; });
  };
  each_block(tiles, queries, false, n_threads, prepare, hit, [](Block<U>&, std::size_t) {});
}

#define SUREFIT_TILE_SEARCH(T, U)                                                                                     \
  template void nearest(const Tiles&, const TileQueries<T, U>&, const Form&, std::size_t, bool, int, double*,         \
                        std::int64_t*);                                                                               \
  template Neighborhoods within(const Tiles&, const TileQueries<T, U>&, const Form&, double, bool, bool, std::size_t, \
                                int);                                                                                 \
  template void count_within(const Tiles&, const TileQueries<T, U>&, const Form&, double, int, std::int64_t*);
SUREFIT_TILE_SEARCH(float, float)
SUREFIT_TILE_SEARCH(float, double)
SUREFIT_TILE_SEARCH(double, float)
SUREFIT_TILE_SEARCH(double, double)
#undef SUREFIT_TILE_SEARCH

}  // namespace surefit::search
