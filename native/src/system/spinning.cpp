#include "postil/system/spinning.hpp"

#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace postil {

namespace {

unsigned usable_processors() {
#if defined(__linux__)
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        return static_cast<unsigned>(CPU_COUNT(&usable));
#endif
    return std::thread::hardware_concurrency();
}

}  // namespace

bool has_processors_to_spare() {
    static const bool several = usable_processors() != 1;
    return several;
}

}  // namespace postil
