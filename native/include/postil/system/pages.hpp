// Memory that is returned to the system as soon as it is freed.
//
// malloc keeps freed memory in its own lists, so rows that have been copied into a matrix would
// still count towards the process. Large blocks are therefore mapped page by page where the system
// allows it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

// AddressSanitizer only checks memory that comes from malloc.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#include <unistd.h>
#define POSTIL_MAPS_PAGES 1
#else
#define POSTIL_MAPS_PAGES 0
#endif

namespace postil {

constexpr std::size_t huge_page = std::size_t{1} << 21;

inline std::size_t in_huge_pages(std::size_t bytes) {
    return (bytes + huge_page - 1) / huge_page * huge_page;
}

// Requests huge pages where the system has them: a large array then costs a few page faults instead
// of thousands, for which threads would wait on each other.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if POSTIL_MAPS_PAGES && defined(MADV_HUGEPAGE)
    const auto first = in_huge_pages(reinterpret_cast<std::uintptr_t>(memory));
    const auto last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge_page * huge_page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

// Like malloc (free with std::free). Large blocks are aligned to a huge page and request huge
// pages.
inline void* allocate_array(std::size_t bytes) {
    if (bytes < huge_page || !POSTIL_MAPS_PAGES) return std::malloc(bytes > 0 ? bytes : 1);
    void* const memory = std::aligned_alloc(huge_page, in_huge_pages(bytes));
    if (memory != nullptr) prefer_huge_pages(memory, bytes);
    return memory;
}

// Requests the pages of memory that is about to be written all at once, which is cheaper than one
// fault per page. Linux supports this since 5.14; elsewhere this does nothing.
inline void populate([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if POSTIL_MAPS_PAGES && defined(MADV_POPULATE_WRITE)
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    if (bytes < page) return;
    const auto first = reinterpret_cast<std::uintptr_t>(memory) / page * page;
    const auto last = reinterpret_cast<std::uintptr_t>(memory) + bytes;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

// An array that workers write in parts, with a record of the huge pages requested so far. Each huge
// page is requested once and as a whole, by the first worker that reaches it.
class PopulatedArray {
public:
    PopulatedArray(void* memory, std::size_t bytes)
        : memory_(reinterpret_cast<std::uintptr_t>(memory)),
          bytes_(bytes),
          claimed_((memory_ + bytes) / huge_page - memory_ / huge_page + 1) {}

    // Requests the pages of [offset, offset + bytes). Call it before writing them.
    void take(std::size_t offset, std::size_t bytes) {
        if (bytes == 0) return;
        const auto before = memory_ / huge_page;
        const auto last = (memory_ + offset + bytes - 1) / huge_page - before;
        for (auto page = (memory_ + offset) / huge_page - before; page <= last; ++page)
            if (!claimed_[page].exchange(true)) populate_page(before + page);
    }

private:
    void populate_page(std::size_t page) const {
        const auto first = std::max(memory_, page * huge_page);
        const auto last = std::min(memory_ + bytes_, (page + 1) * huge_page);
        populate(reinterpret_cast<void*>(first), last - first);
    }

    std::uintptr_t memory_;
    std::size_t bytes_;
    std::vector<std::atomic<bool>> claimed_;  // by huge page
};

#if POSTIL_MAPS_PAGES
// Maps pages and returns them. Large blocks are aligned to a huge page and request huge pages.
// Release with munmap.
inline std::byte* map_pages(std::size_t bytes) {
    const auto spare = bytes < huge_page ? 0 : huge_page;  // not every system aligns mappings
    void* const mapped =
        mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<std::byte*>(mapped);
    if (spare == 0) return begin;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const auto before = in_huge_pages(address) - address;
    if (before > 0) munmap(begin, before);
    if (before < spare) munmap(begin + before + bytes, spare - before);
    prefer_huge_pages(begin + before, bytes);
    return begin + before;
}
#endif

// An allocator for blocks that are freed in about the order of their allocation. Blocks are cut
// from slabs one after the other, and a slab is returned when its last block is freed. Slabs are
// few and large because all threads wait while one takes its pages, and shared by all workers so
// that little is left over.
class PageSlabs {
public:
    // `expected` is an estimate of the total number of bytes. Prefer a low estimate: huge pages are
    // taken even if they stay empty.
    explicit PageSlabs(std::size_t expected) : expected_(expected) {}

    // Allocates without clearing. The block lives as long as its last owner. Thread-safe.
    template <class Value>
    std::shared_ptr<Value[]> allocate(std::size_t count) {
        const auto bytes = (count * sizeof(Value) + line - 1) / line * line;
        // Small blocks would waste whole pages, and malloc is faster.
        if (bytes < smallest) return std::shared_ptr<Value[]>(new Value[count]);
        const auto [block, populated] = cut(bytes);
        if (!populated) populate(block.get(), bytes);
        return {block, reinterpret_cast<Value*>(block.get())};
    }

private:
    static constexpr std::size_t line = 64;  // no two blocks share a cache line
    static constexpr std::size_t smallest = std::size_t{1} << 13, small_slab = std::size_t{1} << 19;

    struct Block {
        std::shared_ptr<std::byte[]> memory;
        bool populated;
    };

    Block cut(std::size_t bytes) {
        const std::lock_guard guard(lock_);
        if (used_ + bytes > size_) begin_slab(bytes);
        used_ += bytes;
        return {{slab_, slab_.get() + used_ - bytes}, size_ == huge_page};
    }

    // Takes a huge page if it will be filled: clearing and returning one is far less work than
    // clearing many small pages.
    void begin_slab(std::size_t least) {
        const auto usual = expected_ >= huge_page ? huge_page : small_slab;
        const auto size = least > usual ? in_whole_pages(least) : usual;
        slab_ = {};  // freed first, unless a block still uses it
        size_ = used_ = 0;
        slab_ = new_slab(size);  // if this throws, other threads find a slab without room
        size_ = size;
        // Populate under the lock: threads that reached the page at the same time would each clear
        // it.
        if (size == huge_page) populate(slab_.get(), size);
        expected_ -= size < expected_ ? size : expected_;
    }

    // Rounds up to the largest page size in use.
    static std::size_t in_whole_pages(std::size_t bytes) {
        constexpr std::size_t largest_page = std::size_t{1} << 16;
        return (bytes + largest_page - 1) / largest_page * largest_page;
    }

    static std::shared_ptr<std::byte[]> new_slab(std::size_t size) {
#if POSTIL_MAPS_PAGES
        return {map_pages(size), [size](std::byte* memory) { munmap(memory, size); }};
#else
        return std::shared_ptr<std::byte[]>(new std::byte[size]);
#endif
    }

    std::mutex lock_;
    std::shared_ptr<std::byte[]> slab_;
    std::size_t size_ = 0, used_ = 0;
    std::size_t expected_;  // bytes still to come
};

}  // namespace postil
