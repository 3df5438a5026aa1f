// Work spread over threads: independent tasks by number, claimed one at a time.
//
// Results must not depend on which thread ran which task; that is the caller's promise, and how
// every result here is the same for any number of threads. A Monitor lets somebody outside stop
// the work and watch it go.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace postil {

struct Interrupted : std::exception {
    const char* what() const noexcept override { return "stopped from outside"; }
};

struct Monitor {
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> done{0};
};

// Runs work(task, worker) for every task below `tasks`, on `workers` threads of which the caller
// is one. The first exception stops the rest and is thrown again here; so is Interrupted.
template <class Work>
void run_tasks(std::size_t tasks, std::size_t workers, Monitor& monitor, Work&& work) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex failure_lock;

    auto loop = [&](std::size_t worker) {
        try {
            for (auto task = next++; task < tasks && !failed && !monitor.stop; task = next++) {
                work(task, worker);
                ++monitor.done;
            }
        } catch (...) {
            const std::lock_guard guard(failure_lock);
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };

    std::vector<std::jthread> others;
    const auto useful = workers < tasks ? workers : tasks;
    for (std::size_t worker = 1; worker < useful; ++worker) others.emplace_back(loop, worker);
    loop(0);
    others.clear();  // joins
    if (failure) std::rethrow_exception(failure);
    if (monitor.stop) throw Interrupted();
}

}  // namespace postil
