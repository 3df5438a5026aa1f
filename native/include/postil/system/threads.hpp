// Independent tasks, numbered and spread over threads.
//
// Results must not depend on which thread ran which task: callers ensure this, so that every result
// is the same for any number of threads. A Monitor counts finished work and lets the caller
// interrupt it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "postil/system/helpers.hpp"
#include "postil/system/spinning.hpp"
#include "postil/system/task_claims.hpp"

namespace postil {

struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

class Monitor {
public:
    static constexpr auto interval = std::chrono::milliseconds(100);

    Monitor() = default;

    // `should_stop` is called at most once per interval and only on the thread that created the
    // monitor, because only there can Python check for signals.
    explicit Monitor(std::function<bool()> should_stop) : should_stop_(std::move(should_stop)) {}

    void stop() { stopped_ = true; }
    bool stopped() const { return stopped_; }

    // Throws Interrupted if the work is to stop. Call it often: it costs a few nanoseconds.
    void check() {
        poll();
        if (stopped_) throw Interrupted();
    }

    // Counts one finished piece of work. `done` is the progress that the caller reports.
    void advance() { ++done_; }
    std::size_t done() const { return done_; }

    void poll() {
        if (!should_stop_ || std::this_thread::get_id() != owner_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - polled_ < interval) return;
        polled_ = now;
        if (should_stop_()) stop();
    }

private:
    std::function<bool()> should_stop_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point polled_ = std::chrono::steady_clock::now();
    std::atomic<bool> stopped_{false};
    std::atomic<std::size_t> done_{0};
};

// Runs work(task, worker) for every task below `tasks` on `workers` threads, the caller being one
// of them. The first exception stops the other workers and is rethrown here; so is Interrupted.
template <class Tasks = TasksInOrder, class Work>
void run_tasks(std::size_t tasks, std::size_t workers, Monitor& monitor, Work&& work) {
    const auto useful = std::max<std::size_t>(1, std::min(workers, tasks));
    Tasks unclaimed(tasks, useful);
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex lock;
    std::condition_variable returned;
    std::atomic<std::size_t> busy{0};  // helpers that have not returned yet; written under the lock

    auto loop = [&](std::size_t worker) {
        try {
            while (!failed && !monitor.stopped()) {
                const auto task = unclaimed.claim(worker);
                if (!task) return;
                work(*task, worker);
                monitor.poll();
            }
        } catch (...) {
            const std::lock_guard guard(lock);
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    auto help = [&](std::size_t worker) {
        loop(worker);
        const std::lock_guard guard(lock);
        --busy;
        returned.notify_one();  // under the lock: the caller may return once it is released
    };

    for (std::size_t helper = 1; helper < useful; ++helper) {  // the caller is worker 0
        {
            const std::lock_guard guard(lock);
            ++busy;
        }
        try {
            run_on_helper([help, helper] { help(helper); });
        } catch (...) {  // no further thread available: the others do the work
            const std::lock_guard guard(lock);
            --busy;
            break;
        }
    }
    loop(0);
    spin_until([&] { return busy.load() == 0; });
    for (std::unique_lock guard(lock); busy > 0;) {
        returned.wait_for(guard, Monitor::interval);
        guard.unlock();
        monitor.poll();
        guard.lock();
    }
    if (failure) std::rethrow_exception(failure);
    if (monitor.stopped()) throw Interrupted();
}

}  // namespace postil
