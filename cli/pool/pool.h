// A pool at work: it looks at runs and at Slurm, and does what plan_pool() says. Everything that it
// must not lose is in Slurm's list and in its folder, so it can be killed at any moment.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/pool/plan.h"
#include "cli/pool/pool_folder.h"
#include "cli/pool/slurm.h"
#include "common/base/random.h"
#include "common/client/controller_client.h"

namespace paddock::cli {

class Pool {
 public:
  struct Dependencies {
    client::ControllerClient& client;
    const Clock& clock;
    Random& random;
  };
  Pool(const PoolSettings& settings, PoolFolder folder, Slurm slurm, Dependencies dependencies)
      : settings_(settings),
        folder_(std::move(folder)),
        slurm_(std::move(slurm)),
        dependencies_(dependencies) {}

  // Looks once, and acts. An error says which side does not answer; the next look tries again.
  Status look();

 private:
  struct Runs {
    std::vector<WaitingRun> waiting;
    std::vector<std::pair<WaitingRun, std::string>> never;  // and why no pilot could take it
  };
  Result<Runs> waiting_runs();
  // Intents that Slurm lists, and those that it does not list for so long that there is no job.
  Result<std::map<std::string, PilotSize>> settle_intents(const Queue& queue);
  // Pilots whose nodes the controller lists. Nodes of jobs that are gone are removed there.
  Result<std::set<std::string>> nodes_there(const Queue& queue);
  // With those that have left since, which the folder knows.
  Result<std::set<std::string>> ever_joined(const std::set<std::string>& here) const;
  // Those among them that this program has known for long enough, or that have left.
  std::set<std::string> settled(const std::set<std::string>& joined,
                                const std::set<std::string>& left);
  Status give_tokens(const Queue& queue, const std::set<std::string>& joined);
  Status give_token(const std::string& job, const std::string& pilot);
  Status act(const PoolPlan& plan);
  Status submit(const PilotSize& size);
  // Sizes that are not asked for again yet.
  std::vector<Refusal> held_back() const;
  void hold_back(const PilotSize& size, const std::string& why);
  struct RunNote {
    WaitingRun run;
    bool coming = false;
    std::string why;
  };
  std::vector<RunNote> words(const Runs& runs, const PoolPlan& plan) const;
  // Writes what it asked for, and why, into its folder.
  Status note(const PoolState& state, const std::vector<RunNote>& told) const;
  // Tells each run why it waits for this pool.
  Status tell(const std::vector<RunNote>& all);

  const PoolSettings& settings_;
  PoolFolder folder_;
  Slurm slurm_;
  Dependencies dependencies_;
  std::optional<MonoTime> last_submission_;
  std::string refused_;  // what sbatch said when it last failed
  struct HeldBack {
    Refusal refusal;
    Millis pause;
    MonoTime until;
  };
  std::vector<HeldBack> held_back_;  // one of each size
  bool looked_ = false;
  std::map<std::string, MonoTime> joined_since_;
  std::map<std::string, std::string> told_;  // by uid: what the run has heard
};

}  // namespace paddock::cli
