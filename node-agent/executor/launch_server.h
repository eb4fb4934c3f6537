// The serving launcher beside an agent: started by it, asked for each launch, replaced when it has
// died. Runs that it launched go on without it, and without the agent. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "node-agent/executor/launcher.h"
#include "node-agent/launch/order.h"

namespace paddock::executor {

class LaunchServer {
 public:
  // `folder` is for this server alone and exists. `options`: further ones of its command line.
  // `patience_ms`: until an order that nobody answers is given up.
  LaunchServer(std::string program, std::string folder, const Clock& clock,
               std::vector<std::string> options = {}, int patience_ms = launch::kOrderPatienceMs);
  ~LaunchServer();  // the server leaves
  LaunchServer(const LaunchServer&) = delete;
  LaunchServer& operator=(const LaunchServer&) = delete;

  // In place of one that an agent before has left.
  void start();
  // The program is another one now: the next run is launched by that. Those under way go on.
  void replace();
  // Where it listens; and what to do when it turned out that it does not.
  std::string socket() const { return file("socket"); }
  void revive() { start_again(); }
  // Launches the request in this file. Nothing: the server did not take the order, and nothing of
  // it runs or will run. Where it may run, it is the process that holds the run's lock, if any.
  std::optional<LauncherProcess> launch(const LaunchFiles& files, int request);

 private:
  struct State {
    std::optional<os::ProcessIdentity> server;
    std::optional<MonoTime> started;
  };
  void start_again();
  void put_in_place_of(const std::optional<os::ProcessIdentity>& old);
  Result<os::ProcessIdentity> spawn_server() const;
  std::string file(std::string_view name) const;

  const std::string program_;
  const std::string folder_;
  const std::vector<std::string> options_;
  const int patience_ms_;
  const Clock& clock_;
  Guarded<State> state_;
};

// Launches by the server, if there is one that takes the order, and otherwise by a launcher of its
// own. The request may hold secrets, so it is made into a document once, and in memory.
// SANDBOX_UNAVAILABLE.
Result<LauncherProcess> start_launch(LaunchServer* server, const std::string& program,
                                     const LaunchFiles& files,
                                     const contracts::LaunchRequest& request);

}  // namespace paddock::executor
