#include "cli/output/phases.h"

#include <algorithm>
#include <array>

#include "cli/terminal/elapsed.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr std::array<std::string_view, 8> kOrder = {
    "hash", "upload", "queue", "workspace", "environment", "run", "artifacts", "download"};

using wire::Value;

std::string json_line(const wire::Value& object) { return wire::to_json(object) + "\n"; }

// The first members of every event about a whole run.
Value::Object about(const char* type, const contracts::Run& run) {
  return {{"type", type},
          {"name", run.metadata.name},
          {"namespace", run.metadata.name_space},
          {"uid", run.metadata.uid}};
}

void add_text(Value::Object& object, const char* name, const std::string& text) {
  if (!text.empty()) object.emplace_back(name, to_utf8_lossy(text));
}

// Each line that is written for people, as an object of its own.
void write_messages(const Stream& stream, std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    stream.write(json_line(
        wire::Value::Object{{"type", "message"}, {"text", to_utf8_lossy(printable(line))}}));
  }
}

}  // namespace

Result<ProgressForm> parse_progress_form(std::string_view text) {
  if (text.empty() || text == "auto") return ProgressForm::kAuto;
  if (text == "plain") return ProgressForm::kPlain;
  if (text == "json") return ProgressForm::kJson;
  return invalid_argument("USAGE", cat("\"", to_utf8_lossy(text), "\" is not auto, plain or json"),
                          "--progress");
}

Env with_progress(const Env& env, ProgressForm form) {
  Env out = env;
  if (form != ProgressForm::kAuto) out.err.tty = out.err.colour = false;
  if (form == ProgressForm::kJson) {
    const Stream stream = env.err;
    out.err.write = [stream](std::string_view text) { write_messages(stream, text); };
  }
  return out;
}

Timings merge_timings(const Timings& ours, const std::map<std::string, int64_t>& of_node,
                      int64_t total) {
  Timings out;
  for (const std::string_view name : kOrder) {
    const auto mine = std::ranges::find(ours, name, &Timings::value_type::first);
    const auto theirs = of_node.find(std::string(name));
    if (mine != ours.end()) out.push_back(*mine);
    if (mine == ours.end() && theirs != of_node.end()) out.emplace_back(*theirs);
  }
  for (const auto& [name, ms] : of_node) {
    if (std::ranges::find(kOrder, name) == kOrder.end()) out.emplace_back(name, ms);
  }
  out.emplace_back("total", total);
  return out;
}

std::string timings_line(const Timings& timings) {
  std::vector<std::string> parts;
  for (const auto& [name, ms] : timings)
    parts.push_back(cat(printable(name), " ", elapsed_text(Millis(ms))));
  return cat("times: ", join(parts, ", "));
}

Phases::Phases(const Env& env, ProgressForm form)
    : env_(env), form_(form), start_(env.clock.mono()), phase_start_(start_) {}

void Phases::begin(const std::string& phase) {
  end();
  phase_ = phase;
  phase_start_ = env_.clock.mono();
  if (json()) write(wire::Value::Object{{"type", "phase"}, {"phase", phase}});
}

void Phases::end() {
  if (phase_.empty()) return;
  ours_.emplace_back(std::exchange(phase_, {}), (env_.clock.mono() - phase_start_).count());
}

void Phases::progress(int64_t done, int64_t total) const {
  if (!json()) return;
  write(wire::Value::Object{
      {"type", "progress"}, {"phase", phase_}, {"done", done}, {"total", total}});
}

void Phases::event(const contracts::RunEvent& event) const {
  if (!json() || event.type != contracts::kEventPhase) return;
  Result<wire::Value> value = wire::parse_json(event.data);
  if (!value.ok()) return;
  write(wire::Value::Object{{"type", "phase"}, {"phase", value->text("phase")}});
}

void Phases::created(const contracts::Run& run) const {
  if (!json()) return;
  Value::Object object = about("run", run);
  if (!run.spec.workspace.empty()) object.emplace_back("workspace", run.spec.workspace);
  write(std::move(object));
}

void Phases::artifact(const contracts::Artifact& artifact, const std::string& file) const {
  if (!json()) return;
  write(Value::Object{{"type", "artifact"},
                      {"path", to_utf8_lossy(artifact.path)},
                      {"size", artifact.size},
                      {"file", to_utf8_lossy(file)}});
}

void Phases::result(const contracts::Run& run, int exit_code) const {
  if (!json()) return;
  Value::Object object = about("result", run);
  object.emplace_back("phase", std::string(wire::enum_name(run.status.phase)));
  add_text(object, "reason", run.status.reason);
  add_text(object, "message", run.status.message);
  if (const auto& result = run.status.result) {
    object.emplace_back("status", std::string(wire::enum_name(result->status)));
    object.emplace_back("rc", result->rc);
    add_text(object, "code", result->code.value_or(""));
    object.emplace_back("durationMs", result->duration_ms);
    object.emplace_back("denials", wire::encode(result->denials));
  }
  object.emplace_back("attempt", run.status.attempt);
  object.emplace_back("artifacts", static_cast<int64_t>(run.status.artifacts.size()));
  object.emplace_back("leftOut", static_cast<int64_t>(run.status.left_out.size()));
  object.emplace_back("exitCode", exit_code);
  write(std::move(object));
}

void Phases::finish(const std::map<std::string, int64_t>& of_node) {
  end();
  const Timings all = merge_timings(ours_, of_node, (env_.clock.mono() - start_).count());
  if (!json()) return env_.say(timings_line(all));
  wire::Value::Object ms;
  for (const auto& [name, each] : all) ms.emplace_back(name, each);
  write(wire::Value::Object{{"type", "timings"}, {"ms", std::move(ms)}});
}

void Phases::write(const wire::Value& object) const { env_.err.write(json_line(object)); }

}  // namespace paddock::cli
