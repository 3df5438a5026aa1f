// The loss of a multi-class SVM over all classes: a Model for conjugate gradients.
//
//     (1/n) Σ cᵢ Σ_{k ≠ y(i)} g_γ(zᵢ,y(i) - zᵢₖ - 1)       g_γ the smoothed hinge
//
// The slope with respect to the score of the own class is the negative sum of the others, so that a
// document costs its classes, not pairs of classes.
//
// Evaluating a point on a line costs documents × classes, spread over the workers; passes over X
// are those of class_products.hpp. Memory: 24 bytes for each document and class.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "postil/learn/classes/class_products.hpp"
#include "postil/learn/losses/loss_kernels.hpp"
#include "postil/learn/losses/smoothed_hinge_loss.hpp"

namespace postil {

class ClassModel {
public:
    static constexpr std::size_t groups = 1, width = ClassProducts::width;
    using Scalars = std::array<double, groups>;

    ClassModel(const PolychotomousProblem& problem, const MulticlassSvmOptions& options,
               std::size_t workers, Monitor& monitor)
        : problem_(problem),
          intercept_(options.intercept),
          loss_{options.smoothing.first_gamma},
          workers_(problem.labels.size() * problem.classes() < small ? 1 : workers),
          monitor_(monitor),
          products_(problem, options, workers_, monitor),
          ridge_(products_.blocks() * width, 1.0),
          shares_(documents()),
          scores_(products_.score_count()),
          steps_(scores_.size()),
          slopes_(scores_.size()),
          parts_((documents() + chunk - 1) / chunk) {
        for (std::size_t i = 0; i < documents(); ++i)
            shares_[i] = problem.weights[i] / problem.documents;
        for (std::size_t c = 0; c < classes(); ++c) ridge_[c] = 2.0 * problem.strengths[c].squared;
    }

    // The layout of weights and scores.
    const ClassProducts& products() const { return products_; }
    std::size_t documents() const { return products_.documents(); }
    std::size_t classes() const { return products_.classes(); }
    std::size_t rows() const { return products_.rows(); }
    bool penalises_all() const { return intercept_ != Intercept::free; }

    const double* ridge(std::size_t row) const {
        const bool is_free = !penalises_all() && row % products_.height() == products_.terms().size();
        return is_free ? nothing_.data() : ridge_.data() + row / products_.height() * width;
    }
    SmoothedHingeLoss& loss() { return loss_; }
    double average() const { return average_; }
    // Σ c/n over all pairs of a document and a class that is not its own.
    double mass() const {
        return std::accumulate(shares_.begin(), shares_.end(), 0.0) *
               static_cast<double>(classes() - 1);
    }

    // Computes 1/M, where M is the curvature of the prior plus that of the loss at margins between
    // 1 and 3.
    void scales(std::vector<double>& out) const {
        const auto typical = 0.5 * (loss_.slope(2.0) - loss_.slope(0.0));
        const auto others = static_cast<double>(classes() - 1);
        products_.over_rows(out, [&](std::size_t block, std::size_t row, double* sums) {
            const auto add = [&](std::size_t i, double x) {
                const auto square = shares_[i] * x * x;
                for (std::size_t lane = 0; lane < width; ++lane)
                    sums[lane] += square * (block * width + lane == own_class(i) ? others : 1.0);
            };
            products_.for_each(row, add);
            const double* hold = ridge(block * products_.height() + row);
            for (std::size_t lane = 0; lane < width; ++lane) {
                const auto steepness = hold[lane] + typical * sums[lane];
                sums[lane] = steepness > 0.0 ? 1.0 / steepness : 1.0;
            }
        });
    }

    void evaluate(const std::vector<double>& weights) {
        products_.scores(weights, scores_);
        update_slopes();
    }
    void update_slopes() { take({}); }

    void gradient(std::vector<double>& out) const { products_.gradient(slopes_, out); }

    void set_direction(const std::vector<double>& direction) { products_.scores(direction, steps_); }

