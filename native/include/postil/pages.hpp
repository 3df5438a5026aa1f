// Memory that goes back to the system the moment it is freed.
//
// malloc keeps what is freed for itself, so that rows that have become a matrix would go on being
// counted against us. Large blocks are therefore mapped page by page where that can be done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

// Not under AddressSanitizer, which sees only what malloc gives.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#define POSTIL_MAPS_PAGES 1
#else
#define POSTIL_MAPS_PAGES 0
#endif

namespace postil {

// Asks for huge pages where there are any: a large array then costs a few page faults, not
// thousands, for which threads would wait on each other.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if POSTIL_MAPS_PAGES && defined(MADV_HUGEPAGE)
    constexpr std::size_t huge = std::size_t{1} << 21;
    const auto first = (reinterpret_cast<std::uintptr_t>(memory) + huge - 1) / huge * huge;
    const auto last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge * huge;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

template <class Value>
struct PageAllocator {
    using value_type = Value;

    PageAllocator() = default;
    template <class Other>
    PageAllocator(const PageAllocator<Other>&) {}

    Value* allocate(std::size_t count) {
        const auto bytes = count * sizeof(Value);
#if POSTIL_MAPS_PAGES
        if (is_large(bytes)) {
            void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);
            if (pages == MAP_FAILED) throw std::bad_alloc();
            return static_cast<Value*>(pages);
        }
#endif
        return static_cast<Value*>(::operator new(bytes));
    }

    void deallocate(Value* memory, [[maybe_unused]] std::size_t count) noexcept {
#if POSTIL_MAPS_PAGES
        if (is_large(count * sizeof(Value))) {
            munmap(memory, count * sizeof(Value));
            return;
        }
#endif
        ::operator delete(memory);
    }

    friend bool operator==(PageAllocator, PageAllocator) { return true; }

private:
    // Pages are asked for all at once where that can be done: cheaper than a fault for each.
#ifdef MAP_POPULATE
    static constexpr int populate = MAP_POPULATE;
#else
    static constexpr int populate = 0;
#endif

    // Below this, whole pages would be a waste and malloc is faster.
    static bool is_large(std::size_t bytes) { return bytes >= std::size_t{1} << 15; }
};

}  // namespace postil
