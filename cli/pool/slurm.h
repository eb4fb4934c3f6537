// Slurm's commands as functions: what there is, one more, one less. Everything they print is
// bounded and parsed strictly; nothing goes through a shell.
#pragma once

#include <map>
#include <string>

#include "cli/pool/bounded_program.h"
#include "cli/pool/pilots.h"
#include "cli/pool/settings.h"
#include "common/base/result.h"
#include "common/base/time.h"

namespace paddock::cli {

// What sbatch answered: the job's id, or why there is no job for certain.
struct Submitted {
  std::string job;
  std::string refused;
};

class Slurm {
 public:
  // `variables`: this program's; those that Slurm's commands need are passed on, and no other.
  Slurm(const PoolSettings& settings, const std::map<std::string, std::string>& variables,
        const Clock& clock);

  // This user's jobs that are pilots of the pool. PROGRAM_FAILED: Slurm does not say.
  Result<Queue> queue() const;
  // PROGRAM_FAILED, with the words of sbatch: it may have been submitted all the same, queue()
  // tells.
  Result<Submitted> submit(const std::string& key, const PilotSize& size) const;
  // Only if the job still has that name: ids are used again.
  Status cancel(const Pilot& pilot) const;

 private:
  Result<ProgramEnd> end_of(const std::string& program, std::vector<std::string> words,
                            std::string input) const;
  // What it printed.
  Result<std::string> run(const std::string& program, std::vector<std::string> words,
                          std::string input) const;

  const PoolSettings& settings_;
  std::map<std::string, std::string> env_;
  const Clock& clock_;
};

}  // namespace paddock::cli
