// Small learning problems with everything that is awkward about large ones: documents without
// terms, terms without documents, duplicate documents, weights of zero, categories without members
// or with all documents, and per-term priors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "../random.hpp"
#include "postil/learn/training.hpp"

namespace postil::tests {

// Compressed lines that own their arrays.
struct OwnLines {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> places;
    std::vector<float> values;

    void add(std::size_t place, float value) {
        places.push_back(static_cast<std::int32_t>(place));
        values.push_back(value);
    }
    void end_line() { starts.push_back(static_cast<std::int64_t>(places.size())); }
    SparseLines view() const {
        return {starts.data(), places.data(), values.data(), starts.size() - 1};
    }
};

struct OwnLists {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> places;

    void end_list() { starts.push_back(static_cast<std::int64_t>(places.size())); }
    Lists view() const { return {starts, places}; }
};

struct ProblemSizes {
    std::size_t most_documents = 24;
    std::size_t fewest_categories = 1, most_categories = 4;
};

class SampleProblem {
public:
    explicit SampleProblem(Random& random, ProblemSizes sizes = {}) : random_(random), sizes_(sizes) {
        documents_ = random_.between(1, sizes_.most_documents);
        terms_ = random_.below(16);
        choose_values();
        write(rows_, documents_, terms_, [&](auto i, auto j) { return dense_[i * terms_ + j]; });
        write(columns_, terms_, documents_, [&](auto j, auto i) { return dense_[i * terms_ + j]; });
        choose_categories();
        choose_weights();
        choose_terms();
        choose_strengths();
        choose_priors();
    }

