// Online updates, additive and multiplicative. Checks that weights are those of the dual variables,
// that objective and gap agree with a direct computation, and that results depend neither on
// threads nor on neighbouring categories.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "../ledger.hpp"
#include "online_problem.hpp"
#include "online_reference.hpp"
#include "sample_options.hpp"

namespace postil::tests {

class OnlineChecks {
public:
    OnlineChecks(Ledger& ledger, Random& random)
        : ledger_(ledger), random_(random), sample_(random),
          options_(sample_online_options(random)) {}

    void run() {
        try {
            check_or_refuse();
        } catch (const Failure& failure) {
            throw Failure(std::string(failure.what()) + " (" + description() + ")");
        }
    }

private:
    using Fits = std::vector<Fit>;
    using Range = ProblemPart::Range;

    void check_or_refuse() {
        try {
            check_all();
        } catch (const std::overflow_error&) {
            ledger_.check(may_overflow(), "only extreme problems leave the range of doubles");
        }
    }

    void check_all() {
        const auto whole = sample_.part(all_documents(), all_categories(), all_points());
        const auto fits = whole.learn(options_, 1);
        ledger_.check(fits.size() == sample_.categories() * sample_.points(),
                      "there is a fit for each category and point");
        for (std::size_t at = 0; at < fits.size(); ++at)
            check(fits[at], at / sample_.points(), at % sample_.points());
        check_same(fits, whole.learn(options_, 3), "three workers learn as one does");
        for (std::size_t category = 0; category < sample_.categories(); ++category)
            check_same({fits.begin() + offset(category), fits.begin() + offset(category + 1)},
                       sample_.part(all_documents(), {category, 1}, all_points()).learn(options_, 1),
                       "a category does not depend on its neighbours");
        if (is_mistake_driven()) {
            check_passes();
            check_resuming();
        } else {
            check_path(fits);
            check_more_passes(fits);
        }
    }

    Range all_documents() const { return {0, sample_.documents()}; }
    Range all_categories() const { return {0, sample_.categories()}; }
    Range all_points() const { return {0, sample_.points()}; }
    bool has_constant() const { return options_.intercept != Intercept::none; }
    bool is_mistake_driven() const { return options_.solver == SolverName::mistake_driven; }
    bool is_multiplicative() const { return options_.entropy.kind != Entropy::none; }
    bool is_extreme() const {
        return sample_.is_extreme() || sample_.scale() != 1.0 ||
               std::abs(std::log(options_.entropy.mu)) > 100.0;
    }
    // Weights without normalisation grow exponentially.
    bool may_overflow() const {
        return is_extreme() || options_.entropy.kind == Entropy::unnormalised;
    }

    std::ptrdiff_t offset(std::size_t category) const {
        return static_cast<std::ptrdiff_t>(category * sample_.points());
    }

    // The duals of documents, from shares of their bounds.
    std::vector<Real> duals(const Fit& fit, std::size_t category, std::size_t point) const {
        std::vector<Real> found;
        for (std::size_t i = 0; i < sample_.documents(); ++i)
            found.push_back(static_cast<Real>(fit.duals[i]) * sample_.weight(i, category) *
                            (is_mistake_driven() ? options_.online.rate : sample_.strength(category, point)));
        return found;
    }

    void check(const Fit& fit, std::size_t category, std::size_t point) {
        check_finite(fit);
        for (const auto share : fit.duals)
            ledger_.check(share >= 0.0 && (is_mistake_driven() || share <= 1.0),
                          "duals are within their bounds");
        if (fit.stop == Stop::certified)
            ledger_.check(fit.certificate <= (is_mistake_driven() ? 0.0 : options_.online.tolerance),
                          "a certified fit is within the tolerance");
        ledger_.check(fit.kind == (is_mistake_driven() ? Certificate::mistakes : Certificate::duality_gap),
                      "the kind of the certificate is right");
        check_total(fit, category);
        const auto own = sample_.reference(category, options_);
        const auto steps = duals(fit, category, point);
        check_exponents(fit, own, steps);
        if (is_multiplicative() && own.longest(steps) > most_exponent) return;
        check_weights(fit, own, steps, category);
        if (!is_mistake_driven()) check_value(fit, own.value(steps, sample_.strength(category, point)));
    }

    void check_finite(const Fit& fit) {
        for (const auto weight : fit.weights) ledger_.check(std::isfinite(weight), "finite weights");
        for (const auto dual : fit.duals) ledger_.check(std::isfinite(dual), "finite duals");
        for (const auto theta : fit.exponents) ledger_.check(std::isfinite(theta), "finite exponents");
        ledger_.check(std::isfinite(fit.intercept), "a finite intercept");
        ledger_.check(std::isfinite(fit.unit) && fit.unit >= 0.0, "a finite unit");
        ledger_.check(std::isfinite(fit.objective) && fit.objective >= 0.0,
                      "a finite objective of at least 0");
        ledger_.check(std::isfinite(fit.certificate) && fit.certificate >= 0.0,
                      "a finite certificate of at least 0");
    }

