#include "cli/output/event_printer.h"

#include "cli/terminal/safe_output.h"
#include "common/base/text.h"
#include "common/contracts/run.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr std::string_view kProgressWord = "progress ";
constexpr std::string_view kArtifactsWord = "artifacts: ";  // as the node counts them

// Whether a line that is not yet whole must wait: it may become progress, or ends in an escape
// sequence.
bool must_wait(std::string_view part) {
  const bool like_progress = part.starts_with(kProgressWord) || kProgressWord.starts_with(part);
  const size_t escape = part.rfind('\x1b');
  return like_progress || (escape != std::string_view::npos && part.size() - escape < 32);
}

bool is_end(const contracts::RunEvent& event) {
  const Result<wire::Value> value = wire::parse_json(event.data);
  const auto phase =
      value.ok() ? wire::parse_enum<contracts::RunPhase>(value->text("phase")) : std::nullopt;
  return phase && contracts::is_terminal(*phase);
}

}  // namespace

std::string phase_text(const contracts::RunEvent& event) {
  const Result<wire::Value> value = wire::parse_json(event.data);
  if (!value.ok()) return "";
  std::string text = value->text("phase");
  if (const std::string reason = value->text("reason"); !reason.empty())
    text += cat(" (", reason, ")");
  if (const std::string message = value->text("message"); !message.empty())
    text += cat(": ", message);
  return text;
}

void EventPrinter::print(const contracts::RunEvent& event) {
  if (event.type == contracts::kEventStdout) return output(env_.out, held_out_, event.data);
  if (event.type == contracts::kEventStderr) return output(env_.err, held_err_, event.data);
  if (event.type == contracts::kEventSystem && choices_.system) {
    for (const std::string& each : split(trim(event.data), '\n'))
      if (!each.starts_with(kArtifactsWord)) note(each);
  }
  if (event.type == contracts::kEventPhase && choices_.phases && !is_end(event))
    note(phase_text(event));
}

void EventPrinter::note(std::string_view text) {
  if (text.empty()) return;
  progress_.hide();
  if (env_.err.tty) lines_.end_open_line();
  env_.say(paint(env_.err, Paint::kDim, cat("· ", printable(text))));
}

void EventPrinter::line(const Stream& stream, std::string_view text) {
  const auto progress = parse_progress(text);
  if (progress && env_.err.tty) return progress_.show(*progress, env_.clock.mono());
  progress_.hide();
  lines_.put(stream, terminal_safe(text));
}

void EventPrinter::output(const Stream& stream, std::string& held, std::string_view data) {
  if (!stream.tty) return stream.write(data);
  held += data;
  size_t start = 0;
  for (size_t end = held.find('\n'); end != std::string::npos; end = held.find('\n', start)) {
    line(stream, std::string_view(held).substr(start, end + 1 - start));
    start = end + 1;
  }
  held.erase(0, start);
  if (held.empty() || must_wait(held)) return;
  progress_.hide();
  lines_.put(stream, terminal_safe(held));
  held.clear();
}

void EventPrinter::finish() {
  progress_.hide();
  lines_.put(env_.out, terminal_safe(held_out_));
  lines_.put(env_.err, terminal_safe(held_err_));
  held_out_.clear();
  held_err_.clear();
  // A colour, or text made invisible, that a run has left on would go on in the next prompt.
  for (const Stream* stream : {&env_.out, &env_.err})
    if (stream->tty) stream->write("\x1b[0m");
}

}  // namespace paddock::cli
