// Runs native work without the GIL while Ctrl-C keeps working.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "postil/threads.hpp"

namespace postil::bind {

namespace nb = nanobind;

// Work estimated at fewer units than this (bytes of text, matrix entries) is over before anybody
// could press Ctrl-C: it runs on the calling thread.
inline constexpr std::size_t small_work = 1 << 20;

// Calls work(monitor) with the GIL released. Large work runs on a thread of its own while this
// one asks Python for signals ten times a second; a signal stops the work and raises.
template <class Work>
void run_watched(std::size_t amount, Work&& work) {
    Monitor monitor;
    nb::gil_scoped_release unlocked;
    if (amount < small_work) return work(monitor);

    std::mutex lock;
    std::condition_variable finished;
    bool over = false;
    std::exception_ptr failure;
    std::jthread worker([&] {
        try {
            work(monitor);
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard guard(lock);
        over = true;
        finished.notify_one();
    });
    bool signalled = false;
    std::unique_lock guard(lock);
    while (!finished.wait_for(guard, std::chrono::milliseconds(100), [&] { return over; })) {
        guard.unlock();
        {
            nb::gil_scoped_acquire locked;
            if (!signalled && PyErr_CheckSignals() != 0) {
                signalled = true;
                monitor.stop = true;
            }
        }
        guard.lock();
    }
    guard.unlock();
    worker.join();
    if (signalled) {
        nb::gil_scoped_acquire locked;
        throw nb::python_error();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace postil::bind
