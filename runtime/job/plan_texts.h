// Pieces of a plan's text that the whole plan and the short one share, and
// those of the short one. Pure.
#ifndef PODSIM_RUNTIME_JOB_PLAN_TEXTS_H_
#define PODSIM_RUNTIME_JOB_PLAN_TEXTS_H_

#include <string>

#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// " (recipe)" behind what the recipe decided.
std::string RecipeMark(const JobPlan& plan, const char* field);

// "mlp 64-128-10 on digits (1,498 examples, 299 in the eval split)".
std::string DataText(const JobPlan& plan);
// "8 per core (recipe), 256 global"; per chip where its cores act as one.
std::string BatchText(const JobPlan& plan, const Slice& slice);
// Steps before and after scaling.
std::string StepsText(const JobPlan& plan);

// SGD with no more than a momentum, which the learning rate's line has.
bool HasPlainUpdate(const PlanBits& bits);
// Learning rate before and after scaling.
std::string RateText(const JobPlan& plan);

// "v3-32: 4 hosts, 16 chips, 32 cores, 4x4 grid".
std::string BriefSliceText(const Slice& slice);
// "125.12 KiB of 15.48 GiB per core; largest batch 10,737,346".
std::string BriefHbmText(const JobPlan& plan, const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLAN_TEXTS_H_
