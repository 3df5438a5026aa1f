#include "postil/system/helpers.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "postil/system/spinning.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define POSTIL_FORKS 1
#else
#define POSTIL_FORKS 0
#endif

namespace postil {

namespace {

// The mailbox of one thread: it waits here for its next job.
struct Post {
    std::mutex lock;
    std::condition_variable called;
    std::function<void()> job;
    std::atomic<bool> has_job{false};  // read without the lock
};

class Helpers {
public:
    // Never destroyed: helpers use it until the process ends.
    static Helpers& all() {
        static auto* const helpers = new Helpers;
        return *helpers;
    }

    void run(std::function<void()> job) {
        if (auto* const post = taken()) {
            const std::lock_guard guard(post->lock);
            post->job = std::move(job);
            post->has_job = true;
            post->called.notify_one();
            return;
        }
        auto post = std::make_unique<Post>();
        post->job = std::move(job);
        post->has_job = true;
        std::thread([this, own = post.get()] { serve(*own); }).detach();
        post.release();  // owned by the thread from now on
    }

private:
    Helpers() {
        has_processors_to_spare();  // measured now, so that no fork can interrupt the measurement
#if POSTIL_FORKS
        // A forked process has none of the threads, and the list must be consistent when it is
        // copied.
        pthread_atfork([] { all().lock_.lock(); }, [] { all().lock_.unlock(); },
                       [] {
                           all().idle_.clear();
                           all().lock_.unlock();
                       });
#endif
    }

    Post* taken() {
        const std::lock_guard guard(lock_);
        if (idle_.empty()) return nullptr;
        auto* const post = idle_.back();
        idle_.pop_back();
        return post;
    }

    void serve(Post& post) {
        for (;;) {
            // The next phase of a call usually follows soon, and waking a thread takes longer than
            // that.
            spin_until([&] { return post.has_job.load(); });
            std::function<void()> job;
            {
                std::unique_lock guard(post.lock);
                post.called.wait(guard, [&] { return post.job != nullptr; });
                job = std::exchange(post.job, nullptr);
                post.has_job = false;
            }
            job();
            const std::lock_guard guard(lock_);
            idle_.push_back(&post);
        }
    }

    std::mutex lock_;
    std::vector<Post*> idle_;
};

}  // namespace

void run_on_helper(std::function<void()> job) { Helpers::all().run(std::move(job)); }

void wake_helpers(std::size_t count) {
    try {
        for (std::size_t helper = 0; helper < count; ++helper) run_on_helper([] {});
    } catch (...) {  // no further thread available: run_tasks handles this
    }
}

}  // namespace postil
