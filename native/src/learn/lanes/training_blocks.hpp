// Training by solvers that process several categories in lock step: each block of categories is a
// task.
#pragma once

#include <vector>

#include "postil/learn/training.hpp"

namespace postil {

bool trains_in_blocks(SolverName solver);

// Like train(). Results depend neither on the number of workers nor on which categories share a
// block. The seconds of a fit are its share of the block's.
std::vector<Fit> train_in_blocks(const Design& design, const Lists* terms,
                                 const Assignment& assignment, const LearnOptions& options,
                                 std::size_t workers, Monitor& monitor);

}  // namespace postil