    // By position in the category's terms, the constant last if there is one.
    std::vector<double> all_weights(const Fit& fit, std::size_t category) const {
        std::vector<double> weights(sample_.terms_of(category).size() + has_constant());
        for (std::size_t at = 0; at < fit.weights.size(); ++at)
            weights.at(static_cast<std::size_t>(fit.places[at])) = fit.weights[at];
        const auto threshold = is_multiplicative() ? options_.entropy.threshold : 0.0;
        if (has_constant()) weights.back() = (fit.intercept + threshold) / options_.constant;
        return weights;
    }

    // Normalised weights sum to W: both of a pair, whose product is the square of the unit.
    void check_total(const Fit& fit, std::size_t category) {
        const auto own = sample_.reference(category, options_);
        if (!own.is_normalised() || own.features() == 0) return;
        Real sum = 0.0;
        for (const Real weight : all_weights(fit, category))
            sum += options_.entropy.positive ? weight : std::hypot(weight, 2.0L * fit.unit);
        const auto lost = 1e-14L * std::abs(options_.entropy.threshold) / options_.constant;
        ledger_.check(std::abs(sum - own.total()) <= 1e-9L * own.total() + lost,
                      "normalised weights have their sum");
    }

    void check_exponents(const Fit& fit, const OnlineReference& own, const std::vector<Real>& steps) {
        const auto exponents = own.exponents(steps);
        const auto slack = 1e-12L * own.longest(steps);
        for (std::size_t j = 0; j < exponents.size(); ++j)
            ledger_.check(std::abs(exponents[j] - fit.exponents[j]) <= slack,
                          "exponents are sums of documents");
        if (!has_constant())
            ledger_.check(fit.exponents.back() == 0.0, "without a constant it has no exponent");
    }

    void check_weights(const Fit& fit, const OnlineReference& own, const std::vector<Real>& steps,
                       std::size_t category) {
        const auto expected = own.weights(own.exponents(steps));
        const auto found = all_weights(fit, category);
        const bool has_unit = expected.unit > 1e-300L && expected.unit < 1e300L;
        ledger_.check(std::abs(fit.unit - expected.unit) <= 1e-9L * expected.unit || !has_unit,
                      "a unit agrees with the reference");
        const auto lost = 1e-14L * std::abs(options_.entropy.threshold) / options_.constant + 1e-300L;
        const auto moved = is_multiplicative() ? 0.0L : 1e-12L * own.longest(steps);
        for (std::size_t j = 0; j < found.size(); ++j)
            ledger_.check(std::abs(expected.plus[j] - expected.minus[j] - found[j]) <=
                              1e-9L * (std::abs(expected.plus[j]) + expected.minus[j]) + lost + moved,
                          "weights are functions of exponents");
    }

    void check_value(const Fit& fit, const OnlineReference::Value& expected) {
        const auto slack = 1e-9L * expected.size;
        ledger_.check(std::abs(expected.objective - fit.objective) <= slack,
                      "the objective is that of the weights");
        const auto gap = fit.objective > 0.0 ? fit.certificate * fit.objective : fit.certificate;
        ledger_.check(std::abs(expected.gap - gap) <= slack, "the gap is that to the dual");
    }

    void check_same(const Fits& one, const Fits& other, const char* rule) {
        ledger_.check(one.size() == other.size(), rule);
        for (std::size_t at = 0; at < one.size(); ++at) {
            const auto &a = one[at], &b = other[at];
            ledger_.check(a.weights == b.weights && a.places == b.places && a.intercept == b.intercept &&
                              a.duals == b.duals && a.exponents == b.exponents && a.unit == b.unit &&
                              a.objective == b.objective && a.certificate == b.certificate &&
                              a.stop == b.stop && a.iterations == b.iterations,
                          rule);
        }
    }

    // Neither fit is below the lower bound of the other.
    void check_bounds(const Fit& one, const Fit& other, std::size_t category, std::size_t point,
                      const char* rule) {
        const auto size = std::max(rounding(one, category, point), rounding(other, category, point));
        if (!std::isfinite(static_cast<double>(size))) return;
        for (const auto& [high, low] : {std::pair(&one, &other), std::pair(&other, &one)})
            ledger_.check(bound(*low) <= high->objective + 1e-9L * size, rule);
    }
    static Real bound(const Fit& fit) { return static_cast<Real>(fit.objective) * (1.0L - fit.certificate); }
    Real rounding(const Fit& fit, std::size_t category, std::size_t point) const {
        const auto own = sample_.reference(category, options_);
        const auto steps = duals(fit, category, point);
        const auto size = own.value(steps, sample_.strength(category, point)).size;
        return size * std::max<Real>(1.0, is_multiplicative() ? own.longest(steps) : 1.0);
    }

    // Compares a point of a path with the same strength from zero.
    void check_path(const Fits& fits) {
        for (std::size_t point = 0; point < sample_.points(); ++point) {
            const auto cold = sample_.part(all_documents(), all_categories(), {point, 1}).learn(options_, 2);
            for (std::size_t category = 0; category < sample_.categories(); ++category)
                check_bounds(fits[category * sample_.points() + point], cold[category], category, point,
                             "a path's fits are within their gaps of cold ones");
        }
    }

