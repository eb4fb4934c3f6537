// The input of a command that comes while it runs: pieces in order, each taken once, as much as may
// wait until the command reads. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/contracts/run_exec.h"
#include "common/os/event.h"

namespace paddock::sessions {

class LiveInput {
 public:
  // For a terminal sizes may come, and no end; without `open` there is no other input for it.
  LiveInput(bool terminal, bool open) : terminal_(terminal), open_(open) {}
  LiveInput(const LiveInput&) = delete;
  LiveInput& operator=(const LiveInput&) = delete;

  // The number of the piece that comes next. Conflict, INPUT_OUT_OF_ORDER; ResourceExhausted,
  // INPUT_WAITS; FailedPrecondition, COMMAND_TAKES_NO_INPUT.
  Result<int64_t> add(const contracts::InputPiece& piece);

  // Readable when take() has something.
  int fd() const { return news_.fd(); }
  struct Taken {
    std::string bytes;
    bool end = false;
  };
  // All that waits. What it has taken makes room for more.
  Taken take();

  // The last size of its terminal that came, if it was not taken yet. It waits behind no bytes.
  std::optional<contracts::TerminalSize> take_size();
  int size_fd() const { return sizes_.fd(); }  // readable when there is one

 private:
  struct State {
    int64_t next = 1;
    bool ended = false;
    Taken waiting;
    std::optional<contracts::TerminalSize> size;
  };
  Status check(const contracts::InputPiece& piece, const State& state, size_t bytes) const;

  const bool terminal_;
  const bool open_;
  os::Event news_;
  os::Event sizes_;
  Guarded<State> state_;
};

}  // namespace paddock::sessions
