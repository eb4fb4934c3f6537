// The controller as one object: everything wired up, no thread of its own beside the HTTP server's.
// start() makes it serve, step() does one round of its own work; main() and the simulator call it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controller/api/metrics/metrics.h"
#include "controller/api/server/router.h"
#include "controller/api/server/services.h"
#include "controller/app/config.h"
#include "controller/app/front.h"
#include "controller/calls/relay.h"
#include "controller/reconciler/reconciler.h"
#include "controller/standby/database_clock.h"
#include "controller/standby/services.h"
#include "controller/store/lead_watch.h"
#include "controller/workspaces/blob_intake.h"
#include "controller/workspaces/file_count.h"
#include "controller/workspaces/stored_bytes.h"
#include "controller/workspaces/sweeper.h"

namespace paddock::app {

struct ServedApi;

struct Dependencies {
  const Clock& clock;
  Random& random;  // thread-safe
  // Another controller leads the database now: this one has to end. Any thread.
  std::function<void()> on_fenced = {};
};

// What a standby hands to the leader that it becomes. `catch_up` tells watches the former leader's
// last changes, which the standby has not told them yet.
struct Takeover {
  std::shared_ptr<standby::Services> services;
  std::function<Status()> catch_up;
};

class Controller {
 public:
  // Opens the store and the blobs in the data folder. The folder's lock is the caller's business.
  static Result<std::unique_ptr<Controller>> open(const Config& config,
                                                  const Dependencies& dependencies,
                                                  const std::optional<Takeover>& takeover = {});
  ~Controller();

  // Tells the others on its database which files they must have. By start() unless it took over.
  Status tell_files();
  // Before start(): to serve where a standby did. `former`: who still answers what it was asked.
  void take_over(std::unique_ptr<Front> front, std::shared_ptr<void> former);
  // Begins to listen, unless it took over; answers with the URL.
  Result<std::string> start();
  int port() const;
  // Schedules, expires, times out. Says when to call again at the latest.
  Result<reconciler::TickReport> step();
  // Waits for something to do: a commit that touches the scheduler, or `limit`. False once stopped.
  bool wait_for_work(Millis limit);
  // Removes files that nothing needs any more. Beside step(), but one at a time.
  // Nothing while the calendar may be wrong: what lies there for long is known by it alone.
  Result<workspaces::Swept> sweep() {
    const nodes::Now now = nodes::now(dependencies_.clock);
    return reconciler_->may_forget(now) ? sweeper_->sweep(now.wall) : workspaces::Swept{};
  }
  // Takes keys of Secrets that were put into the shared folder since, as far as the store needs
  // them. Beside everything.
  void take_secret_keys();
  // Compares this host's clock with the database's, if there is one. Beside everything, one at a
  // time.
  void look_at_clock();
  // Counts what each namespace has stored. Beside everything.
  Status count_stored() { return stored_->count_all(); }
  // Counts all files, and anew. Beside everything, one at a time. A controller that took over
  // serves before.
  Status begin_file_count() { return file_count_->begin(); }
  Status count_files() { return file_count_->count(); }
  // Tells the next leader how much it was. Beside everything, one at a time.
  Status tell_file_count() { return file_count_->tell(); }
  // Writes records that nobody waits for, until the end; then what is left.
  void write_later();
  // False once stopped, true after `limit`.
  bool rest(Millis limit);
  // Ends every wait and stream, then the server. Any thread; once.
  void stop();

  store::Store& store() { return *store_; }
  // Answers one request without a socket, for tests and the simulator.
  http_server::Response handle(http_server::Request& request);

 private:
  Controller(const Config& config, const Dependencies& dependencies,
             const std::optional<Takeover>& takeover);
  Status read_profiles();
  Status open_state();
  Status open_api();
  Status begin_history();
  void lead_confirmed(bool confirmed);
  void look_back();
  Status log_findings();
  Status open_files();
  Status start_execute_port();
  void end_open_commands();
  void look();

  Config config_;
  Dependencies dependencies_;
  std::shared_ptr<void> former_;
  std::optional<Takeover> takeover_;  // as long as all of that is the standby's
  const std::shared_ptr<standby::Services> standby_services_;
  events::Notifier& notifier_;
  events::WatchHistory& history_;
  std::shared_ptr<calls::Relay> calls_ = std::make_shared<calls::Relay>();
  nodes::LeaseTable leases_;
  api::Metrics metrics_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<store::LeadWatch> database_;
  standby::ClockWatch clock_;
  std::unique_ptr<reconciler::Reconciler> reconciler_;
  std::unique_ptr<cas::Blobs> blobs_;
  std::function<void()> stop_blobs_ = [] {};
  std::unique_ptr<workspaces::BlobIntake> intake_;
  std::unique_ptr<workspaces::FileCount> file_count_;
  std::unique_ptr<workspaces::Sweeper> sweeper_;
  std::shared_ptr<workspaces::StoredBytes> stored_;
  std::unique_ptr<ServedApi> api_;
  std::unique_ptr<Front> front_;
  std::unique_ptr<api::Router> execute_router_;
  std::unique_ptr<http_server::Server> execute_server_;
  contracts::Profiles profiles_;
  uint64_t seen_ = 0;  // of the scheduler's topic
};

}  // namespace paddock::app
