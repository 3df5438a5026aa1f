#include "postil/scoring/sinks.hpp"

#include <algorithm>

namespace postil {

namespace {

bool better(const CategoryScore& a, const CategoryScore& b) {
    return a.score != b.score ? a.score > b.score : a.category < b.category;
}

}  // namespace

void AllScores::take(std::size_t document, const double* scores, std::size_t) {
    std::copy_n(scores, categories_, target_ + document * categories_);
}

void TopScores::take(std::size_t document, const double* scores, std::size_t worker) {
    auto& best = best_[worker].list;  // a heap, the worst on top
    best.clear();
    for (std::size_t category = 0; category < kept_; ++category)
        best.push_back({static_cast<std::int32_t>(category), scores[category]});
    std::make_heap(best.begin(), best.end(), better);
    for (auto category = kept_; category < categories_; ++category) {
        if (!(scores[category] > best.front().score)) continue;  // the first of equals stays
        std::pop_heap(best.begin(), best.end(), better);
        best.back() = {static_cast<std::int32_t>(category), scores[category]};
        std::push_heap(best.begin(), best.end(), better);
    }
    std::sort_heap(best.begin(), best.end(), better);
    for (std::size_t i = 0; i < kept_; ++i) {
        target_.categories[document * kept_ + i] = best[i].category;
        target_.scores[document * kept_ + i] = best[i].score;
    }
}

void ScoresAbove::take(std::size_t document, const double* scores, std::size_t worker) {
    auto& found = found_[worker].list;
    const auto first = found.size();
    for (std::size_t category = 0; category < categories_; ++category)
        if (scores[category] >= thresholds_[category])
            found.push_back({static_cast<std::int32_t>(category), scores[category]});
    pieces_[document] = {worker, first, found.size() - first};
}

std::size_t ScoresAbove::size() const {
    std::size_t total = 0;
    for (const auto& found : found_) total += found.list.size();
    return total;
}

void ScoresAbove::write(const Target& target) const {
    std::size_t at = 0;
    for (std::size_t document = 0; document < pieces_.size(); ++document) {
        target.row_starts[document] = static_cast<std::int64_t>(at);
        const auto& [worker, first, count] = pieces_[document];
        for (auto i = first; i < first + count; ++i, ++at) {
            target.categories[at] = found_[worker].list[i].category;
            target.scores[at] = found_[worker].list[i].score;
        }
    }
    target.row_starts[pieces_.size()] = static_cast<std::int64_t>(at);
}

}  // namespace postil
