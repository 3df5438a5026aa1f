// Scores and probabilities of all documents and classes, and a tentative step.
//
// Arrays are by class, then by document. Memory: 32 bytes for each document and class.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "postil/system/threads.hpp"

namespace postil {

class ClassScores {
public:
    // `labels` are class numbers; `shares` are cᵢ / n.
    ClassScores(std::span<const std::int32_t> labels, std::span<const double> shares,
                std::size_t classes, std::size_t workers, Monitor& monitor)
        : labels_(labels), shares_(shares), classes_(classes), workers_(workers), monitor_(monitor),
          scores_(labels.size() * classes), probabilities_(scores_.size()), steps_(scores_.size()),
          losses_((labels.size() + block - 1) / block) {}

    std::size_t documents() const { return labels_.size(); }
    double* scores(std::size_t of_class) { return scores_.data() + of_class * documents(); }
    double* steps(std::size_t of_class) { return steps_.data() + of_class * documents(); }
    const double* probabilities(std::size_t of_class) const {
        return probabilities_.data() + of_class * documents();
    }
    double average_loss() const { return average_loss_; }
    std::size_t own_class(std::size_t i) const { return static_cast<std::size_t>(labels_[i]); }

    // Returns the slope of the average loss with respect to a document's score for a class.
    double slope(std::size_t i, std::size_t of_class) const {
        const auto is_member = static_cast<std::size_t>(labels_[i]) == of_class;
        return shares_[i] * (probabilities_[of_class * documents() + i] - (is_member ? 1.0 : 0.0));
    }

    // Returns the change of the quadratic model of the average loss by the step.
    double model_change() {
        return over_blocks([&](std::size_t first, std::size_t end) {
            std::vector<double> means(end - first);
            double sum = 0.0;
            for (std::size_t c = 0; c < classes_; ++c)
                for (std::size_t i = first; i < end; ++i) {
                    const auto p = probabilities_[c * documents() + i];
                    const auto step = steps_[c * documents() + i];
                    sum += slope(i, c) * step + 0.5 * shares_[i] * p * step * step;
                    means[i - first] += p * step;
                }
            for (std::size_t i = first; i < end; ++i)
                sum -= 0.5 * shares_[i] * means[i - first] * means[i - first];
            return sum;
        });
    }

    // Computes Σ p d of every document.
    void mean_steps(std::vector<double>& means) const {
        std::fill(means.begin(), means.end(), 0.0);
        for (std::size_t c = 0; c < classes_; ++c)
            for (std::size_t i = 0; i < documents(); ++i)
                means[i] += probabilities_[c * documents() + i] * steps_[c * documents() + i];
    }

    void save_steps() { saved_ = steps_; }
    void restore_steps() { steps_ = saved_; }
    void forget_steps() { std::fill(steps_.begin(), steps_.end(), 0.0); }

    // Returns Σ of slope times step: the derivative of the average loss along the step.
    double slope_along_steps() const {
        double sum = 0.0;
        for (std::size_t c = 0; c < classes_; ++c)
            for (std::size_t i = 0; i < documents(); ++i)
                sum += slope(i, c) * steps_[c * documents() + i];
        return sum;
    }

    // Returns the average loss after a share of the step.
    double loss_after(double share) {
        return over_blocks([&](std::size_t first, std::size_t end) {
            std::vector<double> now((end - first) * classes_);
            for (std::size_t c = 0; c < classes_; ++c)
                for (std::size_t i = first; i < end; ++i)
                    now[c * (end - first) + i - first] =
                        scores_[c * documents() + i] + share * steps_[c * documents() + i];
            return loss_of(now.data(), end - first, first, end, [](std::size_t, double) {});
        });
    }

    void take(double share) {
        for (std::size_t at = 0; at < scores_.size(); ++at) scores_[at] += share * steps_[at];
        evaluate();
    }

