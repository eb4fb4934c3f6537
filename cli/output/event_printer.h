// Writes a run's events as they come: stdout to stdout, stderr to stderr, the rest dimmed to
// stderr. On a terminal, lines `progress N/M` become one line that is redrawn. Not thread-safe.
#pragma once

#include <string>

#include "cli/terminal/env.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal_lines.h"
#include "common/contracts/events.h"

namespace paddock::cli {

struct PrintChoices {
  bool phases = true;  // phase changes, but the end: whoever follows a run sums it up
  bool system = true;  // the node's own words, but its count of artifacts
};

class EventPrinter {
 public:
  EventPrinter(const Env& env, PrintChoices choices)
      : env_(env), choices_(choices), progress_(env.err, "run") {}
  ~EventPrinter() { finish(); }

  void print(const contracts::RunEvent& event);
  // Puts what is left of a line out, and the terminal in order.
  void finish();

 private:
  void output(const Stream& stream, std::string& held, std::string_view data);
  void line(const Stream& stream, std::string_view text);
  void note(std::string_view text);

  const Env& env_;
  PrintChoices choices_;
  ProgressDisplay progress_;
  std::string held_out_;  // the start of a line that may yet become progress; terminals only
  std::string held_err_;
  TerminalLines lines_;
};

// The words of a `phase` event for people.
std::string phase_text(const contracts::RunEvent& event);

}  // namespace paddock::cli
