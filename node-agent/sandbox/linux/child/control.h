// The talk between the launcher and the processes that it prepares: one packet per message over a
// socket pair. After exec only the init process still holds the child's end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/os/fd.h"

namespace paddock::sandbox {

struct ControlMessage {
  enum class Type : char {
    kIdsMapped = 'M',   // launcher -> child: the user namespace has its ids
    kNoLoopback = 'N',  // child -> launcher: text says why there is none; it goes on without
    kProc = 'P',        // child -> launcher, with a mount of its /proc
    kTerminals = 'T',   // child -> launcher, with a mount of its terminals
    kView = 'V',        // launcher -> child, with the root of the command's view
    kListener = 'L',    // child -> launcher, with the seccomp listener's descriptor: it waits now;
                        // number is its pid inside
    kRuleset = 'R',     // launcher -> child, with the Landlock ruleset of the view it made
    kInput = 'I',       // launcher -> child, with the command's standard input, if it has one
    kGo = 'G',       // launcher -> child, with a packed CommandSpec, to execute, as text or else in
                     // a file; number 1: with a ruleset, which came before
    kStarted = 'S',  // child -> launcher: the command has been executed
    kFailed = 'F',   // child -> launcher: text says which step; number may be errno
    kNoExec = 'X',   // child -> launcher: number is errno
    kExec = 'Q',     // launcher -> init, with a further talk: of a command executed in the run
    kSignal = 'U',   // launcher -> init: number is a signal for the command's own process
    kOutput = 'O',   // launcher -> its keeper, with its standard output; number: the size of the
                     // terminal that it has instead of its streams, as terminal.h says
    kErrors = 'W',   // launcher -> its keeper, with its standard error
    kTerminal = 'C',   // child -> launcher, with the other end of the command's terminal
    kTerminate = 'Y',  // launcher -> its keeper: SIGTERM to it and its group; number 1: SIGHUP too
    kAllKilled = 'A',  // its keeper -> launcher: no process beneath it executes anything any more
    kEnded = 'E',      // child -> launcher: number is the wait status, cpu_ms what it used, text
                       // B, F: no bytes, no files are left in the scratch space
  };
  Type type = Type::kFailed;
  int number = 0;
  int64_t cpu_ms = 0;
  std::string text;
  os::Fd fd;
};

struct ControlPair {
  os::Fd launcher;
  os::Fd child;
};
Result<ControlPair> make_control_pair();

// How long a message's text may be. A longer one is cut.
inline constexpr size_t kMostControlText = size_t{4} << 10;

// Blocks only when the peer is slow; false when it is gone.
bool send_control(int socket, ControlMessage::Type type, int number = 0, int64_t cpu_ms = 0,
                  std::string_view text = {}, int fd = -1);
// Past the filter that asks about every other message; see LaunchChoices.
bool send_listener(int socket, int listener, uint32_t pass);
// Blocks for the next message; nothing when the peer is gone (or, with `wait` false, has sent none:
// then, and only then, errno is EAGAIN). One that lost its descriptor on the way is the end too.
std::optional<ControlMessage> receive_control(int socket, bool wait = true);

}  // namespace paddock::sandbox
