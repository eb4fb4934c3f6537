#include "bench/control/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <set>

#include "bench/control/give_up.h"
#include "common/base/text.h"
#include "common/os/environment.h"
#include "common/os/file.h"
#include "common/os/process.h"

namespace paddock::bench {
namespace {

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> out;
  for (std::string& word : split(line, ' '))
    if (!word.empty()) out.push_back(std::move(word));
  return out;
}

double number(const std::string& word) {
  return static_cast<double>(parse_integer<int64_t>(word).value_or(0));
}

double ticks_to_ms(double ticks) {
  return ticks * 1000 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double status_field(pid_t pid, const std::string& name) {
  const auto text = os::read_file(cat("/proc/", pid, "/status"));
  if (!text.ok()) return 0;
  for (const std::string& line : split(*text, '\n')) {
    if (!line.starts_with(name + ":")) continue;
    const std::string value(trim(std::string_view(line).substr(name.size() + 1)));
    return number(value.substr(0, value.find(' ')));
  }
  return 0;
}

bool ended_well(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

double cpu_ms(pid_t pid) {
  const auto text = os::read_file(cat("/proc/", pid, "/stat"));
  if (!text.ok()) return 0;
  const auto fields = fields_of(std::string_view(*text).substr(text->rfind(')') + 1));
  if (fields.size() < 15) return 0;
  return ticks_to_ms(number(fields[11]) + number(fields[12]) + number(fields[13]) +
                     number(fields[14]));
}

double own_cpu_ms() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

double machine_cpu_ms() {
  const auto text = os::read_file("/proc/stat");
  if (!text.ok()) return 0;
  const auto fields = fields_of(std::string_view(*text).substr(0, text->find('\n')));
  double ticks = 0;
  for (const size_t each : {1U, 2U, 3U, 6U, 7U})
    if (each < fields.size()) ticks += number(fields[each]);
  return ticks_to_ms(ticks);
}

double memory_mib(pid_t pid) { return status_field(pid, "VmRSS") / 1024; }
double peak_memory_mib(pid_t pid) { return status_field(pid, "VmHWM") / 1024; }
int threads_of(pid_t pid) { return static_cast<int>(status_field(pid, "Threads")); }

namespace {

// What a benchmark that gives up leaves: processes that run, folders.
struct Leftovers {
  std::set<pid_t> processes;
  std::set<std::string> folders;
};
Leftovers& leftovers() {
  static Leftovers all;
  return all;
}
void clean_up() {
  for (const pid_t pid : leftovers().processes) ::kill(pid, SIGKILL);
  for (const std::string& folder : leftovers().folders) (void)os::remove_tree(folder);
}
void clean_up_at_exit() {
  static const bool registered = (leftovers(), std::atexit(&clean_up)) == 0;
  require(registered, "atexit");
}

}  // namespace

Process::Process(std::vector<std::string> argv, std::map<std::string, std::string> environment,
                 const std::string& log) {
  const os::Fd out(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  require(out.valid(), "a log file cannot be made");
  os::SpawnOptions options;
  options.argv = std::move(argv);
  options.env = os::environment();
  for (auto& [name, value] : environment) options.env[name] = value;
  options.env.erase("PADDOCK_BIN_DIR");
  options.env.erase("PADDOCK_SOURCE_DIR");
  options.stdout_fd = options.stderr_fd = out.get();
  clean_up_at_exit();
  pid_ = value_of(os::spawn(options), "starting a program");
  leftovers().processes.insert(pid_);
}

Process::~Process() { stop(SIGTERM); }

void Process::stop(int signal) {
  if (pid_ < 0) return;
  ::kill(pid_, signal);
  (void)ended_well(pid_);
  leftovers().processes.erase(pid_);
  pid_ = -1;
}

bool run_program(const std::vector<std::string>& argv,
                 const std::map<std::string, std::string>& more_environment, int out) {
  os::SpawnOptions options;
  options.argv = argv;
  options.env = os::environment();
  for (const auto& [name, value] : more_environment) options.env[name] = value;
  options.stdout_fd = out >= 0 ? out : STDOUT_FILENO;
  options.stderr_fd = out >= 0 ? out : STDERR_FILENO;
  const auto pid = os::spawn(options);
  return pid.ok() && ended_well(*pid);
}

Folder::Folder() {
  clean_up_at_exit();
  char name[] = "/tmp/paddock-bench-XXXXXX";
  require(::mkdtemp(name) != nullptr, "no folder could be made");
  path_ = name;
  leftovers().folders.insert(path_);
}

Folder::~Folder() {
  (void)os::remove_tree(path_);
  leftovers().folders.erase(path_);
}

}  // namespace paddock::bench
