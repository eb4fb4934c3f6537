#include "cli/pool/slurm.h"

#include <array>

#include "cli/pool/pilot_script.h"
#include "common/base/control_text.h"
#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr size_t kMostQueue = size_t{8} << 20;
constexpr size_t kMostSaid = 400;

// The message of one of Slurm's commands, as one line of plain text.
std::string said(std::string_view text) {
  std::string out;
  for (const char c : to_utf8_lossy(trim(text)).substr(0, kMostSaid))
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  std::string plain = to_utf8_lossy(out);
  return has_control(plain) ? "(unprintable)" : plain;
}

Error failed(const std::string& program, const ProgramEnd& end) {
  return {Code::kInternal, "PROGRAM_FAILED", cat(program, ": ", said(end.err))};
}

std::map<std::string, std::string> passed_on(const std::map<std::string, std::string>& all) {
  constexpr std::array kPassed = {"PATH", "HOME", "USER", "LOGNAME", "SLURM_CONF", "KRB5CCNAME"};
  std::map<std::string, std::string> out{{"LC_ALL", "C"}, {"SLURM_TIME_FORMAT", kQueueTimes}};
  for (const char* name : kPassed) {
    const auto found = all.find(name);
    if (found != all.end()) out.insert(*found);
  }
  return out;
}

}  // namespace

Slurm::Slurm(const PoolSettings& settings, const std::map<std::string, std::string>& variables,
             const Clock& clock)
    : settings_(settings), env_(passed_on(variables)), clock_(clock) {}

Result<ProgramEnd> Slurm::end_of(const std::string& program, std::vector<std::string> words,
                                 std::string input) const {
  BoundedProgram wanted;
  wanted.argv = {os::join_path(settings_.slurm.bin_dir, program)};
  wanted.argv.insert(wanted.argv.end(), words.begin(), words.end());
  wanted.env = env_;
  wanted.input = std::move(input);
  wanted.most_output = kMostQueue;
  return run_bounded(wanted, clock_);
}

Result<std::string> Slurm::run(const std::string& program, std::vector<std::string> words,
                               std::string input) const {
  ASSIGN_OR_RETURN(ProgramEnd end, end_of(program, std::move(words), std::move(input)));
  if (end.status == 0) return std::move(end.out);
  return failed(program, end);
}

Result<Queue> Slurm::queue() const {
  ASSIGN_OR_RETURN(const std::string text,
                   run("squeue", {"--me", "--noheader", cat("--format=", kQueueFormat)}, ""));
  return parse_queue(settings_.name, text);
}

Result<Submitted> Slurm::submit(const std::string& key, const PilotSize& size) const {
  ASSIGN_OR_RETURN(const ProgramEnd end,
                   end_of("sbatch", sbatch_words(settings_, key, size), pilot_script(settings_)));
  const Error error = failed("sbatch", end);
  if (end.status != 0 && is_refusal(end.err)) return Submitted{"", error.message};
  if (end.status != 0) return error;
  if (const auto job = parse_submitted(end.out)) return Submitted{*job, ""};
  return Error{Code::kInternal, "PROGRAM_FAILED",
               cat("sbatch printed no job's id: ", said(end.out))};
}

Status Slurm::cancel(const Pilot& pilot) const {
  const auto done = run("scancel", {"--me", cat("--name=", pilot.name), pilot.job}, "");
  return done.ok() ? Status() : Status(done.error());
}

}  // namespace paddock::cli
