#include "node-agent/executor/processor_step.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace paddock::executor {
namespace {

// A run of theirs gets the variables of its profile and no others.
constexpr std::array kExactProfiles = {"compute", "snippet"};
// Rust, Go, Java and Node ask which processors they may use.
constexpr std::array kThreadVariables = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS", "NUMEXPR_MAX_THREADS"};

}  // namespace

std::optional<int64_t> ProcessorStep::wanted() const {
  const auto& resources = run_.assignment.spec.resources;
  return resources ? resources->cpu : std::nullopt;
}

Status ProcessorStep::prepare() {
  if (!wanted() || run_.ports.processors == nullptr) return {};
  held_.emplace(run_.ports.processors->take(*wanted()));
  run_.record.processors = held_->processors();
  return {};
}

// Also sets the variables that libraries with threads read: some would count the host's processors.
Status ProcessorStep::add(contracts::LaunchRequest& request) {
  if (!wanted()) return {};
  request.cpus = wanted();
  if (held_) request.processors = held_->processors();
  if (std::ranges::count(kExactProfiles, run_.assignment.spec.profile) > 0) return {};
  for (const char* name : kThreadVariables) request.env.try_emplace(name, cat(*wanted()));
  return {};
}

void ProcessorStep::take_again() {
  if (run_.ports.processors != nullptr)
    held_.emplace(run_.ports.processors->take_again(run_.record.processors));
}

}  // namespace paddock::executor
