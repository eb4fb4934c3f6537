// Hands data between the client of an attached command and the command. The client's thread never
// waits here; the threads of the command and of its input do. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/base/units.h"
#include "common/contracts/run_exec.h"
#include "controller/base/waker.h"
#include "controller/k8s/exec_channels.h"

namespace paddock::api {

class ExecExchange {
 public:
  // `client` is woken when there is something for the client, or room for what it sends.
  explicit ExecExchange(std::shared_ptr<Waker> client) : client_(std::move(client)) {}

  // The client's thread.
  struct ForClient {
    std::optional<std::string> message;
    bool last = false;  // it was the last
  };
  ForClient next_message();
  bool has_room() const;
  void take(const k8s::ExecInput& input);
  // Nobody reads any more: what is put is lost, and nobody waits.
  void let_go();

  // The command's thread. The first size that the client tells, if it does within `limit`.
  std::optional<contracts::TerminalSize> first_size(Millis limit);
  void started();
  // Waits until the client has taken most of what there is.
  void put(std::string message);
  // The last one; nobody waits for input from here on.
  void finish(std::string message);
  // Whether the command is to go on: the client is there, and its input can be given.
  bool wanted() const;
  std::optional<Error> failure() const;

  // The input's thread. Waits for the next piece, without its number, from the start of the command
  // on; nothing: there will be none.
  std::optional<contracts::InputPiece> next_piece(bool terminal);
  // False: it is over.
  bool pause(Millis time);
  // The input is lost, and with it the command.
  void fail(Error why);

 private:
  struct State {
    std::deque<std::string> messages;
    size_t waiting = 0;  // bytes of them
    std::string input;
    bool end = false;  // of the input, behind that
    std::optional<contracts::TerminalSize> size;
    bool started = false;
    bool finished = false;
    bool gone = false;
    std::optional<Error> failure;
    bool over() const { return finished || gone || failure.has_value(); }
  };
  static std::optional<contracts::InputPiece> take_piece(State& state, bool terminal);

  const std::shared_ptr<Waker> client_;
  std::condition_variable changed_;
  Guarded<State> state_;
};

}  // namespace paddock::api
