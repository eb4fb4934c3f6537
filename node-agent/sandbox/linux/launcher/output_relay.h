// A command's output on its way: out of its two pipes, or its terminal, into the events and the
// result's excerpts.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/launcher/poll_set.h"
#include "node-agent/sandbox/result/event_writer.h"
#include "node-agent/sandbox/result/output_budget.h"
#include "node-agent/sandbox/result/outputs.h"

namespace paddock::sandbox {

class OutputRelay {
 public:
  // `events` outlives it. Where somebody is shown all of it (`limits`), it is read no faster than
  // is good for its host.
  OutputRelay(os::Fd out, os::Fd err, const LauncherLimits& limits, int64_t inline_bytes,
              EventWriter& events);

  // From now on what is written to this terminal is its standard output too, handed on at once.
  void read_terminal(os::Fd terminal);
  // Closes this end of the terminal. Once no other process has it, programs that have the terminal
  // open get SIGHUP. The destructor does the same.
  void hang_up() { terminal_.reset(); }
  // Output is not read while its reader is behind, or while the command has written more than it
  // may for now. The events that wait are written by flush(), once in each turn. `now` is looked at
  // again when there is something to read; `turn` and `now` live until then.
  void add_to(PollSet& turn, const MonoTime& now);
  // Takes what is left, when no process of the command writes any more: nothing is read afterwards.
  void finish(MonoTime now);
  // Makes events of what is due, or with `all` of everything, and writes what their reader takes.
  // False from then on when the events cannot be written: nobody would learn of this command.
  bool flush(MonoTime now, bool all);
  // When flush() or add_to() has something to do next, if that is before `latest`.
  MonoTime next(MonoTime now, MonoTime latest) const;

  const Outputs& outputs() const { return outputs_; }
  // What Outputs says; of what was shown nothing is repeated, and nothing is missing.
  void describe(contracts::SandboxResult& result) const;
  bool events_lost() const { return events_lost_; }

 private:
  void read_some(os::Fd& pipe, OutputStream& stream, MonoTime now);
  bool read_some_of_terminal(MonoTime now);

  os::Fd out_;
  os::Fd err_;
  os::Fd terminal_;
  std::optional<MonoTime> unused_until_;  // nobody had the terminal open when it was read
  EventWriter& events_;
  Outputs outputs_;
  OutputBudget budget_;
  bool all_is_shown_;
  bool events_lost_ = false;
};

}  // namespace paddock::sandbox
