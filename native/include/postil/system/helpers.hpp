// A pool of idle threads. Waking a thread costs a fraction of starting one.
#pragma once

#include <cstddef>
#include <functional>

namespace postil {

// Runs the job on an idle thread, or on a new one if all are busy. The thread then stays in the
// pool. An exception that leaves the job ends the program.
void run_on_helper(std::function<void()> job);

// Wakes `count` threads, which then spin for a moment. Call it shortly before run_tasks, so that
// waking overlaps with other work.
void wake_helpers(std::size_t count);

}  // namespace postil
