#include "online.hpp"

#include "../finishing.hpp"

namespace postil {

namespace {

// A block of categories, one for each used lane.
struct Block {
    std::size_t first, count;
};

// Blocks in the order of the categories, whatever their terms: reading a document visits all of its
// terms anyway.
std::vector<Block> blocks_in_order(std::size_t categories) {
    std::vector<Block> blocks;
    for (std::size_t first = 0; first < categories; first += block_lanes)
        blocks.push_back({first, std::min(block_lanes, categories - first)});
    return blocks;
}

template <std::size_t Lanes>
class BlockTask {
public:
    BlockTask(const Design& design, const Lists* terms, const Assignment& assignment,
              const LearnOptions& options, Block block)
        : terms_(terms), assignment_(assignment), options_(options), block_(block),
          usable_(design.terms.count, options.intercept != Intercept::none) {
        problems_.documents = design.documents;
        problems_.constant = usable_.has_constant() ? options.constant : 0.0;
        for (std::size_t i = 0; i < problems_.size(); ++i) {
            const auto row = design.documents[i];
            float largest = 0.0f;
            for (std::size_t k = 0; k < row.size; ++k) largest = std::max(largest, std::abs(row.values[k]));
            problems_.largest.push_back(largest);
        }
        problems_.labels.assign(problems_.size() * Lanes, -1.0f);
        problems_.weights.assign(problems_.size() * Lanes, 0.0);
        for (std::size_t lane = 0; lane < block.count; ++lane) fill(lane);
    }

    void run(std::span<Fit> fits, Monitor& monitor) {
        const bool is_additive = options_.entropy.kind == Entropy::none;
        const bool is_mistake_driven = options_.solver == SolverName::mistake_driven;
        if (is_additive && is_mistake_driven) run<MistakeRule, AdditiveState<Lanes>>(fits, monitor);
        else if (is_additive) run<MarginRule, AdditiveState<Lanes>>(fits, monitor);
        else if (is_mistake_driven) run<MistakeRule, MultiplicativeState<Lanes>>(fits, monitor);
        else run<MarginRule, MultiplicativeState<Lanes>>(fits, monitor);
    }

private:
    void fill(std::size_t lane) {
        const auto category = block_.first + lane;
        const auto& counts = assignment_.document_weights;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            problems_.sizes[lane] += counts[i];
            problems_.weights[i * Lanes + lane] = counts[i] * assignment_.other_weights[category];
        }
        for (const auto member : assignment_.members[category]) {
            const auto i = static_cast<std::size_t>(member);
            problems_.labels[i * Lanes + lane] = 1.0f;
            problems_.weights[i * Lanes + lane] = counts[i] * assignment_.member_weights[category];
        }
        if (terms_ != nullptr) usable_.limit(lane, (*terms_)[category]);
    }

    template <class Rule, class State>
    void run(std::span<Fit> fits, Monitor& monitor) {
        OnlineUpdates<Lanes, Rule, State> updates(problems_, usable_, options_.entropy, options_.online);
        for (std::size_t lane = 0; lane < block_.count; ++lane) begin(updates, lane);
        updates.warm_start(strengths(0));
        for (std::size_t point = 0; point < assignment_.points; ++point) {
            const auto begun = std::chrono::steady_clock::now();
            auto found = updates.solve(strengths(point), monitor);
            // The time of the block is divided among its lanes.
            const auto seconds = seconds_since(begun) / static_cast<double>(block_.count);
            for (std::size_t lane = 0; lane < block_.count; ++lane) {
                auto& fit = fits[lane * assignment_.points + point];
                fit = placed(std::move(found[lane]), lane);
                check_finite(fit, assignment_.strengths_of(block_.first + lane)[point]);
                fit = compacted(std::move(fit), options_);
                fit.seconds = seconds;
            }
        }
    }

    template <class Updates>
    void begin(Updates& updates, std::size_t lane) {
        const auto category = block_.first + lane;
        if (!assignment_.starts.empty()) updates.set_duals(lane, assignment_.starts[category]);
        if (assignment_.initial_exponents.empty()) return;
        const auto exponents = assignment_.initial_exponents[category];
        const auto own = terms_ == nullptr ? std::span<const std::int32_t>() : (*terms_)[category];
        for (std::size_t place = 0; place < exponents.size(); ++place) {
            const bool is_listed = terms_ != nullptr && place < own.size();
            const auto term = is_listed ? static_cast<std::size_t>(own[place]) : place;
            const bool is_constant = place + 1 == exponents.size();
            updates.initial_exponent(lane, is_constant ? usable_.terms() : term) = exponents[place];
        }
    }

    // C of the priors ½‖w‖² (λ = 1/(2Cn)) and of entropies (λ = 1/(Cn)).
    LaneValues<Lanes> strengths(std::size_t point) const {
        LaneValues<Lanes> values;
        values.fill(1.0);
        for (std::size_t lane = 0; lane < block_.count; ++lane) {
            const auto& strength = assignment_.strengths_of(block_.first + lane)[point];
            const auto lambda = strength.absolute + 2.0 * strength.squared;
            if (lambda > 0.0) values[lane] = 1.0 / (lambda * problems_.sizes[lane]);
        }
        return values;
    }

    // Restricts weights and exponents to the terms of the category.
    Fit placed(Fit fit, std::size_t lane) const {
        if (terms_ == nullptr) return fit;
        const auto own = (*terms_)[block_.first + lane];
        std::vector<double> weights, exponents;
        for (const auto term : own) {
            weights.push_back(fit.weights[static_cast<std::size_t>(term)]);
            exponents.push_back(fit.exponents[static_cast<std::size_t>(term)]);
        }
        exponents.push_back(fit.exponents.back());
        fit.weights = std::move(weights);
        fit.exponents = std::move(exponents);
        return fit;
    }

    const Lists* terms_;
    const Assignment& assignment_;
    const LearnOptions& options_;
    Block block_;
    UsableTerms<Lanes> usable_;
    LaneProblems<Lanes> problems_;
};

}  // namespace

std::vector<Fit> train_online(const Design& design, const Lists* terms, const Assignment& assignment,
                              const LearnOptions& options, std::size_t workers, Monitor& monitor) {
    std::vector<Fit> fits(assignment.categories() * assignment.points);
    const auto blocks = blocks_in_order(assignment.categories());
    run_tasks(blocks.size(), workers, monitor, [&](std::size_t task, std::size_t) {
        const auto block = blocks[task];
        const auto own = std::span(fits).subspan(block.first * assignment.points,
                                                 block.count * assignment.points);
        if (block.count == 1) BlockTask<1>(design, terms, assignment, options, block).run(own, monitor);
        else BlockTask<block_lanes>(design, terms, assignment, options, block).run(own, monitor);
        for (std::size_t lane = 0; lane < block.count; ++lane) monitor.advance();
    });
    return fits;
}

}  // namespace postil
