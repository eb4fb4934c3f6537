// A signal to the command of a run that runs (`paddock signal`): what a caller asks for, and what
// the controller asks of the run's node, as a call of calls.h. The agent hands it to the run's
// launcher at its `execSocket` (launch.h): one packet, kSignalOrder and the signal's name, without
// descriptors. The answers are those of an order. Only the process that the run was started with
// gets it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "common/wire/describe.h"

namespace paddock::contracts {

inline constexpr const char* kRunSignal = "run.signal";  // SignalOrder -> nothing
inline constexpr std::string_view kSignalOrder = "paddock signal 1 ";

// Those by which programs are told something. KILL, STOP and QUIT would do what a cancel does,
// without its grace and its record.
enum class RunSignal { kHup, kInt, kTerm, kUsr1, kUsr2, kWinch, kCont };

// POST runs/{name}/signal.
struct SignalRequest {
  RunSignal signal = RunSignal::kHup;
  static constexpr auto describe(auto&& visit) {
    return visit(wire::field("signal", &SignalRequest::signal,
                             "HUP, INT, TERM, USR1, USR2, WINCH or CONT", {.required = true}));
  }
};

struct SignalOrder {
  std::string run_uid;
  RunSignal signal = RunSignal::kHup;
  static constexpr auto describe(auto&& visit) {
    return visit(wire::field("runUid", &SignalOrder::run_uid, "of the run", {.required = true}),
                 wire::field("signal", &SignalOrder::signal, "its name", {.required = true}));
  }
};

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::RunSignal> {
  using E = contracts::RunSignal;
  static constexpr std::array values = {std::pair{E::kHup, std::string_view("HUP")},
                                        std::pair{E::kInt, std::string_view("INT")},
                                        std::pair{E::kTerm, std::string_view("TERM")},
                                        std::pair{E::kUsr1, std::string_view("USR1")},
                                        std::pair{E::kUsr2, std::string_view("USR2")},
                                        std::pair{E::kWinch, std::string_view("WINCH")},
                                        std::pair{E::kCont, std::string_view("CONT")}};
};