    // Computes probabilities and the loss at the scores.
    void evaluate() {
        average_loss_ = over_blocks([&](std::size_t first, std::size_t end) {
            return loss_of(scores_.data() + first, documents(), first, end,
                           [&](std::size_t at, double probability) {
                               probabilities_[first + at] = probability;
                           });
        });
    }

    // Returns the probability mass that documents of each class give to each other class: classes ×
    // classes.
    std::vector<double> flows() const {
        std::vector<double> flows(classes_ * classes_);
        for (std::size_t c = 0; c < classes_; ++c)
            for (std::size_t i = 0; i < documents(); ++i)
                if (const auto own = own_class(i); own != c)
                    flows[own * classes_ + c] += shares_[i] * probabilities_[c * documents() + i];
        return flows;
    }

    // Returns the documents' part of the gap at duals q (optimality.hpp): the mean of f(z) + k(q) -
    // (q - y)·z, where k is the negative entropy. With ln p = z - ln Σ exp(z) it is the divergence
    // Σ q ln(q/p). For classes other than the document's own, q is share(own, class) times p; its
    // own class gets the rest.
    template <class Share>
    double divergence(Share&& share) {
        return over_blocks([&](std::size_t first, std::size_t end) {
            double sum = 0.0;
            for (std::size_t i = first; i < end; ++i)
                if (shares_[i] > 0.0) sum += shares_[i] * std::max(0.0, divergence_of(i, share));
            return sum;
        });
    }

private:
    static constexpr std::size_t block = 512;  // documents

    // Sums work(first, end) over blocks of documents, in order.
    template <class Work>
    double over_blocks(Work&& work) {
        run_tasks(losses_.size(), workers_, monitor_, [&](std::size_t task, std::size_t) {
            losses_[task] = work(task * block, std::min(documents(), (task + 1) * block));
        });
        double sum = 0.0;
        for (const auto loss : losses_) sum += loss;
        return sum;
    }

    // Computes the loss of a block. Scores of consecutive classes are `apart` entries apart; calls
    // visit(position, probability) for each.
    template <class Visit>
    double loss_of(const double* scores, std::size_t apart, std::size_t first, std::size_t end,
                   Visit&& visit) const {
        const auto count = end - first;
        std::vector<double> most(scores, scores + count), sums(count), powers(count * classes_);
        for (std::size_t c = 1; c < classes_; ++c)
            for (std::size_t i = 0; i < count; ++i) most[i] = std::max(most[i], scores[c * apart + i]);
        for (std::size_t c = 0; c < classes_; ++c)
            for (std::size_t i = 0; i < count; ++i) {
                const auto power = std::exp(scores[c * apart + i] - most[i]);
                powers[c * count + i] = power;
                sums[i] += power;
            }
        for (std::size_t c = 0; c < classes_; ++c)
            for (std::size_t i = 0; i < count; ++i)
                visit(c * documents() + i, powers[c * count + i] / sums[i]);
        double loss = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto own = scores[static_cast<std::size_t>(labels_[first + i]) * apart + i];
            loss += shares_[first + i] * (std::log(sums[i]) + most[i] - own);
        }
        return loss;
    }

    template <class Share>
    double divergence_of(std::size_t i, Share&& share) const {
        const auto own = own_class(i);
        double sum = 0.0, rest = 1.0;
        const auto add = [&](double q, double p) {
            if (q > 0.0) sum += q * std::log(q / std::max(p, least));
        };
        for (std::size_t c = 0; c < classes_; ++c) {
            if (c == own) continue;
            const auto p = probabilities_[c * documents() + i], q = share(own, c) * p;
            add(q, p);
            rest -= q;
        }
        add(rest, probabilities_[own * documents() + i]);
        return sum;
    }

    static constexpr double least = 1e-300;

    std::span<const std::int32_t> labels_;
    std::span<const double> shares_;
    std::size_t classes_, workers_;
    Monitor& monitor_;
    std::vector<double> scores_, probabilities_, steps_, saved_;
    std::vector<double> losses_;  // by block of documents
    double average_loss_ = 0.0;
};

}  // namespace postil
