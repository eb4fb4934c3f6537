// Snippets beside runs: the lanes on which the controller hands over calls, and the thread that
// keeps sandboxes warm. An agent that nobody calls holds one lane, one interpreter and one checker.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/client/controller_client.h"
#include "node-agent/app/config.h"
#include "node-agent/executor/launch_server.h"
#include "node-agent/snippets/service.h"

namespace paddock::agent {

// PROFILE_INVALID and the like: the agent does not start with another policy than was meant.
Result<snippets::Setting> snippet_setting_of(const AgentConfig& config);

// This agent process, as the controller knows it from its session.
struct AgentProcess {
  std::string nonce;
  int64_t generation = 0;
};

class SnippetHost {
 public:
  SnippetHost(const snippets::Setting& setting, std::string node, executor::LaunchServer& server,
              AgentProcess self, std::function<http::Endpoint()> endpoint, const Clock& clock);
  ~SnippetHost() { stop(); }

  void discard_warm() { service_.discard_warm(); }
  // Ends what is under way: nobody could be told of it.
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
    bool stirred = false;
    int64_t busy = 0;
    std::map<int64_t, Lane> lanes;
    std::map<std::string, os::Fd> calls;  // under way, with what tells them to end
    std::vector<std::string> heard;       // drops that the controller need not repeat
  };
  void tend();
  bool look();
  void lane(int64_t number);
  void add_lane(State& state);
  void join_ended();
  bool rest(Millis limit);
  std::shared_ptr<client::ControllerClient> connect(int64_t number);
  std::optional<contracts::CallsRequest> next_request(int64_t number, bool& done,
                                                      MonoTime idle_since);
  void heed(const std::vector<std::string>& drops);
  contracts::CallAnswer serve(const contracts::NodeCall& call);

  const int64_t most_;
  const bool enabled_;
  const std::string node_;
  const AgentProcess self_;
  const std::function<http::Endpoint()> endpoint_;
  const Clock& clock_;
  snippets::Service service_;
  std::condition_variable changed_;
  Guarded<State> state_;
  std::thread tender_;
};

}  // namespace paddock::agent