    // Returns the largest change of a score by a step of 1.
    double longest_step(std::size_t) const {
        double longest = 0.0;
        for (const auto step : steps_) longest = std::max(longest, std::abs(step));
        return longest;
    }

    void along(const Scalars& t, Scalars& slopes, Scalars& curvatures) {
        const auto found = over_documents([&](std::size_t first, std::size_t end) {
            return derivatives_along(t[0], first, end);
        });
        slopes[0] = found[0];
        curvatures[0] = found[1];
    }

    void take(const Scalars& t) {
        average_ = over_documents([&](std::size_t first, std::size_t end) {
            return Pair{move_some(t[0], first, end), 0.0};
        })[0];
    }

    // Returns the average of Σ max(0, 2 - margin).
    double hinge_loss() {
        return over_documents([&](std::size_t first, std::size_t end) {
            double sum = 0.0;
            for_pairs(first, end, [&](std::size_t i, std::size_t at, double own) {
                sum += shares_[i] * std::max(0.0, 2.0 - (own - scores_[at]));
            });
            return Pair{sum, 0.0};
        })[0];
    }

    // Returns Σ c a/n by the class of the document and the other class, at the duals a = -g'.
    std::vector<double> flows() const {
        std::vector<double> flows(classes() * classes());
        for (std::size_t i = 0; i < documents(); ++i)
            for (std::size_t c = 0; c < classes(); ++c)
                if (c != own_class(i)) flows[own_class(i) * classes() + c] += slopes_[at(i, c)];
        return flows;
    }

    // Returns (1/n) Σ c a and the largest a, where a is share(own class, other) times -g'; writes
    // the gradient for these slopes to `out`.
    template <class Share>
    std::array<double, 2> gradient_of_shares(Share&& share, std::vector<double>& out) {
        double sum = 0.0, most = 0.0;
        std::copy(slopes_.begin(), slopes_.end(), steps_.begin());
        for (std::size_t i = 0; i < documents(); ++i) {
            const auto own = own_class(i);
            double pulled = 0.0;
            for (std::size_t c = 0; c < classes(); ++c) {
                if (c == own) continue;
                auto& slope = steps_[at(i, c)];
                slope *= share(own, c);
                pulled += slope;
                if (shares_[i] > 0.0) most = std::max(most, slope / shares_[i]);
            }
            steps_[at(i, own)] = -pulled;
            sum += pulled;
        }
        products_.gradient(steps_, out);
        return {sum, most};
    }

private:
    using Pair = std::array<double, 2>;

    static constexpr std::size_t chunk = 64;       // documents per task
    static constexpr std::size_t small = 1 << 14;  // fewer scores are not worth a second thread

    std::size_t own_class(std::size_t i) const { return static_cast<std::size_t>(problem_.labels[i]); }
    std::size_t at(std::size_t i, std::size_t of_class) const { return products_.score_at(i, of_class); }

    // Calls visit(document, position, own score) for all pairs of a document and a class not its
    // own.
    template <class Visit>
    void for_pairs(std::size_t first, std::size_t end, Visit&& visit) const {
        for (std::size_t i = first; i < end; ++i) {
            const auto own = scores_[at(i, own_class(i))];
            for (std::size_t c = 0; c < classes(); ++c)
                if (c != own_class(i)) visit(i, at(i, c), own);
        }
    }

    // Sums work(first, end) over blocks of documents, in order.
    template <class Work>
    Pair over_documents(Work&& work) {
        run_tasks(parts_.size(), workers_, monitor_, [&](std::size_t task, std::size_t) {
            parts_[task] = work(task * chunk, std::min(documents(), (task + 1) * chunk));
        });
        Pair sum{};
        for (const auto& part : parts_) {
            sum[0] += part[0];
            sum[1] += part[1];
        }
        return sum;
    }

    // Sets 1 for the classes of a block other than the document's own, else 0.
    void mark_others(std::size_t block, std::size_t own, double* marks) const {
        for (std::size_t lane = 0; lane < width; ++lane) {
            const auto c = block * width + lane;
            marks[lane] = c != own && c < classes() ? 1.0 : 0.0;
        }
    }

