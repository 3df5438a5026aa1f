// Training by solvers that take several categories in lock step: a block of them is a task.
#pragma once

#include <vector>

#include "postil/learn/training.hpp"

namespace postil {

bool goes_in_blocks(SolverName solver);

// As train(). Results depend neither on the number of workers nor on which categories share a block.
// A fit's seconds are its share of the block's.
std::vector<Fit> train_in_blocks(const Design& design, const Lists* terms,
                                 const Assignment& assignment, const LearnOptions& options,
                                 std::size_t workers, Monitor& monitor);

}  // namespace postil
