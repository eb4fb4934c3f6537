// How far a run is, phase by phase: ours (hash, upload, download) and the node's (queue, workspace,
// environment, run, artifacts). For people, or one JSON object per line for programs:
//
//   {"type":"run","name":"job-x7k2p","namespace":"default"}  once, when it is created
//   {"type":"phase","phase":"upload"}                        a phase begins
//   {"type":"progress","phase":"upload","done":1,"total":9}  bytes
//   {"type":"message","text":"…"}                            what people would have read
//   {"type":"artifact","path":"out/a.txt","size":3,"file":"/here/out/a.txt"}  as it comes back
//   {"type":"timings","ms":{"hash":3,…,"total":99}}          once, near the end
//   {"type":"result","phase":"Succeeded","rc":0,…,"exitCode":0}  the last one, if the end is known
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/env.h"
#include "common/contracts/events.h"
#include "common/contracts/run.h"
#include "common/wire/value.h"

namespace paddock::cli {

enum class ProgressForm { kAuto, kPlain, kJson };
Result<ProgressForm> parse_progress_form(std::string_view text);

// `env` with a stderr for this form: never redrawn, or every line a JSON object.
Env with_progress(const Env& env, ProgressForm form);

// `times: hash 3ms, upload 12ms, … total 99ms`: ours in order, the node's where they belong. Pure.
using Timings = std::vector<std::pair<std::string, int64_t>>;
Timings merge_timings(const Timings& ours, const std::map<std::string, int64_t>& of_node,
                      int64_t total);
std::string timings_line(const Timings& timings);

class Phases {
 public:
  // `env` is the one before with_progress().
  Phases(const Env& env, ProgressForm form);
  // Ours; it ends when the next one begins or at end().
  void begin(const std::string& phase);
  void end();
  void progress(int64_t done, int64_t total) const;
  void event(const contracts::RunEvent& event) const;  // the run's phases, for programs
  void created(const contracts::Run& run) const;
  void artifact(const contracts::Artifact& artifact, const std::string& file) const;
  void finish(const std::map<std::string, int64_t>& of_node);
  // `exit_code`: what this command ends with.
  void result(const contracts::Run& run, int exit_code) const;
  bool json() const { return form_ == ProgressForm::kJson; }

 private:
  void write(const wire::Value& object) const;

  const Env& env_;
  const ProgressForm form_;
  const MonoTime start_;
  std::string phase_;
  MonoTime phase_start_;
  Timings ours_;
};

}  // namespace paddock::cli
