// Memory that goes back to the system the moment it is freed.
//
// malloc keeps what is freed for itself, so that rows that have become a matrix would go on being
// counted against us. Large blocks are therefore mapped page by page where that can be done.
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

// Not under AddressSanitizer, which sees only what malloc gives.
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

// Asks for huge pages where there are any: a large array then costs a few page faults, not
// thousands, for which threads would wait on each other.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if POSTIL_MAPS_PAGES && defined(MADV_HUGEPAGE)
    const auto first = in_huge_pages(reinterpret_cast<std::uintptr_t>(memory));
    const auto last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge_page * huge_page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

// As malloc, for std::free; what is large begins where a huge page may, and asks for them.
inline void* allocate_array(std::size_t bytes) {
    if (bytes < huge_page || !POSTIL_MAPS_PAGES) return std::malloc(bytes > 0 ? bytes : 1);
    void* const memory = std::aligned_alloc(huge_page, in_huge_pages(bytes));
    if (memory != nullptr) prefer_huge_pages(memory, bytes);
    return memory;
}

// Asks for the pages of memory that is about to be written, all at once: cheaper than a fault for each.
// Linux knows how since 5.14; elsewhere they come one by one.
inline void populate([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if POSTIL_MAPS_PAGES && defined(MADV_POPULATE_WRITE)
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    if (bytes < page) return;
    const auto first = reinterpret_cast<std::uintptr_t>(memory) / page * page;
    const auto last = reinterpret_cast<std::uintptr_t>(memory) + bytes;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

// An array that workers write to part by part, and which of its pages have been asked for: each huge page
// once and as a whole, by who comes to it first.
class PopulatedArray {
public:
    PopulatedArray(void* memory, std::size_t bytes)
        : memory_(reinterpret_cast<std::uintptr_t>(memory)),
          bytes_(bytes),
          claimed_((memory_ + bytes) / huge_page - memory_ / huge_page + 1) {}

    // For who is about to write so many bytes.
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
// What is large begins where a huge page may, and asks for them. Goes back by munmap.
inline std::byte* map_pages(std::size_t bytes) {
    const auto spare = bytes < huge_page ? 0 : huge_page;  // not every system aligns what it maps
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

// Memory for what is freed in about the order it was made: blocks are cut one after the other from
// slabs, and a slab goes back when the last block of it is gone. Few and large, for all threads wait
// while pages are taken from one of them. Workers share them: so little is left over.
class PageSlabs {
public:
    // `expected` is about how many bytes will be asked for in all; rather less than more, for huge pages
    // that stay empty are taken all the same.
    explicit PageSlabs(std::size_t expected) : expected_(expected) {}

    // Not cleared; it lives as long as anybody holds it. Any thread may ask.
    template <class Value>
    std::shared_ptr<Value[]> allocate(std::size_t count) {
        const auto bytes = (count * sizeof(Value) + line - 1) / line * line;
        // Whole pages would be a waste, and malloc is faster.
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

    // A huge page where it will be filled: one to clear and to give back is far less work than all the
    // small ones.
    void begin_slab(std::size_t least) {
        const auto usual = expected_ >= huge_page ? huge_page : small_slab;
        const auto size = least > usual ? in_whole_pages(least) : usual;
        slab_ = {};  // goes back first, if nobody else has it
        size_ = used_ = 0;
        slab_ = new_slab(size);  // where there is no memory, others find a slab without room
        size_ = size;
        // While others wait: were they to come to the page at the same time, they would clear it in vain.
        if (size == huge_page) populate(slab_.get(), size);
        expected_ -= size < expected_ ? size : expected_;
    }

    // Of any size that systems have.
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
    std::size_t expected_;  // of what is yet to come
};

}  // namespace postil
