// Pilot jobs as Slurm lists them. Their names carry what the pool has to know of them, so that a
// pool that was killed finds its own again: Slurm's list is the one record of what was submitted.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"

namespace paddock::cli {

struct PilotSize {
  int64_t cpus = 1;
  int64_t memory_mib = 0;
  int64_t gpus = 0;
  int64_t nodes = 1;  // each with all of that: a gang's pilots are one job, which starts as a whole
  friend bool operator==(const PilotSize&, const PilotSize&) = default;
};

// `paddock-POOL-KEY-4c-2048m-1g`, of several nodes `…-1g-3n`. The key is made for one submission
// and never used again.
std::string job_name(std::string_view pool, std::string_view key, const PilotSize& size);
struct JobName {
  std::string key;
  PilotSize size;
};
// Reads a job's name; nothing if it is not, to the last character, that of a pilot of this pool.
std::optional<JobName> parse_job_name(std::string_view pool, std::string_view name);

// A job: a pilot, or those of a gang.
// kEnding: it is not to be counted on any more, and not gone yet.
enum class PilotState { kQueued, kRunning, kEnding };

struct Pilot {
  std::string job;   // its id
  std::string name;  // job_name()
  std::string key;
  PilotSize size;
  PilotState state = PilotState::kQueued;
  std::string why;  // Slurm's word why it waits
  std::optional<WallTime> started;
};

// Each pilot of the job by its name within the pool: `12`, of several `12-r0`, `12-r1`.
std::vector<std::string> pilots_of(const Pilot& job);
// The name of its node.
std::string node_of(std::string_view pool, std::string_view pilot);
// The pilot whose node that is; empty if it is no node of this pool.
std::string pilot_of(std::string_view pool, std::string_view node);
// The id of the job that it is of.
std::string job_of(std::string_view pilot);

// The columns that squeue is asked for, and the format of its times: seconds since 1970.
inline constexpr const char* kQueueFormat = "%i|%T|%S|%j|%r";
inline constexpr const char* kQueueTimes = "%s";

struct Queue {
  std::vector<Pilot> pilots;  // in the order of the list
  int64_t odd = 0;            // lines that are none of squeue's
};
// Jobs of others are passed over. A state that is not known is one that is ending: nothing is
// counted on it, and nothing is submitted in its place while it is listed.
Queue parse_queue(std::string_view pool, std::string_view text);

// The id that `sbatch --parsable` printed.
std::optional<std::string> parse_submitted(std::string_view text);
// Whether what a failed sbatch printed means that there is no job: slurmctld answered, and said no.
bool is_refusal(std::string_view text);

}  // namespace paddock::cli
