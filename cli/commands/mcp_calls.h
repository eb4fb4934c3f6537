// Messages of one MCP client over stdio: calls of tools are answered several at a time and in the
// order in which they end, everything else at once. A call that is canceled is given up, and gets
// no answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/base/guarded.h"
#include "common/mcp/protocol.h"

namespace paddock::cli {

// Answers one message after another.
class Answerer {
 public:
  virtual ~Answerer() = default;
  virtual mcp::Reply answer(const wire::Value& message) = 0;
  // From another thread: ends what it does now, and it is of no more use.
  virtual void give_up() = 0;
};

class McpCalls {
 public:
  struct Setup {
    std::function<std::unique_ptr<Answerer>()> make;  // by several threads
    std::function<void(const wire::Value&)> write;    // one at a time
    size_t at_once = 16;
    size_t waiting = 64;  // what comes beyond it is refused
  };
  explicit McpCalls(Setup setup) : setup_(std::move(setup)), own_(setup_.make()) {}
  ~McpCalls() {
    finish([] { return true; });
  }
  McpCalls(const McpCalls&) = delete;
  McpCalls& operator=(const McpCalls&) = delete;

  void take(const wire::Value& message);  // of the thread that reads
  void write(const mcp::Reply& reply);
  // Returns when every call is answered, or as soon as nobody reads answers any more: `gone`, asked
  // now and then. Nothing is taken afterwards.
  void finish(const std::function<bool()>& gone);

 private:
  struct Job {
    wire::Value id;
    wire::Value message;
    Answerer* answerer = nullptr;  // while it is answered
    bool canceled = false;
  };
  struct State {
    std::deque<Job> waiting;
    std::list<Job> running;
    bool ended = false;
  };

  using Place = std::list<Job>::iterator;

  void start(const wire::Value& message);
  void cancel(const wire::Value& id);
  void give_up_all();
  void work();
  std::optional<Place> next();  // nothing: there is none, and will be none
  // Whether it was not given up meanwhile: then who answers can answer more.
  bool answer(Place job, Answerer& answerer);

  const Setup setup_;
  const std::unique_ptr<Answerer> own_;  // of the thread that reads
  Guarded<State> state_;
  std::condition_variable changed_;
  Guarded<bool> writing_;
  std::vector<std::thread> threads_;
};

}  // namespace paddock::cli
