// Primal coordinate descent with a trust region: zhang-oles-2001, algorithms 1 to 4, and CLG and
// CLG-lasso of genkin-lewis-madigan-2004 (figures 4 and 5).
//
//     minimise  (1/n) Σ cᵢ f(rᵢ) + Σⱼ priorⱼ(wⱼ)        rᵢ = yᵢ (w·xᵢ + b)
//
// One weight at a time, from the column of its term:
//
//     v = -[(1/n) Σ cᵢ f'(rᵢ) xᵢⱼ yᵢ + prior'(wⱼ)] / [(1/n) Σ cᵢ F(rᵢ, Δⱼ|xᵢⱼ|) xᵢⱼ² + prior'']
//     wⱼ += min(max(v, -Δⱼ), Δⱼ)
//
// where rᵢ are the margins and F bounds the curvature within the trust region Δⱼ, so that every
// step lowers the objective. A sweep costs the non-zeros of the category's columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <numeric>

#include "postil/learn/problem.hpp"
#include "postil/learn/random.hpp"
#include "postil/learn/solvers/optimality.hpp"
#include "postil/system/threads.hpp"

namespace postil {

enum class TrustRegion : std::uint8_t {
    doubled,  // Δ = 2|step| + ε, as printed in algorithms 3 and 4
    halved,   // Δ = max(2|step|, Δ/2), the paper's alternative: converges to Newton steps
};

// The change Δr of a document's margin that the stopping rule adds up; documents count by weight, so
// that those a fold holds out do not.
enum class Movement : std::uint8_t {
    sweep,  // between the beginning and the end of a sweep (genkin-lewis-madigan-2004, section 4.2)
    steps,  // of every step, forth and back: never less, so that the rule stops later
};

struct PrimalOptions {
    std::uint32_t sweeps = 1000;
    double tolerance = 1e-4;  // of the certificate; 0: not checked
    double movement = 0.0;    // stop if Σ|Δr| < movement (1 + Σ|r|); 0: not checked
    Movement movement_of = Movement::sweep;
    TrustRegion trust_region = TrustRegion::halved;
    double initial_reach = 1.0;
    double reach_slack = 0.1;  // ε
    double least_reach = 0.0;  // minimum of a halved region
    std::uint64_t seed = 0;
    bool shuffle = false;               // else terms are visited in order, the constant last
    std::uint32_t constant_visits = 1;  // of the constant per sweep, which interacts with all terms
    std::uint32_t continuation = 0;     // sweeps over which the smoothing of the loss, if any, fades out
    double truncation = 0.0;            // a smaller weight after a sweep becomes 0 for good
};

template <class Loss>
class PrimalCoordinateDescent {
public:
    PrimalCoordinateDescent(const BinaryProblem& problem, Loss loss, const PrimalOptions& options)
        : problem_(problem), loss_(loss), options_(options), random_(options.seed) {}

    // `start` holds weights by position in the terms, the constant last; empty means zero.
    Fit solve(std::span<const double> start, Monitor& monitor) {
        begin(start);
        Fit fit;
        for (fit.iterations = 0; fit.iterations < options_.sweeps && !finished(fit);) {
            monitor.check();
            smooth(++fit.iterations);
            sweep();
            truncate();
        }
        smooth(options_.continuation);  // report the loss without smoothing
        certify(fit);
        for (std::size_t place = 0; place < problem_.terms.size(); ++place)
            fit.weights.push_back(coordinates_[place].weight);
        fit.intercept = problem_.has_constant() ? coordinates_.back().weight * problem_.constant : 0.0;
        return fit;
    }

private:
    struct Coordinate {
        double weight = 0.0;
        double reach = 0.0;
    };

    // The data of a document that a step reads, kept together: a column visits documents in no
    // particular order.
    struct Row {
        typename Loss::Point point;
        double label;
        double weight;
    };


    void begin(std::span<const double> start) {
        rows_.clear();
        has_gap_ = problem_.has_gap();
        units_.assign(problem_.coordinates(), 1.0);
        if (!has_gap_) units_ = units_of(problem_.steepest_slopes(loss_.slope(0.0)));
        for (std::size_t i = 0; i < problem_.size(); ++i)
            rows_.push_back({loss_.at(0.0), problem_.labels[i], problem_.weights[i]});
        coordinates_.assign(problem_.coordinates(), {0.0, options_.initial_reach});
        order_.resize(coordinates_.size());
        std::iota(order_.begin(), order_.end(), 0u);
        for (std::size_t place = 0; place < coordinates_.size(); ++place) {
            const auto prior = problem_.prior(place);
            const auto from = place < start.size() ? start[place] : 0.0;
            if (const auto weight = std::clamp(from, prior.low, prior.high); weight != 0.0)
                shift(place, weight);
        }
    }

    std::vector<double> units_of(std::vector<double> steepest) const {
        for (std::size_t place = 0; place < steepest.size(); ++place)
            steepest[place] = violation_unit(problem_.prior(place), steepest[place]);
        return steepest;
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
        before_.clear();
        if (options_.movement > 0.0)
            for (const auto& row : rows_) before_.push_back(row.point.margin);
        approximate_ = {};
        if (options_.shuffle) random_.shuffle(std::span(order_));
        const auto constant = problem_.terms.size();
        const auto pause = std::max<std::size_t>(1, order_.size() / std::max(1u, options_.constant_visits));
        for (std::size_t at = 0; at < order_.size(); ++at) {
            step(order_[at]);
            if (problem_.has_constant() && (at + 1) % pause == 0 && at + 1 < order_.size()) step(constant);
        }
    }

