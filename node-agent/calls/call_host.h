// Work beside runs that somebody waits for: snippets, what is asked of sandbox sessions, and
// commands and files of runs that run here. The
// lanes on which the controller hands over calls, and the thread that maintains both kinds. An
// agent that nobody calls holds one lane.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/client/controller_client.h"
#include "common/os/event.h"
#include "node-agent/base/wakeup_timer.h"
#include "node-agent/calls/places.h"
#include "node-agent/disk/disk_writers.h"
#include "node-agent/executor/launch_server.h"
#include "node-agent/executor/writable_workspace.h"
#include "node-agent/files/write_turns.h"
#include "node-agent/sessions/command.h"
#include "node-agent/sessions/live_input.h"
#include "node-agent/sessions/service.h"
#include "node-agent/snippets/service.h"

namespace paddock::agent {

// This agent process, as the controller knows it.
struct AgentProcess {
  std::string nonce;
  int64_t generation = 0;
};

struct CallSettings {
  snippets::Setting snippets;
  sessions::Setting sessions;
};

// Access to the inside of a run that runs here, by its uid: its workspace, to read and to write to,
// and where its commands are taken. RUN_NOT_RUNNING, RUN_EXEC_UNSUPPORTED.
struct RunInsides {
  std::function<Result<os::Fd>(const std::string& run_uid)> open;
  std::function<Result<executor::WritableWorkspace>(const std::string& run_uid)> open_to_write;
  std::function<Result<std::string>(const std::string& run_uid)> exec_socket;
};

class CallHost {
 public:
  // `snippet_launcher`: the launcher for snippets; `session_launcher`: the one for sessions.
  // `doubt` is called where a sandbox could not be set up.
  CallHost(const CallSettings& settings, std::string node, executor::LaunchServer& snippet_launcher,
           executor::LaunchServer& session_launcher, AgentProcess self,
           std::function<http::Endpoint()> endpoint, RunInsides runs, std::function<void()> doubt,
           const Clock& clock);
  ~CallHost() { stop(); }

  // Takes over the sessions that are on the disk.
  Status recover() { return sessions_.recover(); }
  // Lanes are open from now on.
  void start();
  sessions::Service& sessions() { return sessions_; }
  // Sessions, which could give way where the disk comes to its end.
  std::vector<DiskWriter> disk_writers();
  // The launchers' program is another one now.
  void discard_warm() {
    service_.discard_warm();
    sessions_.discard_ahead();
  }
  // Ends the calls under way, since their answers could not be delivered.
  void stop();

 private:
  struct Lane {
    std::thread thread;
    std::shared_ptr<client::ControllerClient> client;
    bool idle = false;  // asks, or is about to
    bool over = false;
  };
  struct State {
    bool stopping = false;
    bool looked = false;  // once, whether this host can take snippets
    bool snippets_ready = false;
    UnderWay under_way;
    std::map<int64_t, Lane> lanes;
    std::map<std::string, os::Event> calls;  // under way, with what tells them to end
    std::map<std::string, std::shared_ptr<sessions::LiveInput>> typed;  // by run and command
    std::set<std::string> early;  // to end before they were begun
    std::deque<std::string> early_order;
    std::vector<std::string> heard;  // drops that the controller need not repeat
    bool unsure =
        false;  // a lane broke: the controller may be another process, and know none of them
    std::optional<MonoTime> alone_since;  // no lane was answered since then
  };
  void maintain();
  bool look();
  void lane(int64_t number);
  void keep_a_lane();
  void add_lane(State& state);
  void join_ended();
  bool rest(Millis limit);
  bool pause(Millis limit);
  Millis clean_up();
  std::shared_ptr<client::ControllerClient> connect(int64_t number);
  std::optional<contracts::CallsRequest> next_request(int64_t number, bool& done,
                                                      MonoTime idle_since);
  void drop_calls(const std::vector<std::string>& drops);
  void note_answer(bool answered, bool told_what_is_held);
  int register_call(const std::string& id);
  contracts::CallAnswer serve(contracts::NodeCall call);
  Result<wire::Value> perform(contracts::NodeCall& call, int drop);
  Result<wire::Value> read_run_file(const contracts::NodeCall& call);
  Result<wire::Value> put_run_file(const contracts::NodeCall& call);
  using OnOutput = std::function<void(contracts::FrameType, std::string_view)>;
  using TakesOutput = std::function<bool()>;
  using Command =
      std::function<Result<contracts::SandboxResult>(const OnOutput&, const TakesOutput&)>;
  using OnLost = std::function<void()>;
  Result<wire::Value> with_output(const std::string& call, bool stream, const Command& command,
                                  OnLost on_lost = {});
  void end_call(const std::string& id);
  Result<wire::Value> run_command(const contracts::NodeCall& call, int drop);
  Result<wire::Value> follow_in_run(const std::string& call, launch::AttachedLaunch& command,
                                    const contracts::ExecOrder& order, sessions::Following how);
  Result<wire::Value> execute_in_run(contracts::NodeCall& call, int drop);
  Result<wire::Value> attach_in_run(const contracts::NodeCall& call, int drop);
  Result<wire::Value> put_input(const contracts::NodeCall& call);
  bool has_place(const State& state) const {
    return agent::has_place(state.under_way, places_, state.snippets_ready);
  }
  Status wait_for_place(const std::string& kind, int drop);

  const Places places_;
  const bool snippets_enabled_;
  const std::string node_;
  const AgentProcess self_;
  const std::function<http::Endpoint()> endpoint_;
  const RunInsides runs_;
  const std::function<void()> doubt_;
  const Clock& clock_;
  const int64_t processors_;
  files::WriteTurns turns_;  // of runs; sessions have their own
  launch::DeferredTeardown deferred_teardown_;
  snippets::Service service_;
  sessions::Service sessions_;
  WakeupTimer wakeup_;  // there is something to maintain
  std::condition_variable changed_;
  Guarded<State> state_;
  std::thread maintainer_;
};

}  // namespace paddock::agent
