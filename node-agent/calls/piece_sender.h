// Sends parts of a call's answer on while it is made, from a thread of its own: the code that makes
// them never waits for the controller.
#pragma once

#include <condition_variable>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/guarded.h"
#include "common/client/controller_client.h"

namespace paddock::agent {

class PieceSender {
 public:
  // `first` says whose pieces they are: node, process and generation. `on_lost` is called once, by
  // the thread of this, when the controller takes no more of them.
  PieceSender(http::Endpoint endpoint, std::string node, contracts::CallsRequest first,
              std::function<void()> on_lost = {});
  ~PieceSender() { (void)finish(); }
  PieceSender(const PieceSender&) = delete;
  PieceSender& operator=(const PieceSender&) = delete;

  // Why it can send nothing: there was no thread for it.
  const Status& started() const { return started_; }
  void add(const std::string& call, wire::Value piece);
  // Whether few enough wait to be sent. A caller that can wait adds none until then.
  bool has_room() const;
  // Sends what is left. Whether the controller has taken them all.
  bool finish();

 private:
  struct State {
    std::vector<contracts::CallPiece> pieces;
    int64_t last = 0;
    bool over = false;
    bool failed = false;
  };
  void send_all();
  bool send(std::vector<contracts::CallPiece> pieces);

  client::ControllerClient client_;
  const std::string node_;
  const std::function<void()> on_lost_;
  contracts::CallsRequest first_;
  Guarded<State> state_;
  std::condition_variable changed_;
  Status started_;
  std::thread thread_;
};

}  // namespace paddock::agent
