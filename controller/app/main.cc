// paddock-controller: the API, the store and the scheduler of one installation.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <thread>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/version.h"
#include "common/os/environment.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "common/os/lock_holder.h"
#include "common/os/signals.h"
#include "common/os/start_report.h"
#include "common/os/start_reserve.h"
#include "common/os/stop_deadline.h"
#include "controller/app/check.h"
#include "controller/app/controller.h"
#include "controller/app/database.h"
#include "controller/app/flags.h"
#include "controller/app/migrate_store.h"
#include "controller/app/open_blobs.h"
#include "controller/app/own_files.h"
#include "controller/app/self_description.h"
#include "controller/app/shared_folder.h"
#include "controller/app/standby.h"
#include "controller/store/backup.h"
#include "controller/store/move_store.h"
#include "controller/workspaces/blob_backup.h"

namespace paddock::app {
namespace {

constexpr Millis kLongestRest{5000};
constexpr Millis kAfterFailure{1000};
constexpr Millis kSweepEvery = std::chrono::minutes(30);
constexpr Millis kStop{14'000};  // an orderly stop; its unit, and `paddock down`, wait for longer
constexpr Millis kMinute = std::chrono::minutes(1);

Result<Config> configuration(const Flags& flags) {
  std::string text;
  if (!flags.config_file.empty()) {
    auto read = os::read_file(flags.config_file, 1 << 20);
    if (!read.ok())
      return invalid_argument("CONFIG_INVALID",
                              cat(flags.config_file, ": ", read.error().describe()), "--config");
    text = std::move(read).value();
  }
  std::map<std::string, std::string> variables = os::environment();
  for (const auto& [name, value] : flags.overrides) variables[name] = value;
  return load_config(text, variables, {flags.config_file, flags.names});
}

LogLevel log_level(const std::string& name) {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "warn") return LogLevel::kWarn;
  return name == "error" ? LogLevel::kError : LogLevel::kInfo;
}

// Signals that end the program are waited for, not handled. Set before any thread exists.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  os::ignore_signals_of_writes();
  return signals;
}

// A descriptor per connection: take all that the host allows.
void raise_descriptor_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) log_warn("the descriptor limit stays as it is");
}

// Each agent and watcher that waits is a thread that sleeps on a futex. A process has four buckets
// of them per processor, and waking one looks through all that share its bucket: have many. Of
// Linux 6.16 (prctl(2), PR_FUTEX_HASH); an older one has a single table for all processes.
void spread_sleepers() {
  constexpr int kFutexHash = 78;
  constexpr unsigned long kSetSlots = 1;
  constexpr unsigned long kSlots = 8192;  // of 64 B
  (void)::prctl(kFutexHash, kSetSlots, kSlots, 0UL, 0UL);
}

void log_round(const reconciler::TickReport& report) {
  log(LogLevel::kDebug, "a round of scheduling",
      {{"bound", std::to_string(report.bound)},
       {"waiting", std::to_string(report.waiting)},
       {"lost", std::to_string(report.lost)},
       {"expired", std::to_string(report.expired)},
       {"evicted", std::to_string(report.evicted)},
       {"next_ms", std::to_string(report.next.count())}});
}

// The controller's own work, until it stops.
void work(Controller& controller) {
  Millis rest{0};
  while (controller.wait_for_work(rest)) {
    const Result<reconciler::TickReport> report = controller.step();
    if (!report) log_error("a round of scheduling failed", {{"error", report.error().describe()}});
    if (report) log_round(*report);
    rest = report ? std::min(report->next, kLongestRest) : kAfterFailure;
  }
}

void count_stored(Controller& controller) {
  const Status counted = controller.count_stored();
  if (!counted) log_error("stored files were not counted", {{"error", counted.error().describe()}});
}

// False once it ends.
bool count_files(Controller& controller) {
  while (true) {
    const Status counted = controller.begin_file_count();
    if (counted.ok()) return true;
    log_warn("files were not counted; it is tried again",
             {{"reason", counted.error().reason}, {"error", counted.error().describe()}});
    if (!controller.rest(kAfterFailure)) return false;
  }
}

