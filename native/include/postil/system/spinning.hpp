// Waiting awake, for a moment.
//
// To put a thread to sleep and to wake it takes some 50 µs, in a virtual machine more; what is waited for
// between two phases of one call mostly takes less.
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

// Whether this process may use more than one processor, as it was when first asked.
bool has_processors_to_spare();

// Returns once `holds` does, or after a moment; on a single processor at once, for nothing would change.
template <class Condition>
void spin_until(Condition&& holds) {
    constexpr auto moment = std::chrono::microseconds(400);
    constexpr int looks_at_once = 32;  // between looks at the clock
    if (holds() || !has_processors_to_spare()) return;
    const auto end = std::chrono::steady_clock::now() + moment;
    do {
        for (int look = 0; look < looks_at_once; ++look) {
            if (holds()) return;
            pause_processor();
        }
        std::this_thread::yield();  // to who works, where there are more threads than processors
    } while (std::chrono::steady_clock::now() < end);
}

}  // namespace postil
