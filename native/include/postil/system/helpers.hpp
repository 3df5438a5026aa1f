// Threads that wait to be of help: to wake one costs a part of what it costs to start one.
#pragma once

#include <cstddef>
#include <functional>

namespace postil {

// Runs the job on a thread that has nothing else to do; one is started if there is none. The thread
// stays, for the next job. What a job throws ends the program.
void run_on_helper(std::function<void()> job);

// Wakes so many, which stay awake for a moment: for who will soon have work for them.
void wake_helpers(std::size_t count);

}  // namespace postil
