// Sends what comes through our standard input, and the size of our window, to a command that is
// under way elsewhere: in pieces, one after the other, each again until it is taken.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/terminal/raw_terminal.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/contracts/run_exec.h"
#include "common/http/http_client.h"
#include "common/os/event.h"

namespace paddock::cli {

struct InputPlan {
  std::string target;     // takes InputPieces by POST
  bool input = false;     // our standard input is sent
  bool terminal = false;  // the command has one
  std::string first;      // what was read of it already
  WindowSize window;      // the size that the command's terminal was asked for with
  int fd = 0;             // our standard input
};

// Starts a thread of its own, which ends with stop() or with the command. The rest is for one
// thread.
class InputSender {
 public:
  // `on_failure` is called once, on any thread, when nothing can be sent any more though the
  // command may go on: a piece was refused, or for `patience` none was taken or asked for again, or
  // what is to be sent cannot be read. It must not call back. A caller keeps `clock` alive.
  InputSender(std::unique_ptr<http::Client> http, InputPlan plan, Millis patience,
              const Clock& clock, std::function<void()> on_failure);
  ~InputSender() { stop(); }
  InputSender(const InputSender&) = delete;
  InputSender& operator=(const InputSender&) = delete;

  void start();
  // Returns once nothing more is sent.
  void stop();
  // After stop(): what `on_failure` was called for.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  // The fate of a piece. One that fails may still have been taken, and is sent again.
  enum class Fate { kTaken, kWaits, kFails, kRefused, kOver };
  struct Tried {
    Fate fate;
    std::optional<Error> error;  // of kFails and kRefused
  };

  void run();
  bool send_first();
  bool turn();
  bool send_window();
  bool read_and_send();
  bool send(contracts::InputPiece piece);
  Tried try_once(const contracts::InputPiece& piece, Millis time);
  bool stops_within(int pause_ms) const;
  Error given_up(Error last) const;
  bool fail(Error error);  // false

  const InputPlan plan_;
  const Millis patience_;
  const Clock& clock_;
  const std::function<void()> on_failure_;
  std::unique_ptr<http::Client> http_;
  std::unique_ptr<WindowChanges> changes_;
  os::Event stop_;
  int64_t seq_ = 0;
  bool over_ = false;  // our standard input
  WindowSize told_;
  std::optional<Error> failure_;
  std::thread thread_;
};

// What came through `fd`, and whether that is all: not much more than `most` bytes. kSoon reads for
// a second at most, and until nothing came for a quarter of one.
struct Gathered {
  std::string bytes;
  bool whole = false;
};
enum class Until { kSoon, kEnd };
Result<Gathered> gather_input(int fd, size_t most, Until until, const Clock& clock);

}  // namespace paddock::cli
