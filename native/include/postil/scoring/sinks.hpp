// Consumers of scores: all scores, the best, or those that reach their thresholds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace postil {

// Receives the scores of each document once, in any order, from several workers at a time.
class ScoreSink {
public:
    virtual ~ScoreSink() = default;
    virtual void take(std::size_t document, const double* scores, std::size_t worker) = 0;
};

// Keeps every score: documents by categories.
class AllScores final : public ScoreSink {
public:
    AllScores(double* target, std::size_t categories) : target_(target), categories_(categories) {}

    void take(std::size_t document, const double* scores, std::size_t worker) override;

private:
    double* target_;
    std::size_t categories_;
};

struct CategoryScore {
    std::int32_t category;
    double score;
};

// One list per worker, aligned so that no two share a cache line.
struct alignas(128) WorkerScores {
    std::vector<CategoryScore> list;
};

// Keeps the best `kept` categories of each document, best first; ties go to the lower category.
// Time grows with the number of categories, memory with `kept`.
class TopScores final : public ScoreSink {
public:
    struct Target {  // documents by kept
        std::int32_t* categories;
        double* scores;
    };

    TopScores(const Target& target, std::size_t kept, std::size_t categories, std::size_t workers)
        : target_(target), kept_(kept), categories_(categories), best_(workers) {}

    void take(std::size_t document, const double* scores, std::size_t worker) override;

private:
    Target target_;
    std::size_t kept_, categories_;
    std::vector<WorkerScores> best_;  // by worker
};

// Keeps the scores that reach their category's threshold, by document and rising category.
class ScoresAbove final : public ScoreSink {
public:
    ScoresAbove(const double* thresholds, std::size_t categories, std::size_t documents,
                std::size_t workers)
        : thresholds_(thresholds), categories_(categories), pieces_(documents), found_(workers) {}

    void take(std::size_t document, const double* scores, std::size_t worker) override;

    struct Target {
        std::int64_t* row_starts;  // documents + 1
        std::int32_t* categories;
        double* scores;
    };

    std::size_t size() const;
    void write(const Target& target) const;

private:
    struct Piece {
        std::size_t worker = 0, first = 0, count = 0;
    };

    const double* thresholds_;
    std::size_t categories_;
    std::vector<Piece> pieces_;        // by document
    std::vector<WorkerScores> found_;  // by worker
};

}  // namespace postil
