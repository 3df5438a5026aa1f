// Feeds damaged bytes to the tokenizer, the counting stages, the search for copies, the scorer and
// the Reuters scanner, and awkward problems to the solvers, and checks the guarantees of their
// results. `make sanitize` builds it with sanitizers.
//
//     postil_fuzz [--seconds S] [--iterations N] [--seed N]
//
// Runs until the first bound is reached. An input depends only on its number: the one with seed S
// and number i is the first of seed S + i, so that a failure can be repeated.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "learn/learning_checks.hpp"
#include "learn/merit_checks.hpp"
#include "learn/multiclass_checks.hpp"
#include "learn/online_checks.hpp"
#include "learn/polychotomous_checks.hpp"
#include "ledger.hpp"
#include "mutator.hpp"
#include "random.hpp"
#include "text/copy_checks.hpp"
#include "text/counting_checks.hpp"
#include "text/occurrence_checks.hpp"
#include "text/reuters_checks.hpp"
#include "text/scoring_checks.hpp"
#include "text/tokenizer_checks.hpp"

#if defined(__SANITIZE_ADDRESS__) && __has_include(<sanitizer/common_interface_defs.h>)
#include <sanitizer/common_interface_defs.h>
#define POSTIL_REPORT_ON_DEATH(report) __sanitizer_set_death_callback(report)
#else
#define POSTIL_REPORT_ON_DEATH(report)
#endif

namespace {

using namespace postil::tests;

// A large corpus costs as much as a hundred small ones.
constexpr std::uint64_t inputs_for_each_large = 100;
// Learning does not depend on the bytes, and is fast.
constexpr int problems_for_each_input = 10;

// The current input, where the report of a sanitizer can find it.
struct {
    std::uint64_t seed = 0;
    std::string bytes;
    bool busy = false;
} current;

void print_current() {
    if (!current.busy) return;
    std::fprintf(stderr, "again: postil_fuzz --seed %llu --iterations 1\ninput (%zu bytes): ",
                 static_cast<unsigned long long>(current.seed), current.bytes.size());
    for (const auto byte : current.bytes)
        std::fprintf(stderr, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    std::fputc('\n', stderr);
}

void run_input(std::uint64_t seed, Ledger& ledger) {
    Random random(seed);
    current.seed = seed;
    current.bytes = Mutator(random).damaged_seed();
    current.busy = true;
    TokenizerChecks(ledger, random).run(current.bytes);
    ReutersChecks(ledger).run(current.bytes);
    OccurrenceChecks(ledger, random).run();
    CopyChecks(ledger, random).run(current.bytes);
    CountingChecks(ledger, random).run(current.bytes, seed % inputs_for_each_large == 0);
    ScoringChecks(ledger, random).run(current.bytes, seed % inputs_for_each_large == 50);
    for (int sample = 0; sample < problems_for_each_input; ++sample)
        LearningChecks(ledger, random).run();
    for (int sample = 0; sample < problems_for_each_input; ++sample)
        PolychotomousChecks(ledger, random).run();
    for (int sample = 0; sample < problems_for_each_input; ++sample)
        MulticlassChecks(ledger, random).run();
    for (int sample = 0; sample < problems_for_each_input; ++sample)
        OnlineChecks(ledger, random).run();
    for (int sample = 0; sample < problems_for_each_input; ++sample)
        MeritChecks(ledger, random).run();
    current.busy = false;
}

struct Bounds {
    double seconds = std::numeric_limits<double>::infinity();
    std::uint64_t iterations = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t seed = 0;
};

std::optional<Bounds> parse(int count, char** arguments) {
    Bounds bounds;
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) return {};
        const std::string name = arguments[i];
        const char* value = arguments[i + 1];
        char* end = nullptr;
        if (name == "--seconds") bounds.seconds = std::strtod(value, &end);
        else if (name == "--iterations") bounds.iterations = std::strtoull(value, &end, 10);
        else if (name == "--seed") bounds.seed = std::strtoull(value, &end, 10);
        else return {};
        if (end == value || *end != '\0') return {};
    }
    const Bounds unbounded;
    if (bounds.seconds == unbounded.seconds && bounds.iterations == unbounded.iterations)
        bounds.seconds = 10.0;
    return bounds;
}

int run(const Bounds& bounds) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    Ledger ledger;
    std::uint64_t inputs = 0, failed = 0;
    try {
        for (; inputs < bounds.iterations && elapsed() < bounds.seconds; ++inputs)
            run_input(bounds.seed + inputs, ledger);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "failed: %s\n", error.what());
        print_current();
        failed = 1;
    }
    std::printf("fuzz from seed %llu, %llu inputs in %.1f s: %llu passed, %llu failed\n",
                static_cast<unsigned long long>(bounds.seed),
                static_cast<unsigned long long>(inputs), elapsed(),
                static_cast<unsigned long long>(ledger.passed()),
                static_cast<unsigned long long>(failed));
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int count, char** arguments) {
    const auto bounds = parse(count, arguments);
    if (!bounds) {
        std::fputs("usage: postil_fuzz [--seconds S] [--iterations N] [--seed N]\n", stderr);
        return 2;
    }
    POSTIL_REPORT_ON_DEATH(print_current);
    return run(*bounds);
}