void count_files_anew(Controller& controller) {
  const Status counted = controller.count_files();
  if (!counted.ok()) log_warn("files were not counted anew", {{"reason", counted.error().reason}});
}

// Sweeps now and then; the first one only after a while, when agents have reported again.
void clean(Controller& controller) {
  if (!count_files(controller)) return;
  count_stored(controller);
  while (controller.rest(kSweepEvery)) {
    const auto swept = controller.sweep();
    if (!swept) log_error("a sweep failed", {{"error", swept.error().describe()}});
    if (swept && swept->blobs > 0) {
      log_info("removed files that nothing needs",
               {{"files", std::to_string(swept->blobs)}, {"bytes", format_bytes(swept->bytes)}});
    }
    count_files_anew(controller);
    count_stored(controller);
  }
}

void tell_file_count(Controller& controller) {
  const Status told = controller.tell_file_count();
  if (!told.ok()) log_warn("what files take was not recorded", {{"reason", told.error().reason}});
}

void do_each_minute(Controller& controller) {
  do {
    controller.look_at_clock();
    tell_file_count(controller);
    controller.take_secret_keys();
  } while (controller.rest(kMinute));
  tell_file_count(controller);
}

Result<os::LockFile> lock_data_dir(const Config& config) {
  const std::string path = os::join_path(config.data_dir, "controller.lock");
  Result<os::LockFile> lock = os::LockFile::acquire(path);
  if (lock.ok() || lock.error().reason != "LOCK_HELD") return lock;
  return Error{Code::kFailedPrecondition, "LOCK_HELD",
               cat("another controller", os::lock_holder(path),
                   " uses this data folder; stop it or choose another data folder")};
}

// On a full disk it serves what needs no room, and says what makes some.
void make_room(const Config& config) {
  const std::string full = os::full_disk_text(os::make_room_to_start(config.data_dir));
  if (full.empty()) return;
  log_error(full, {{"reason", Reason("DISK_FULL")},
                   {"free_some",
                    "remove files beside the data folder, or old backups (backups/) in it; "
                    "then `paddock delete runs` of those that are not needed"}});
}

// False once a signal ends the program.
bool rest_unless_told(const sigset_t& signals, Millis limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const std::chrono::nanoseconds rest = limit - seconds;
  const timespec time{seconds.count(), rest.count()};
  return ::sigtimedwait(&signals, nullptr, &time) < 0;
}

Status fenced_off() {
  return Error{Code::kUnavailable, "STORE_FENCED",
               "another controller leads the database, or it was set back"};
}

Status serve(Config config) {
  const sigset_t signals = block_signals();
  raise_descriptor_limit();
  spread_sleepers();
  os::StopDeadline deadline(kStop);
  const SystemClock clock;
  SystemRandom random;
  TRY(os::make_dirs(config.data_dir, 0700));
  make_room(config);
  ASSIGN_OR_RETURN(const os::LockFile lock, lock_data_dir(config));
  TRY(take_shared_files(config));
  TRY(check_own_files(config));
  std::atomic<bool> fenced{false};
  const auto end = [&fenced] {
    fenced.store(true);
    ::kill(::getpid(), SIGTERM);
  };
  const Dependencies dependencies{clock, random, end};
  ASSIGN_OR_RETURN(const std::unique_ptr<Controller> controller,
                   open_in_turn(config, dependencies, [&signals](Millis limit) {
                     return rest_unless_told(signals, limit);
                   }));
  if (controller == nullptr) return fenced.load() ? fenced_off() : Status();
  ASSIGN_OR_RETURN(const std::string url, controller->start());
  ASSIGN_OR_RETURN(const SelfDescription self,
                   write_self(config.data_dir, url, controller->port(), random));
  log_info("ready", {{"url", url}, {"version", contracts::kProgramVersion}});
  std::thread worker([&] { work(*controller); });
  std::thread cleaner([&] { clean(*controller); });
  std::thread minutely([&] { do_each_minute(*controller); });
  std::thread recorder([&] { controller->write_later(); });
  int signal = 0;
  sigwait(&signals, &signal);
  deadline.begin(fenced.load() ? 1 : 0);
  log_info("stopping", {{"signal", std::to_string(signal)}});
  remove_self(self);
  controller->stop();
  worker.join();
  cleaner.join();
  minutely.join();
  recorder.join();
  return fenced.load() ? fenced_off() : Status();
}