    // The loss at a block of margins.
    struct Lot {
        double margins[chunk * width], first[chunk * width], second[chunk * width];
    };

    // Returns slope and curvature along the direction at t.
    Pair derivatives_along(double t, std::size_t first, std::size_t end) const {
        Lot lot;
        double own_steps[chunk], own_scores[chunk], marks[width];
        for (std::size_t i = first; i < end; ++i) {
            const auto own = at(i, own_class(i));
            own_steps[i - first] = steps_[own];
            own_scores[i - first] = scores_[own] + t * steps_[own];
        }
        Pair sum{};
        for (std::size_t block = 0; block < products_.blocks(); ++block) {
            const auto from = (block * documents() + first) * width;
            const auto* __restrict scores = scores_.data() + from;
            const auto* __restrict steps = steps_.data() + from;
            for (std::size_t i = 0; i < end - first; ++i)
                for (std::size_t lane = 0; lane < width; ++lane) {
                    const auto e = i * width + lane;
                    lot.margins[e] = own_scores[i] - (scores[e] + t * steps[e]) - 1.0;
                }
            slopes_at(loss_, (end - first) * width, lot.margins, lot.first, lot.second);
            for (std::size_t i = 0; i < end - first; ++i) {
                mark_others(block, own_class(first + i), marks);
                double slope = 0.0, curvature = 0.0;
                for (std::size_t lane = 0; lane < width; ++lane) {
                    const auto e = i * width + lane;
                    const auto step = marks[lane] * (own_steps[i] - steps[e]);
                    slope += lot.first[e] * step;
                    curvature += lot.second[e] * step * step;
                }
                sum[0] += shares_[first + i] * slope;
                sum[1] += shares_[first + i] * curvature;
            }
        }
        return sum;
    }

    double move_some(double t, std::size_t first, std::size_t end) {
        Lot lot;
        double own_scores[chunk], pulled[chunk], marks[width];
        const auto from_first = first * width, size = (end - first) * width;
        for (std::size_t block = 0; block < products_.blocks(); ++block) {
            const auto from = block * documents() * width + from_first;
            for (std::size_t e = from; e < from + size; ++e) scores_[e] += t * steps_[e];
        }
        for (std::size_t i = first; i < end; ++i) {
            own_scores[i - first] = scores_[at(i, own_class(i))];
            pulled[i - first] = 0.0;
        }
        double sum = 0.0;
        for (std::size_t block = 0; block < products_.blocks(); ++block) {
            const auto from = block * documents() * width + from_first;
            for (std::size_t i = 0; i < end - first; ++i)
                for (std::size_t lane = 0; lane < width; ++lane) {
                    const auto e = i * width + lane;
                    lot.margins[e] = own_scores[i] - scores_[from + e] - 1.0;
                }
            values_at(loss_, size, lot.margins, lot.first, lot.second);
            for (std::size_t i = 0; i < end - first; ++i) {
                mark_others(block, own_class(first + i), marks);
                const auto share = shares_[first + i];
                double value = 0.0;
                for (std::size_t lane = 0; lane < width; ++lane) {
                    const auto e = i * width + lane;
                    value += marks[lane] * lot.first[e];
                    slopes_[from + e] = -share * marks[lane] * lot.second[e];
                    pulled[i] += slopes_[from + e];
                }
                sum += share * value;
            }
        }
        for (std::size_t i = first; i < end; ++i) slopes_[at(i, own_class(i))] = -pulled[i - first];
        return sum;
    }

    const PolychotomousProblem& problem_;
    Intercept intercept_;
    SmoothedHingeLoss loss_;
    std::size_t workers_;
    Monitor& monitor_;
    ClassProducts products_;
    std::vector<double> ridge_;  // by lane: 2λ of a class, and 1 for unused lanes
    std::array<double, width> nothing_{};
    std::vector<double> shares_;  // c/n
    std::vector<double> scores_, steps_, slopes_;
    std::vector<Pair> parts_;
    double average_ = 0.0;
};

}  // namespace postil
