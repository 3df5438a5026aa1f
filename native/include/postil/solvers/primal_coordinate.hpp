// Primal coordinate descent with a trust region: zhang-oles-2001, algorithms 1 to 4.
//
// One weight at a time, from the column of its term:
//
//     v = -[(1/n) Σ cᵢ f'(rᵢ) xᵢⱼ yᵢ + prior'(wⱼ)] / [(1/n) Σ cᵢ F(rᵢ, Δⱼ|xᵢⱼ|) xᵢⱼ² + prior'']
//     wⱼ += min(max(v, -Δⱼ), Δⱼ)
//
// where rᵢ are the margins and F bounds the curvature within the trust region, so that every step
// lowers the objective. A sweep costs the non-zeros of the category's columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <numeric>

#include "postil/problem.hpp"
#include "postil/random.hpp"
#include "postil/threads.hpp"

namespace postil {

enum class TrustRegion : std::uint8_t {
    doubled,  // Δ = 2|step| + ε, as printed in algorithms 3 and 4
    halved,   // Δ = max(2|step|, Δ/2), the paper's other: steps end as Newton's
};

struct PrimalOptions {
    std::uint32_t sweeps = 1000;
    double tolerance = 1e-4;       // of the certificate; 0: never asked
    double movement = 0.0;         // stop if Σ|Δr| < movement (1 + Σ|r|); 0: never asked
    TrustRegion trust_region = TrustRegion::halved;
    double initial_reach = 1.0;
    double reach_slack = 0.1;          // ε
    double least_reach = 0.0;          // of a halved region: lets a term that rested wake up
    std::uint64_t seed = 0;
    bool shuffle = false;              // else terms come in their order, the constant last
    std::uint32_t constant_visits = 1; // of the constant in a sweep: all terms lean on it
    std::uint32_t continuation = 0;    // sweeps over which a loss that has one loses its smoothing
    double truncation = 0.0;           // a weight smaller than this after a sweep is 0 from then on
};

template <class Loss, class Prior>
class PrimalCoordinateDescent {
public:
    PrimalCoordinateDescent(const BinaryProblem& problem, Loss loss, Prior prior,
                            const PrimalOptions& options)
        : problem_(problem), loss_(loss), prior_(prior), options_(options), random_(options.seed) {}

    // `start` holds weights by place in the terms and last the constant's; empty means zero.
    Fit solve(std::span<const double> start, Monitor& monitor) {
        begin(start);
        Fit fit;
        for (fit.iterations = 0; fit.iterations < options_.sweeps && !finished(fit);) {
            monitor.check();
            smooth(++fit.iterations);
            sweep();
            truncate();
        }
        smooth(options_.continuation);  // what is reported is of the loss itself
        certify(fit);
        for (std::size_t place = 0; place < problem_.terms.size(); ++place)
            fit.weights.push_back(coordinates_[place].weight);
        fit.intercept = has_constant() ? coordinates_.back().weight * problem_.constant : 0.0;
        return fit;
    }

private:
    struct Coordinate {
        double weight = 0.0;
        double reach = 0.0;
    };

    // What a step asks of a document, side by side: terms come by in no order of documents.
    struct Row {
        typename Loss::Point point;
        double label;
        double weight;
    };

    bool has_constant() const { return problem_.intercept != Intercept::none; }
    bool is_certain() const { return problem_.intercept != Intercept::free; }

    void begin(std::span<const double> start) {
        rows_.clear();
        for (std::size_t i = 0; i < problem_.size(); ++i)
            rows_.push_back({loss_.at(0.0), problem_.labels[i], problem_.weights[i]});
        coordinates_.assign(problem_.terms.size() + has_constant(), {0.0, options_.initial_reach});
        order_.resize(coordinates_.size());
        std::iota(order_.begin(), order_.end(), 0u);
        if (!is_certain()) initial_residual_ = largest_slope();
        for (std::size_t place = 0; place < start.size() && place < coordinates_.size(); ++place)
            shift(place, start[place]);
    }

    // Calls visit(document, x) for every non-zero of a coordinate's column.
    template <class Visit>
    void for_each(std::size_t place, Visit&& visit) const {
        if (place == problem_.terms.size()) {
            for (std::size_t i = 0; i < problem_.size(); ++i) visit(i, problem_.constant);
            return;
        }
        const auto column = problem_.design.terms[static_cast<std::size_t>(problem_.terms[place])];
        for (std::size_t k = 0; k < column.size; ++k)
            visit(static_cast<std::size_t>(column.places[k]), static_cast<double>(column.values[k]));
    }

    Prior prior_of(std::size_t place) const {
        const bool is_free = place == problem_.terms.size() && problem_.intercept == Intercept::free;
        return is_free ? Prior{} : prior_;
    }

    void smooth(std::uint32_t sweep) {
        if constexpr (requires { loss_.beyond; }) {
            if (options_.continuation == 0) return;
            const auto share = static_cast<double>(sweep) / options_.continuation;
            loss_.beyond = std::max(0.0, 1.0 - share);
        }
    }

