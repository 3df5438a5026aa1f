#include "training_blocks.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "../finishing.hpp"
#include "../labels.hpp"
#include "../losses/with_loss.hpp"
#include "postil/learn/lanes/lanes.hpp"
#include "postil/learn/lanes/smooth_lanes.hpp"
#include "postil/learn/lanes/smoothed_lanes.hpp"

namespace postil {

namespace {

// Groups categories with the same terms into blocks; categories with terms of their own are alone.
// Blocks are ordered by their first category. Costs the lists of terms, times the logarithm of the
// number of distinct lists.
std::vector<std::vector<std::size_t>> blocks_of(std::size_t categories, const Lists* terms) {
    struct InOrder {
        bool operator()(std::span<const std::int32_t> a, std::span<const std::int32_t> b) const {
            return std::ranges::lexicographical_compare(a, b);
        }
    };
    std::vector<std::vector<std::size_t>> blocks;
    std::map<std::span<const std::int32_t>, std::size_t, InOrder> open;  // by terms
    for (std::size_t category = 0; category < categories; ++category) {
        const auto own = terms == nullptr ? std::span<const std::int32_t>() : (*terms)[category];
        const auto [at, is_new] = open.try_emplace(own, blocks.size());
        if (!is_new && blocks[at->second].size() == block_lanes) at->second = blocks.size();
        if (at->second == blocks.size()) blocks.emplace_back();
        blocks[at->second].push_back(category);
    }
    return blocks;
}

// The common inputs of all blocks, and their results.
struct BlockTraining {
    const Assignment& assignment;
    const LearnOptions& options;
    std::span<Fit> fits;
    Monitor& monitor;

    Fit& fit(std::size_t category, std::size_t point) const {
        return fits[category * assignment.points + point];
    }
};

// Solves one strength after the other, warm-started from the previous one.
template <class Solver>
void follow_paths(const BlockTraining& training, BinaryProblem& problem, LabelScratch& scratch,
                  std::span<const std::size_t> block, Solver& solver) {
    auto& model = solver.model();
    for (std::size_t lane = 0; lane < block.size(); ++lane) {
        scratch.prepare(training.assignment, block[lane], problem);
        model.set_labels(lane, problem);
        solver.set_start(lane, start_of(training.assignment, block[lane]));
    }
    for (std::size_t point = 0; point < training.assignment.points; ++point) {
        const auto begun = std::chrono::steady_clock::now();
        std::vector<Fit*> fits;
        for (std::size_t lane = 0; lane < block.size(); ++lane) {
            model.set_strength(lane, training.assignment.strengths_of(block[lane])[point].squared);
            fits.push_back(&training.fit(block[lane], point));
        }
        solver.solve(fits, training.monitor);
        const auto seconds = seconds_since(begun) / static_cast<double>(block.size());
        for (std::size_t lane = 0; lane < block.size(); ++lane) {
            check_finite(*fits[lane], training.assignment.strengths_of(block[lane])[point]);
            *fits[lane] = compacted(std::move(*fits[lane]), training.options);
            fits[lane]->seconds = seconds;
        }
    }
}

template <std::size_t Lanes>
void solve_block(const BlockTraining& training, BinaryProblem& problem, LabelScratch& scratch,
                 std::span<const std::size_t> block) {
    const auto& options = training.options;
    if (options.solver == SolverName::smoothed_conjugate_gradient) {
        if (options.loss != LossName::hinge)
            throw std::invalid_argument("smoothed conjugate gradients need the hinge loss");
        SmoothedLanes<Lanes> solver(problem, options.conjugate, options.smoothing, block.size());
        return follow_paths(training, problem, scratch, block, solver);
    }
    with_loss(options, [&](auto loss) -> int {
        if constexpr (decltype(loss)::smooth) {
            SmoothLanes<Lanes, decltype(loss)> solver(problem, loss, options.conjugate, block.size());
            follow_paths(training, problem, scratch, block, solver);
            return 0;
        } else throw std::invalid_argument("conjugate gradients need a smooth loss");
    });
}

}  // namespace

bool trains_in_blocks(SolverName solver) {
    return solver == SolverName::conjugate_gradient ||
           solver == SolverName::smoothed_conjugate_gradient;
}

std::vector<Fit> train_in_blocks(const Design& design, const Lists* terms,
                                 const Assignment& assignment, const LearnOptions& options,
                                 std::size_t workers, Monitor& monitor) {
    std::vector<std::int32_t> all(terms == nullptr ? design.terms.count : 0);
    std::iota(all.begin(), all.end(), 0);
    auto shared = shared_problem(options);
    shared.design = design;
    std::vector<Fit> fits(assignment.categories() * assignment.points);
    const BlockTraining training{assignment, options, fits, monitor};
    const auto blocks = blocks_of(assignment.categories(), terms);
    std::vector<LabelScratch> scratch(workers);
    run_tasks(blocks.size(), workers, monitor, [&](std::size_t task, std::size_t worker) {
        const std::span<const std::size_t> block = blocks[task];
        auto problem = shared;
        problem.terms = terms == nullptr ? std::span<const std::int32_t>(all) : (*terms)[block.front()];
        if (block.size() == 1) solve_block<1>(training, problem, scratch[worker], block);
        else solve_block<block_lanes>(training, problem, scratch[worker], block);
        for (std::size_t lane = 0; lane < block.size(); ++lane) monitor.advance();
    });
    return fits;
}

}  // namespace postil
