// Tables of scores, documents × problems, with everything that is awkward: no or one document, more
// than a block of them, thousands of problems, ties, scores of any magnitude.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "../random.hpp"

namespace postil::tests {

enum class Scores { usual, coarse, equal, huge, mixed };

struct TableSizes {
    std::size_t documents, problems;

    std::size_t entries() const { return documents * problems; }
};

class SampleTable {
public:
    explicit SampleTable(Random& random) : random_(random) {}

    TableSizes sizes(std::size_t fewest_problems) {
        if (random_.one_in(300)) return {random_.below(3), random_.between(1000, 1300)};
        if (random_.one_in(20)) return {random_.between(250, 800), random_.between(fewest_problems, 4)};
        return {random_.below(12), random_.between(fewest_problems, 20)};
    }

    Scores kind() { return static_cast<Scores>(random_.below(5)); }

    // One of -1 .. 1.
    double share() { return static_cast<double>(random_.between(0, 2'000'000)) / 1e6 - 1.0; }

    // 10 to a power of -size .. size.
    double positive(double size) { return std::pow(10.0, size * share()); }

    double weight() { return random_.one_in(3) ? 0.0 : positive(2.0); }

    template <class Value>
    std::vector<Value> scores(std::size_t size, Scores kind) {
        std::vector<Value> found(size);
        const auto same = static_cast<Value>(share());
        for (auto& score : found) score = kind == Scores::equal ? same : static_cast<Value>(this->score(kind));
        return found;
    }

    std::vector<std::int8_t> cases(std::size_t size) {
        std::vector<std::int8_t> found(size);
        for (auto& value : found) value = static_cast<std::int8_t>(static_cast<int>(random_.below(3)) - 1);
        return found;
    }

    template <class Draw>
    static std::vector<double> draw(std::size_t size, Draw&& one) {
        std::vector<double> found(size);
        for (auto& value : found) value = one();
        return found;
    }

private:
    double score(Scores kind) {
        if (kind == Scores::mixed) kind = random_.one_in(2) ? Scores::usual : Scores::huge;
        if (kind == Scores::coarse) return static_cast<double>(random_.below(3)) - 1.0;  // ties
        if (kind == Scores::huge) return (random_.one_in(2) ? 1.0 : -1.0) * std::pow(10.0, 30.0 * std::abs(share()));
        return 4.0 * share();
    }

    Random& random_;
};

}  // namespace postil::tests