    void sweep() {
        movement_ = 0.0;
        slopes_ = 0.0;
        if (options_.shuffle) random_.shuffle(std::span(order_));
        const auto constant = problem_.terms.size();
        const auto pause = std::max<std::size_t>(1, order_.size() / std::max(1u, options_.constant_visits));
        for (std::size_t at = 0; at < order_.size(); ++at) {
            step(order_[at]);
            if (has_constant() && (at + 1) % pause == 0 && at + 1 < order_.size()) step(constant);
        }
    }

    // The paper's selection of features inside the iterations (section 4.1): a term whose weight
    // is small leaves for good. The certificate still asks for all terms.
    void truncate() {
        if (options_.truncation <= 0.0) return;
        std::erase_if(order_, [&](std::uint32_t place) {
            const auto weight = coordinates_[place].weight;
            if (place == problem_.terms.size() || std::abs(weight) >= options_.truncation) return false;
            if (weight != 0.0) shift(place, -weight);
            return true;
        });
    }

    void step(std::size_t place) {
        auto& [weight, reach] = coordinates_[place];
        double slope = 0.0, curvature = 0.0, last = 0.0;
        auto region = loss_.reach(0.0);
        for_each(place, [&](std::size_t i, double x) {
            if (x != last) region = loss_.reach(reach * std::abs(last = x));
            const auto& row = rows_[i];
            const auto scale = row.weight * x;
            slope += scale * row.label * loss_.slope(row.point);
            curvature += scale * x * loss_.bound(row.point, region);
        });
        slope /= problem_.documents;
        curvature /= problem_.documents;
        const auto prior = prior_of(place);
        const auto total = slope + prior.slope(weight);
        slopes_ += total * total;
        const auto change = std::clamp(prior.step(slope, curvature, weight), -reach, reach);
        if (change != 0.0) shift(place, change);
        reach = options_.trust_region == TrustRegion::doubled
                    ? 2.0 * std::abs(change) + options_.reach_slack
                    : std::max({2.0 * std::abs(change), reach / 2.0, options_.least_reach});
    }

    void shift(std::size_t place, double change) {
        coordinates_[place].weight += change;
        for_each(place, [&](std::size_t i, double x) {
            auto& row = rows_[i];
            const auto by = change * x * row.label;
            movement_ += std::abs(by);
            loss_.move(row.point, by);
        });
    }

    bool finished(Fit& fit) {
        if (fit.iterations == 0 || fit.iterations < options_.continuation) return false;
        if (options_.movement > 0.0) {
            double margins = 0.0;
            for (const auto& row : rows_) margins += std::abs(row.point.margin);
            if (movement_ < options_.movement * (1.0 + margins)) {
                fit.stop = Stop::movement;
                return true;
            }
        }
        if (options_.tolerance <= 0.0 || !seems_certified()) return false;
        certify(fit);
        if (fit.certificate > options_.tolerance) return false;
        fit.stop = Stop::certified;
        return true;
    }

    // From the slopes met on the way, which cost nothing; they are those of a moving point.
    bool seems_certified() const {
        if (!is_certain()) return std::sqrt(slopes_) <= 3.0 * options_.tolerance * initial_residual_;
        return slopes_ <= 4.0 * problem_.lambda * options_.tolerance * objective() * 2.0;
    }

    double objective() const {
        double sum = 0.0;
        for (const auto& row : rows_) sum += row.weight * loss_.value(row.point.margin);
        sum /= problem_.documents;
        for (std::size_t place = 0; place < coordinates_.size(); ++place)
            sum += prior_of(place).value(coordinates_[place].weight);
        return sum;
    }

    double total_slope(std::size_t place) const {
        double slope = 0.0;
        for_each(place, [&](std::size_t i, double x) {
            slope += rows_[i].weight * rows_[i].label * x * loss_.slope(rows_[i].point);
        });
        return slope / problem_.documents + prior_of(place).slope(coordinates_[place].weight);
    }

    double largest_slope() const {
        double largest = 0.0;
        for (std::size_t place = 0; place < coordinates_.size(); ++place)
            largest = std::max(largest, std::abs(total_slope(place)));
        return largest;
    }

    // With a = -f'(r) as dual variables the gap under ridge is ‖slope‖²/(4λ). A free constant makes
    // them infeasible until its slope is zero: there the optimality conditions are measured.
    void certify(Fit& fit) const {
        fit.objective = objective();
        if (!is_certain()) {
            fit.kind = Certificate::kkt_residual;
            fit.certificate = initial_residual_ > 0.0 ? largest_slope() / initial_residual_ : 0.0;
            return;
        }
        double squares = 0.0;
        for (std::size_t place = 0; place < coordinates_.size(); ++place) {
            const auto slope = total_slope(place);
            squares += slope * slope;
        }
        const auto gap = squares / (4.0 * problem_.lambda);
        fit.kind = Certificate::duality_gap;
        fit.certificate = fit.objective > 0.0 ? gap / fit.objective : gap;
    }

    const BinaryProblem& problem_;
    Loss loss_;
    Prior prior_;
    const PrimalOptions& options_;
    std::vector<Row> rows_;
    std::vector<Coordinate> coordinates_;
    std::vector<std::uint32_t> order_;
    Random random_;
    double movement_ = 0.0;         // Σ|Δr| of the last sweep
    double slopes_ = 0.0;           // Σ slope² met in the last sweep
    double initial_residual_ = 0.0;
};

}  // namespace postil
