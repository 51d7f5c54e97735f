// Rows within a radius of some queries, as CSR; and how tasks of several threads put their parts together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "surefit/parallel.hpp"

namespace surefit::search {

struct Neighbor {
  double distance;
  std::int64_t id;
};

struct TooMany : std::runtime_error {
  TooMany() : std::runtime_error("more neighbors than there is space for") {}
};

// Query q has entries indptr[q] … indptr[q + 1] - 1.
struct Neighborhoods {
  std::vector<std::int64_t> indptr, ids;
  std::vector<double> distances;
};

// The neighbors of every query, as they come from tasks in any order.
class Collected {
 public:
  Collected(std::size_t n_queries, std::size_t most_entries) : of_(n_queries), most_(most_entries) {}

  void take(std::size_t query, std::vector<Neighbor>& found, bool by_distance) {
    if (total_.fetch_add(found.size(), std::memory_order_relaxed) + found.size() > most_) throw TooMany();
    std::sort(found.begin(), found.end(), [&](const Neighbor& a, const Neighbor& b) {
      return by_distance && a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
    });
    of_[query].assign(found.begin(), found.end());
    found.clear();
  }

  // Parts are freed as they are copied.
  Neighborhoods joined(int n_threads) {
    Neighborhoods out;
    out.indptr.assign(of_.size() + 1, 0);
    for (std::size_t q = 0; q < of_.size(); ++q) {
      out.indptr[q + 1] = out.indptr[q] + static_cast<std::int64_t>(of_[q].size());
    }
    const auto entries = static_cast<std::size_t>(out.indptr.back());
    out.ids.resize(entries);
    out.distances.resize(entries);
    constexpr std::size_t kQueries = 256;
    parallel_for((of_.size() + kQueries - 1) / kQueries, entries < 100000 ? 1 : n_threads, [&](std::size_t task, int) {
      for (std::size_t q = task * kQueries; q < std::min((task + 1) * kQueries, of_.size()); ++q) {
        auto at = static_cast<std::size_t>(out.indptr[q]);
        for (const Neighbor& found : of_[q]) {
          out.ids[at] = found.id;
          out.distances[at++] = found.distance;
        }
        std::vector<Neighbor>().swap(of_[q]);
      }
    });
    return out;
  }

 private:
  std::vector<std::vector<Neighbor>> of_;
  std::size_t most_;
  std::atomic<std::size_t> total_{0};
};

}  // namespace surefit::search
