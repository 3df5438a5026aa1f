// Two ways to hand out tasks to workers, each task once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace postil {

// Hands out tasks in order, each to the first worker that claims one.
class TasksInOrder {
public:
    TasksInOrder(std::size_t tasks, std::size_t) : tasks_(tasks) {}

    std::optional<std::size_t> claim(std::size_t) {
        const auto task = next_++;
        if (task >= tasks_) return {};
        return task;
    }

private:
    std::size_t tasks_;
    std::atomic<std::size_t> next_{0};
};

// Hands out neighbouring tasks to the same worker. Each worker begins with a range of its own; when
// that is done, it takes the last task of the longest remaining range. For tasks whose results are
// neighbours in memory; every claim scans all ranges, so keep the number of tasks moderate.
class TasksInStretches {
public:
    TasksInStretches(std::size_t tasks, std::size_t workers) {
        for (std::size_t worker = 0; worker < workers; ++worker)
            left_.push_back({tasks * worker / workers, tasks * (worker + 1) / workers});
    }

    std::optional<std::size_t> claim(std::size_t worker) {
        const std::lock_guard guard(lock_);
        if (left_[worker].size() > 0) return left_[worker].first++;
        const auto longest = std::max_element(
            left_.begin(), left_.end(),
            [](const Stretch& a, const Stretch& b) { return a.size() < b.size(); });
        if (longest->size() == 0) return {};
        return --longest->end;
    }

private:
    struct Stretch {
        std::size_t first, end;
        std::size_t size() const { return end - first; }
    };

    std::mutex lock_;
    std::vector<Stretch> left_;  // by worker
};

}  // namespace postil
