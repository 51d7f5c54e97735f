#include "surefit/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace surefit {
namespace {

thread_local bool t_inside = false;  // this thread works in a region of the pool: a nested one runs on it alone
constexpr auto kPollEvery = std::chrono::milliseconds(50);
constexpr auto kSpin = std::chrono::microseconds(100);  // a thread that sleeps takes about as long to wake
std::atomic<Poll> g_poll{nullptr};

// One parallel region: a counter of tasks taken, and the first exception.
struct Region {
  Region(TaskFunction function, void* context, std::size_t n_tasks)
      : function(function), context(context), n_tasks(n_tasks) {}

  TaskFunction function;
  void* context;
  std::size_t n_tasks;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex error_mutex;
  std::exception_ptr error;

  void fail(std::exception_ptr e) {
    std::lock_guard lock(error_mutex);
    if (!error) error = e;
    stop = true;
  }

  template <class AfterEach>
  void work(int thread, AfterEach&& after_each) {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t task = next.fetch_add(1, std::memory_order_relaxed);
      if (task >= n_tasks) return;
      try {
        function(context, task, thread);
        after_each();
      } catch (...) {
        fail(std::current_exception());
      }
    }
  }
};

// Looks for a while whether `ready` holds: regions often follow one another within microseconds.
template <class Ready>
bool spin_until(Ready&& ready) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int look = 0; look < 64; ++look) {
      if (ready()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// Threads that sleep between regions. One region at a time; a second caller works alone (its bits are the same).
class Pool {
 public:
  std::mutex busy;

  void run(Region& region, int n_helpers) {
    {
      std::lock_guard lock(mutex_);
      while (static_cast<int>(threads_.size()) < n_helpers) {
        const int id = static_cast<int>(threads_.size()) + 1;
        threads_.emplace_back([this, id, seen = generation_.load()]() mutable { loop(id, seen); });
        threads_.back().detach();
      }
      region_ = &region;
      active_ = n_helpers;
      running_ = n_helpers;
      ++generation_;
    }
    wake_.notify_all();
    auto last_poll = std::chrono::steady_clock::now();
    region.work(0, [&] { poll_if_due(last_poll); });
    spin_until([&] { return running_ == 0; });
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      if (done_.wait_for(lock, kPollEvery) == std::cv_status::timeout && !region.stop) {
        lock.unlock();
        try {
          poll_if_due(last_poll);
        } catch (...) {
          region.fail(std::current_exception());
        }
        lock.lock();
      }
    }
    region_ = nullptr;
  }

  static void poll_if_due(std::chrono::steady_clock::time_point& last) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < kPollEvery) return;
    last = now;
    const Poll poll = g_poll.load();
    if (poll && poll()) throw Interrupted();
  }

 private:
  void loop(int id, unsigned long seen) {
    for (;;) {
      spin_until([&] { return generation_ != seen; });
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      if (id > active_) continue;
      Region* region = region_;
      lock.unlock();
      t_inside = true;
      region->work(id, [] {});
      t_inside = false;
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Region* region_ = nullptr;
  int active_ = 0;
  std::atomic<int> running_{0};
  std::atomic<unsigned long> generation_{0};
};

// Deliberately leaked: threads may outlive static destructors. After fork the child has none of its parent's threads,
// so it starts with a new pool.
std::atomic<Pool*> g_pool{nullptr};

Pool& pool() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { g_pool = new Pool; });
  (void)registered;
  Pool* current = g_pool.load();
  if (!current) {
    Pool* fresh = new Pool;
    if (g_pool.compare_exchange_strong(current, fresh)) return *fresh;
    delete fresh;
  }
  return *current;
}

}  // namespace

void set_poll(Poll poll) { g_poll = poll; }

void poll_task(int thread) {
  static thread_local auto last = std::chrono::steady_clock::now();
  if (thread == 0) Pool::poll_if_due(last);
}

void run_tasks(std::size_t n_tasks, int n_threads, TaskFunction function, void* context) {
  if (n_tasks == 0) return;
  Region region(function, context, n_tasks);
  const int n_helpers =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(std::max(n_threads, 1)), n_tasks)) - 1;
  auto last_poll = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock;
  if (n_helpers > 0 && !t_inside) lock = std::unique_lock(pool().busy, std::try_to_lock);
  if (lock.owns_lock()) {
    t_inside = true;
    pool().run(region, n_helpers);
    t_inside = false;
  } else {
    region.work(0, [&] { Pool::poll_if_due(last_poll); });
  }
  if (region.error) std::rethrow_exception(region.error);
}

}  // namespace surefit