    std::size_t documents() const { return documents_; }
    std::size_t terms() const { return terms_; }
    std::size_t categories() const { return members_.starts.size() - 1; }
    bool is_extreme() const { return is_extreme_; }
    Design design() const { return {rows_.view(), columns_.view()}; }
    std::optional<Lists> chosen_terms() const {
        return chooses_terms_ ? std::optional(chosen_.view()) : std::nullopt;
    }
    std::vector<std::int32_t> terms_of(std::size_t category) const {
        if (chooses_terms_) {
            const auto own = chosen_.view()[category];
            return {own.begin(), own.end()};
        }
        std::vector<std::int32_t> all(terms_);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    // For a solver that takes any prior, or only ridge.
    Assignment assignment(bool any_prior) const {
        Assignment given{members_.view(), document_weights_, member_weights_, other_weights_,
                         any_prior ? strengths_ : ridges_, points_, {}, {}, {}};
        if (any_prior) given.term_priors = {term_priors_, own_terms_.view(), own_priors_};
        return given;
    }
    std::size_t points() const { return points_; }

    // The prior of a term, the constant being past the terms; the constant may also be unpenalised.
    Prior prior(std::size_t category, std::size_t point, std::size_t term, bool any_prior) const {
        const auto at = category * points_ + point;
        if (!any_prior) return TermPrior{}.prior(ridges_[at]);
        const auto own = own_terms_.view()[category];
        const auto found = std::find(own.begin(), own.end(), static_cast<std::int32_t>(term));
        if (found != own.end())
            return own_priors_[static_cast<std::size_t>(own_terms_.starts[category] + (found - own.begin()))]
                .prior(strengths_[at]);
        return (term_priors_.empty() ? TermPrior{} : term_priors_[term]).prior(strengths_[at]);
    }

    double value(std::size_t document, std::size_t term) const {
        return dense_[document * terms_ + term];
    }
    double total() const {
        return std::accumulate(document_weights_.begin(), document_weights_.end(), 0.0);
    }
    double lambda(std::size_t category) const { return ridges_[category * points_].squared; }
    bool is_member(std::size_t document, std::size_t category) const {
        const auto own = members_.view()[category];
        return std::ranges::count(own, static_cast<std::int32_t>(document)) > 0;
    }
    double weight(std::size_t document, std::size_t category) const {
        const auto& of_class = is_member(document, category) ? member_weights_ : other_weights_;
        return document_weights_[document] * of_class[category];
    }

    // The kernel matrix of all documents over all terms.
    std::vector<double> gram() const {
        std::vector<double> gram(documents_ * documents_);
        for (std::size_t i = 0; i < documents_; ++i)
            for (std::size_t k = 0; k < documents_; ++k)
                for (std::size_t j = 0; j < terms_; ++j)
                    gram[i * documents_ + k] += value(i, j) * value(k, j);
        return gram;
    }

private:
    void choose_values() {
        dense_.assign(documents_ * terms_, 0.0f);
        const auto sparsity = random_.between(1, 6);
        const auto size = random_.one_in(5) ? random_.pick(std::vector<float>{1e-3f, 30.0f}) : 1.0f;
        for (std::size_t i = 0; i < documents_; ++i) {
            if (i > 0 && random_.one_in(5)) {
                const auto twin = random_.below(i);
                for (std::size_t j = 0; j < terms_; ++j)
                    dense_[i * terms_ + j] = dense_[twin * terms_ + j];
                continue;
            }
            if (random_.one_in(6)) continue;
            for (std::size_t j = 0; j < terms_; ++j)
                if (random_.one_in(sparsity)) dense_[i * terms_ + j] = size * random_value();
        }
    }

    float random_value() {
        return static_cast<float>(random_.between(1, 1000)) / (random_.one_in(5) ? -500.0f : 500.0f);
    }

    template <class At>
    static void write(OwnLines& lines, std::size_t count, std::size_t width, At&& at) {
        for (std::size_t line = 0; line < count; ++line) {
            for (std::size_t place = 0; place < width; ++place)
                if (at(line, place) != 0.0f) lines.add(place, at(line, place));
            lines.end_line();
        }
    }

    void choose_categories() {
        auto left = random_.between(sizes_.fewest_categories, sizes_.most_categories);
        for (; left > 0; --left) {
            // Every document, every second, every fourth, none.
            const auto rarity = random_.pick(std::vector<std::size_t>{1, 2, 4, 1'000'000});
            for (std::size_t i = 0; i < documents_; ++i)
                if (random_.one_in(rarity)) members_.places.push_back(static_cast<std::int32_t>(i));
            members_.end_list();
        }
    }

    void choose_weights() {
        document_weights_.assign(documents_, 1.0);
        if (random_.one_in(3))
            for (auto& weight : document_weights_)
                weight = random_.pick(std::vector<double>{0.0, 0.0, 0.5, 1.0, 7.0});
        // At least one document has a weight.
        document_weights_[random_.below(documents_)] = 1.0;
        for (std::size_t category = 0; category < categories(); ++category) {
            const std::vector<double> choices{1.0, 1.0, 0.01, 50.0};
            member_weights_.push_back(random_.pick(choices));
            other_weights_.push_back(random_.pick(choices));
        }
    }

    void choose_terms() {
        chooses_terms_ = random_.one_in(3);
        for (std::size_t category = 0; category < categories(); ++category) {
            for (std::size_t j = 0; j < terms_; ++j)
                if (random_.one_in(2)) chosen_.places.push_back(static_cast<std::int32_t>(j));
            chosen_.end_list();
        }
    }

    // One path of λ for all kinds: ridge, and a mix of ridge and lasso.
    void choose_strengths() {
        is_extreme_ = random_.one_in(4);
        points_ = random_.one_in(3) ? random_.between(2, 4) : 1;
        const auto mix = random_.pick(std::vector<double>{0.0, 0.0, 0.5, 0.99, 1.0, 1.0, 1.0});
        const std::vector<double> usual{1e-4, 1e-3, 1e-2, 1e-1, 1.0};
        const std::vector<double> extreme{1e-100, 1e-30, 1e-14, 1e-8, 1e3, 1e8, 1e30, 1e100};
        while (ridges_.size() < categories() * points_) {
            const auto lambda = random_.pick(is_extreme_ ? extreme : usual);
            ridges_.push_back({0.0, lambda});
            strengths_.push_back({mix * lambda, (1.0 - mix) * lambda});
        }
    }

    void choose_priors() {
        if (random_.one_in(3))
            while (term_priors_.size() < terms_ + 1) term_priors_.push_back(random_prior());
        const bool has_own = random_.one_in(4);
        for (std::size_t category = 0; category < categories(); ++category) {
            for (std::size_t term = 0; has_own && term <= terms_; ++term) {
                if (!random_.one_in(4)) continue;
                own_terms_.places.push_back(static_cast<std::int32_t>(term));
                own_priors_.push_back(random_prior());
            }
            own_terms_.end_list();
        }
    }

    // Wider, narrower, with a mean, bounded, fixed, or unpenalised.
    TermPrior random_prior() {
        TermPrior prior;
        if (random_.one_in(2)) return prior;
        prior.absolute_share = random_.pick(std::vector<double>{1.0, 0.3, 5.0, 0.0});
        prior.squared_share = prior.absolute_share * prior.absolute_share;
        if (random_.one_in(3)) prior.own_absolute = 0.05;
        if (random_.one_in(3)) prior.own_squared = 0.02;
        if (random_.one_in(2)) prior.mean = random_.pick(std::vector<double>{0.5, -1.0, 2.0});
        if (random_.one_in(3)) prior.low = prior.mean - random_.pick(std::vector<double>{0.0, 0.2});
        if (random_.one_in(3)) prior.high = prior.mean + random_.pick(std::vector<double>{0.0, 0.2});
        return prior;
    }

    Random& random_;
    ProblemSizes sizes_;
    std::size_t documents_ = 0, terms_ = 0;
    std::vector<float> dense_;
    OwnLines rows_, columns_;
    OwnLists members_, chosen_;
    bool chooses_terms_ = false, is_extreme_ = false;
    std::vector<double> document_weights_, member_weights_, other_weights_;
    std::size_t points_ = 1;
    std::vector<Strength> ridges_, strengths_;  // of the first category's points, then the second's
    std::vector<TermPrior> term_priors_, own_priors_;
    OwnLists own_terms_;
};

}  // namespace postil::tests