// NAME.blobs beside NAME.db, of backups that have it.
Result<workspaces::RestoredBlobs> restore_blobs(const Config& config, const std::string& backup) {
  const std::string stem = backup.ends_with(".db") ? backup.substr(0, backup.size() - 3) : backup;
  const SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN(const OpenedBlobs opened, open_blobs(config, clock, random));
  ASSIGN_OR_RETURN(const auto store, store::Store::open({store_file(config)}));
  return workspaces::restore_blobs(*store, *opened.blobs, stem + ".blobs");
}

Status restore(const Config& config, const std::string& given) {
  if (!config.store.postgres.url_file.empty()) return store::backed_up_elsewhere();
  TRY(store::check_not_moving(store_file(config)));
  const std::string backup = store::backup_file(config.data_dir, given);
  const SystemClock clock;
  ASSIGN_OR_RETURN(const store::Restored restored,
                   store::restore(backup, store_file(config), clock.wall()));
  ASSIGN_OR_RETURN(const workspaces::RestoredBlobs blobs, restore_blobs(config, backup));
  for (const workspaces::BlobFault& fault : blobs.faults) {
    log_warn(fault.damaged ? "a file that the store names is damaged"
                           : "a file that the store names is missing",
             {{"digest", fault.digest}});
  }
  log_info("restored", {{"runs_given_up", std::to_string(restored.given_up)},
                        {"backup", backup},
                        {"former_store", restored.kept},
                        {"files_put_back", std::to_string(blobs.put_back)},
                        {"files_lost", std::to_string(blobs.faults.size())}});
  return {};
}

Status migrate(const Config& config, store::MoveTo to) {
  TRY(check_may_move(config, to));
  ASSIGN_OR_RETURN(const os::LockFile lock, lock_data_dir(config));
  return migrate_store(config, to);
}

Status do_as_told(const Config& config, const Flags& flags) {
  if (!flags.make_shared_files.empty()) {
    SystemRandom random;
    return make_shared_files(flags.make_shared_files, SystemClock(), random);
  }
  if (flags.migrate_store) return migrate(config, *flags.migrate_store);
  return flags.restore.empty() ? serve(config) : restore(config, flags.restore);
}

// Whether all of it went out: what nobody can read is no answer.
bool print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return true;
  const std::string why = system_error("writing the answer", errno).describe();
  std::fprintf(stderr, "paddock-controller: %s\n", why.c_str());
  return false;
}

int tell(const Flags& flags, const std::vector<Finding>& findings) {
  const std::string text =
      flags.check == Flags::Check::kJson ? findings_json(findings) + "\n" : findings_text(findings);
  return print(text) && all_good(findings) ? 0 : 1;
}

int run(const std::vector<std::string>& args) {
  const os::Fd starter = os::take_start_report();
  const Result<Flags> flags = parse_flags(args);
  if (!flags) {
    std::fprintf(stderr, "paddock-controller: %s\n", flags.error().describe().c_str());
    return 2;
  }
  if (flags->help || flags->version) {
    const std::string version = cat("paddock-controller ", contracts::kProgramVersion, "\n");
    return print(flags->help ? usage() : version) ? 0 : 1;
  }
  const Result<Config> config = configuration(*flags);
  const bool checks = flags->check != Flags::Check::kNo;
  if (!config && checks) return tell(*flags, {check_failed(config.error())});
  if (!config) {
    std::fprintf(stderr, "paddock-controller: %s\n", config.error().describe().c_str());
    os::report_start_failure(starter, config.error());
    return 2;
  }
  set_log_level(log_level(config->log_level));
  if (checks) return tell(*flags, check(*config, SystemClock()));
  const Status served = do_as_told(*config, *flags);
  if (served.ok()) return 0;
  os::report_start_failure(starter, served.error());
  log_error("ended", {{"reason", served.error().reason}, {"error", served.error().describe()}});
  return 1;
}

}  // namespace
}  // namespace paddock::app

int main(int argc, char** argv) {
  return paddock::app::run(std::vector<std::string>(argv + 1, argv + argc));
}
