// process.Process of E2B's SDK: translates its request into a command of a session, and the
// session's events into its messages. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::e2b {

// The text of the session's command that a StartRequest asks for. FailedPrecondition
// (E2B_NOT_SERVED) for a terminal, standard input and tags; InvalidArgument (INVALID_FIELD).
Result<std::string> command_text(const wire::Value& request);

// Quotes any text as one word of a shell.
std::string quoted(std::string_view word);

// A process is known by a number, a command by a name that the caller chooses.
std::string command_id(int64_t pid);
// Which process a request is about: `{"process": {"pid": N}}`. InvalidArgument (INVALID_FIELD).
Result<int64_t> process_of(const wire::Value& request);
// Checks a SendSignal: SIGTERM and SIGKILL end the command. E2B_NOT_SERVED for any other.
Status check_signal(const wire::Value& request);

// Messages of the stream that answers Start, each in its envelope.
std::string start_event(int64_t pid);
std::string output_event(std::string_view stream, std::string_view base64);
std::string keepalive_event();
// The events that tell how the command ended, from the session's RunResult. They are the last ones
// of the stream.
std::string end_events(const wire::Value& result);

// Takes the events of a session's stream (docs/sessions.md) apart, as pieces of them come.
class EventReader {
 public:
  using Take = std::function<void(std::string_view event, const wire::Value& data)>;
  // Reads the next piece of the stream. Events of other kinds are skipped.
  void read(std::string_view bytes, const Take& take);

 private:
  std::string rest_;
};

}  // namespace paddock::e2b