    // Feature selection inside the iterations (section 4.1): a term with a small weight is removed
    // for good. The certificate still covers all terms.
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
        problem_.for_each(place, [&](std::size_t i, double x) {
            if (x != last) region = loss_.reach(reach * std::abs(last = x));
            const auto& row = rows_[i];
            const auto scale = row.weight * x;
            slope += scale * row.label * loss_.slope(row.point);
            curvature += scale * x * loss_.bound(row.point, region);
        });
        slope /= problem_.documents;
        curvature /= problem_.documents;
        const auto prior = problem_.prior(place);
        approximate_.add_approximately(prior, slope, weight, units_[place]);
        const auto change = std::clamp(step_of(prior, slope, curvature, weight), -reach, reach);
        if (change != 0.0) shift(place, change);
        reach = options_.trust_region == TrustRegion::doubled
                    ? 2.0 * std::abs(change) + options_.reach_slack
                    : std::max({2.0 * std::abs(change), reach / 2.0, options_.least_reach});
    }

    // A weight that would cross the kink of its prior stops there (figure 5, line 4.14).
    static double step_of(const Prior& prior, double slope, double curvature, double weight) {
        const auto change = prior.step(slope, curvature, weight);
        const auto before = weight - prior.mean, after = before + change;
        return prior.absolute > 0.0 && before * after < 0.0 ? -before : change;
    }

    void shift(std::size_t place, double change) {
        coordinates_[place].weight += change;
        problem_.for_each(place, [&](std::size_t i, double x) {
            auto& row = rows_[i];
            const auto by = change * x * row.label;
            movement_ += row.weight * std::abs(by);
            loss_.move(row.point, by);
        });
    }

    bool finished(Fit& fit) {
        if (fit.iterations == 0 || fit.iterations < options_.continuation) return false;
        if (options_.movement > 0.0) {
            double margins = 0.0, net = 0.0;
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                const auto& [point, label, weight] = rows_[i];
                margins += weight * std::abs(point.margin);
                net += weight * std::abs(point.margin - before_[i]);
            }
            const auto moved = options_.movement_of == Movement::sweep ? net : movement_;
            if (moved < options_.movement * (1.0 + margins)) {
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

    // Uses the slopes seen during the sweep, which cost nothing; they belong to weights that change
    // on the way.
    bool seems_certified() const {
        if (!has_gap_) return approximate_.largest_violation() <= 3.0 * options_.tolerance;
        const auto loss = average_loss(), objective = loss + penalty();
        return approximate_.gap_at_most(loss) <= 2.0 * options_.tolerance * objective;
    }

    double average_loss() const {
        double sum = 0.0;
        for (const auto& row : rows_) sum += row.weight * loss_.value(row.point.margin);
        return sum / problem_.documents;
    }

    double penalty() const {
        double sum = 0.0;
        for (std::size_t place = 0; place < coordinates_.size(); ++place)
            sum += problem_.prior(place).value(coordinates_[place].weight);
        return sum;
    }

    // Returns the shares of the slopes that are feasible duals: 1, unless the constant is
    // unpenalised.
    DualShares shares() const {
        if (!has_gap_ || !problem_.is_constant_free()) return {};
        double members = 0.0, others = 0.0;
        for (const auto& row : rows_)
            (row.label > 0.0 ? members : others) -= row.weight * loss_.slope(row.point);
        return balanced_shares(members, others);
    }

    double slope(std::size_t place, const DualShares& shares) const {
        double slope = 0.0;
        problem_.for_each(place, [&](std::size_t i, double x) {
            const auto& row = rows_[i];
            slope += shares(row.label) * row.weight * row.label * x * loss_.slope(row.point);
        });
        return slope / problem_.documents;
    }

    Optimality measure_optimality(const DualShares& shares) const {
        std::vector<double> slopes(coordinates_.size());
        Optimality found;
        for (std::size_t place = 0; place < coordinates_.size(); ++place) {
            slopes[place] = slope(place, shares);
            found.find_share(problem_.prior(place), slopes[place]);
        }
        for (std::size_t place = 0; place < coordinates_.size(); ++place)
            found.add(problem_.prior(place), slopes[place], coordinates_[place].weight, units_[place]);
        return found;
    }

    void certify(Fit& fit) const {
        const auto shares = this->shares();
        const auto found = measure_optimality(shares);
        fit.objective = average_loss() + found.penalty();
        if (!has_gap_) {
            fit.kind = Certificate::kkt_residual;
            fit.certificate = found.largest_violation();
            return;
        }
        const auto gap = found.gap(
            problem_, loss_, shares, [&](std::size_t i) { return rows_[i].point.margin; },
            [&](std::size_t i) { return loss_.slope(rows_[i].point); });
        fit.kind = Certificate::duality_gap;
        fit.certificate = fit.objective > 0.0 ? gap / fit.objective : gap;
    }

    const BinaryProblem& problem_;
    Loss loss_;
    const PrimalOptions& options_;
    std::vector<Row> rows_;
    std::vector<Coordinate> coordinates_;
    std::vector<std::uint32_t> order_;
    Random random_;
    double movement_ = 0.0;       // Σ|Δr| of the steps of the last sweep
    std::vector<double> before_;  // margins before the last sweep
    Optimality approximate_;  // seen during the last sweep
    bool has_gap_ = true;
    std::vector<double> units_;  // of violations, by coordinate
};

}  // namespace postil
