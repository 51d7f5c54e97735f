// The pool: every task once, first exception, regions inside regions, callers side by side, fork, interruption.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "surefit/parallel.hpp"

using surefit::parallel_for;

namespace {

void test_every_task_once() {
  for (int n_threads : {-1, 0, 1, 2, 5}) {
    for (std::size_t n : {0, 1, 2, 3, 1000}) {
      std::vector<std::atomic<int>> done(n);
      std::atomic<bool> thread_in_range{true};
      parallel_for(n, n_threads, [&](std::size_t task, int thread) {
        ++done[task];
        if (thread < 0 || thread >= (n_threads < 1 ? 1 : n_threads)) thread_in_range = false;
      });
      for (auto& d : done) CHECK(d == 1);
      CHECK(thread_in_range);
    }
  }
}

void test_exceptions() {
  for (int n_threads : {1, 3}) {
    for (std::size_t bad : {0, 57, 99}) {
      std::string caught;
      try {
        parallel_for(100, n_threads, [&](std::size_t task, int) {
          if (task == bad) throw std::runtime_error("task " + std::to_string(task));
        });
      } catch (const std::runtime_error& e) {
        caught = e.what();
      }
      CHECK(caught == "task " + std::to_string(bad));
    }
    std::atomic<int> after{0};  // the pool is whole
    parallel_for(50, n_threads, [&](std::size_t, int) { ++after; });
    CHECK(after == 50);
  }
}

void test_nested() {
  std::atomic<int> inner{0};
  parallel_for(8, 3, [&](std::size_t, int) { parallel_for(5, 3, [&](std::size_t, int) { ++inner; }); });
  CHECK(inner == 40);
}

void test_callers_side_by_side() {
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int r = 0; r < 50; ++r) parallel_for(20, 2, [&](std::size_t, int) { ++done; });
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(done == 4 * 50 * 20);
}

int work_in_child() {
  std::atomic<int> done{0};
  parallel_for(200, 3, [&](std::size_t, int) { ++done; });
  return done == 200 ? 0 : 1;
}

void wait_for_child(pid_t child) {
  CHECK(child > 0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void test_fork() {
  parallel_for(10, 3, [](std::size_t, int) {});  // the parent's threads exist
  pid_t child = fork();
  if (child == 0) _exit(work_in_child());
  wait_for_child(child);

  std::atomic<pid_t> inside{-1};  // and while a region of the parent holds the pool
  parallel_for(4, 2, [&](std::size_t task, int thread) {
    if (task == 0 && thread >= 0) {
      const pid_t p = fork();
      if (p == 0) _exit(work_in_child());
      inside = p;
    }
  });
  wait_for_child(inside);
  CHECK(work_in_child() == 0);
}

std::atomic<int> g_polls{0};

void test_interrupt() {
  using namespace std::chrono_literals;
  surefit::set_poll([] { return ++g_polls >= 2; });
  for (int n_threads : {1, 2}) {
    g_polls = 0;
    std::atomic<std::size_t> done{0};
    bool interrupted = false;
    try {
      parallel_for(100000, n_threads, [&](std::size_t, int) {
        std::this_thread::sleep_for(2ms);
        ++done;
      });
    } catch (const surefit::Interrupted&) {
      interrupted = true;
    }
    CHECK(interrupted);
    CHECK(g_polls == 2);
    CHECK(done < 100000);
  }
  surefit::set_poll(nullptr);
}

}  // namespace

int main() {
  test_every_task_once();
  test_exceptions();
  test_nested();
  test_callers_side_by_side();
  test_fork();
  test_interrupt();
  return 0;
}
