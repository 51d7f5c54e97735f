// The only place where surefit starts threads.
//
// Work is cut into tasks whose boundaries do not depend on the number of threads; threads only decide who does which
// task. Results are merged in a fixed tree (fold.hpp), so a sum has the same bits on any machine load.
#pragma once

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace surefit {

// Thrown out of a parallel region when the poll function asked to stop (Ctrl-C).
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// Called now and then on the thread that started the region; returns true to stop. Set by the bindings.
using Poll = bool (*)();
void set_poll(Poll poll);

// For tasks that take long: called now and then from inside one, it asks the poll function, and throws Interrupted when
// that wants to stop. It does so on the thread that started the region (number 0); elsewhere it does nothing.
void poll_task(int thread);

using TaskFunction = void (*)(void* context, std::size_t task, int thread);

// Runs tasks 0 … n_tasks-1 on at most n_threads threads (the caller is one of them). Rethrows the first exception.
void run_tasks(std::size_t n_tasks, int n_threads, TaskFunction function, void* context);

// body(task, thread) with 0 ≤ thread < n_threads; one task is never run by two threads.
template <class Body>
void parallel_for(std::size_t n_tasks, int n_threads, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  run_tasks(
      n_tasks, n_threads,
      [](void* context, std::size_t task, int thread) { (*static_cast<Plain*>(context))(task, thread); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

// The same, for tasks that come again and again on the same numbers: thread t begins with the t-th share of them, whose
// numbers its cache may still hold, and helps the others when it is done. For short tasks: signals wait for the end.
template <class Body>
void parallel_for_shares(std::size_t n_tasks, int n_threads, Body&& body) {
  if (n_threads < 2 || n_tasks < 2) return parallel_for(n_tasks, n_threads, body);
  struct alignas(64) Share {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  const auto n = static_cast<std::size_t>(n_threads);
  std::vector<Share> shares(n);
  for (std::size_t t = 0; t < n; ++t) shares[t].next = n_tasks * t / n, shares[t].end = n_tasks * (t + 1) / n;
  parallel_for(n, n_threads, [&](std::size_t, int thread) {
    for (std::size_t t = 0; t < n; ++t) {
      Share& share = shares[(static_cast<std::size_t>(thread) + t) % n];
      for (std::size_t task; (task = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) body(task, thread);
    }
  });
}

}  // namespace surefit
