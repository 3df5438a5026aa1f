// Short active waits.
//
// Putting a thread to sleep and waking it takes about 50 µs, more in a virtual machine. Waits
// between two phases of one call are mostly shorter.
#pragma once

#include <chrono>
#include <thread>

namespace postil {

inline void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Returns true if this process may use more than one processor, as measured at the first call.
bool has_processors_to_spare();

// Returns as soon as `holds` is true, or after 400 µs. On a single processor it returns at once,
// because no other thread could change the condition.
template <class Condition>
void spin_until(Condition&& holds) {
    constexpr auto moment = std::chrono::microseconds(400);
    constexpr int checks_per_clock = 32;  // between two reads of the clock
    if (holds() || !has_processors_to_spare()) return;
    const auto end = std::chrono::steady_clock::now() + moment;
    do {
        for (int check = 0; check < checks_per_clock; ++check) {
            if (holds()) return;
            pause_processor();
        }
        std::this_thread::yield();  // matters where there are more threads than processors
    } while (std::chrono::steady_clock::now() < end);
}

}  // namespace postil