    // Runs more Newton passes from the end of the last point.
    void check_more_passes(const Fits& fits) {
        const auto last = sample_.points() - 1;
        auto more = sample_.part(all_documents(), all_categories(), {last, 1});
        for (std::size_t category = 0; category < sample_.categories(); ++category)
            more.starts.push_back(fits[category * sample_.points() + last].duals);
        auto options = options_;
        options.online.rate = 0.0;
        options.online.passes = 100;
        const auto found = more.learn(options, 2);
        for (std::size_t category = 0; category < sample_.categories(); ++category) {
            const auto& before = fits[category * sample_.points() + last];
            check(found[category], category, last);
            check_bounds(before, found[category], category, last, "more passes are within the gap");
            // With normalised weights a step may overshoot and come back.
            const auto size = std::max(rounding(before, category, last),
                                       rounding(found[category], category, last));
            const bool climbs = options_.entropy.kind != Entropy::normalised;
            if (!climbs || !std::isfinite(static_cast<double>(size))) continue;
            ledger_.check(bound(found[category]) >= bound(before) - 1e-9L * size, "Newton steps raise the dual objective");
        }
    }

    // Repeats the passes in long double.
    void check_passes() {
        auto options = options_;
        options.online.shuffle = false;
        const auto fits = sample_.part(all_documents(), all_categories(), {0, 1}).learn(options, 1);
        for (std::size_t category = 0; category < sample_.categories(); ++category) {
            const auto own = sample_.reference(category, options);
            const auto run = own.run_passes(options.online.passes, options.online.rate);
            if (run.is_close || !is_moderate(run.exponents)) continue;
            ledger_.check(std::abs(run.mistakes - fits[category].certificate) <= 1e-9L,
                          "mistakes are those of the last pass");
            check_near(fits[category].exponents, run.exponents, "passes agree with the reference");
        }
    }

    bool is_moderate(const std::vector<Real>& exponents) const {
        return std::ranges::all_of(exponents, [&](Real theta) {
            return std::abs(theta) < (is_multiplicative() ? most_exponent : 1e15L);
        });
    }

    template <class Values>
    void check_near(const std::vector<double>& found, const Values& expected, const char* rule) {
        Real size = 1.0;
        for (const auto each : found) size = std::max(size, std::abs(static_cast<Real>(each)));
        for (std::size_t at = 0; at < expected.size(); ++at)
            ledger_.check(std::abs(expected[at] - static_cast<Real>(found[at])) <= 1e-9L * size, rule);
    }

    // A pass over some documents followed by one over the others equals a pass over all.
    void check_resuming() {
        auto options = options_;
        options.online.shuffle = false;
        options.online.passes = 1;
        const auto split = random_.below(sample_.documents() + 1);
        const auto whole = sample_.part(all_documents(), all_categories(), {0, 1}).learn(options, 1);
        const auto first = sample_.part({0, split}, all_categories(), {0, 1}).learn(options, 1);
        auto rest = sample_.part({split, sample_.documents() - split}, all_categories(), {0, 1});
        rest.initial_exponents.clear();
        for (const auto& fit : first) rest.initial_exponents.push_back(fit.exponents);
        const auto last = rest.learn(options, 1);
        for (std::size_t category = 0; category < sample_.categories(); ++category) {
            const auto run = sample_.reference(category, options_).run_passes(1, options.online.rate);
            if (run.is_close || !is_moderate(run.exponents)) continue;
            check_near(last[category].exponents, whole[category].exponents,
                       "a pass can be taken in two parts");
            check_near(all_weights(last[category], category), all_weights(whole[category], category),
                       "a pass in two parts ends in the same weights");
        }
    }

    std::string description() const {
        const auto& entropy = options_.entropy;
        return (is_mistake_driven() ? "mistakes, rate " : "duals, rate ") +
               std::to_string(options_.online.rate) + ", entropy " +
               std::to_string(static_cast<int>(entropy.kind)) +
               (entropy.positive ? " positive, mu " : " balanced, mu ") + std::to_string(entropy.mu) +
               ", threshold " + std::to_string(entropy.threshold) + ", total " + std::to_string(entropy.total) +
               ", " + std::to_string(sample_.documents()) + " documents, " + std::to_string(sample_.terms()) +
               " terms, " + std::to_string(sample_.categories()) + " categories, " +
               std::to_string(sample_.points()) + " points, scale " + std::to_string(sample_.scale()) +
               ", passes " + std::to_string(options_.online.passes) + ", constant " +
               std::to_string(has_constant() ? options_.constant : 0.0) + ", extreme " +
               std::to_string(sample_.is_extreme()) + ", C " + std::to_string(sample_.strength(0, 0)) +
               (sample_.has_beginnings() ? ", from initial_exponents" : "");
    }

    // exp() of both signs, and their products, are in the range of long double.
    static constexpr Real most_exponent = 4000.0;

    Ledger& ledger_;
    Random& random_;
    OnlineProblem sample_;
    LearnOptions options_;
};

}  // namespace postil::tests
