#include "controller/app/controller.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "controller/api/handlers/access/first_tokens.h"
#include "controller/api/handlers/runs/receipts.h"
#include "controller/api/routes.h"
#include "controller/api/server/pipeline.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/app/database.h"
#include "controller/app/listening.h"
#include "controller/app/open_blobs.h"
#include "controller/app/profiles.h"
#include "controller/app/served_api.h"
#include "controller/app/shared_files.h"
#include "controller/app/shared_folder.h"
#include "controller/calls/relay.h"
#include "controller/http_server/certificate_files.h"
#include "controller/http_server/origin.h"
#include "controller/receipts/receipt_keys.h"
#include "controller/secrets/vault.h"
#include "controller/sessions/open_commands.h"

namespace paddock::app {
namespace {

// If the operator set no shares of the quota, each namespace may take three quarters of it, so that
// no namespace can take all.
workspaces::Shares shares_of(const Config& config) {
  workspaces::Shares shares;
  const int64_t most = config.blobs.quota.bytes;
  shares.usual = config.blobs.namespace_quota.value_or(wire::Quantity{most / 4 * 3}).bytes;
  for (const auto& [name, row] : config.scheduling.quotas) {
    if (!row.stored) continue;
    if (name == "*") {
      shares.usual = row.stored->bytes;
    } else {
      shares.own[name] = row.stored->bytes;
    }
  }
  return shares;
}

}  // namespace

Controller::Controller(const Config& config, const Dependencies& dependencies,
                       const std::optional<Takeover>& takeover)
    : config_(config),
      dependencies_(dependencies),
      takeover_(takeover),
      standby_services_(takeover ? takeover->services
                                 : std::make_shared<standby::Services>(config.max_connections)),
      notifier_(standby_services_->notifier),
      history_(standby_services_->history),
      leases_(dependencies.clock.mono(),
              {config.nodes.lease.value, config.nodes.lost_after.value}) {}

Controller::~Controller() { stop(); }

Result<std::unique_ptr<Controller>> Controller::open(const Config& config,
                                                     const Dependencies& dependencies,
                                                     const std::optional<Takeover>& takeover) {
  std::unique_ptr<Controller> controller(new Controller(config, dependencies, takeover));
  TRY(controller->read_profiles());
  TRY(controller->open_state());
  TRY(api::prepare_tokens(*controller->store_, first_tokens(config), dependencies.random));
  controller->end_open_commands();
  if (const Status settled = api::settle_receipt_keys(controller->api_->services); !settled.ok())
    log_warn("a rotation of the key of receipts did not end",
             {{"error", settled.error().describe()}});
  if (const Status known = api::publish_receipt_keys(controller->api_->services); !known.ok())
    log_warn("no receipts are signed",
             {{"reason", known.error().reason}, {"message", known.error().message}});
  TRY(controller->log_findings());
  return controller;
}

Status Controller::read_profiles() {
  ASSIGN_OR_RETURN(profiles_, profiles_of(config_));
  return {};
}

Status Controller::open_state() {
  ASSIGN_OR_RETURN(store::StoreOptions options, store_options(config_, dependencies_.random));
  if (options.postgres) {
    options.postgres->on_fenced = dependencies_.on_fenced;
    options.postgres->on_lead_confirmed = [this](bool confirmed) { lead_confirmed(confirmed); };
  }
  options.on_commit = [this](const std::vector<std::string>& topics) {
    metrics_.count_commit();
    notifier_.notify(topics);
  };
  options.on_measured = [this](Micros took, const auto& measures) {
    metrics_.count_batch(took, measures);
  };
  options.on_changes = [this](std::vector<store::ObjectWrite> changes) {
    api::announce(std::move(changes), *calls_, history_);
  };
  ASSIGN_OR_RETURN(store_, store::Store::open(options));
  if (options.postgres) {
    ASSIGN_OR_RETURN(database_, store::LeadWatch::open(*options.postgres));
  }
  TRY(begin_history());
  reconciler_ = std::make_unique<reconciler::Reconciler>(
      *store_, leases_,
      reconciler::Settings{config_.scheduling, config_.retention, config_.max_runs_per_namespace});
  look_back();
  TRY(open_files());
  return open_api();
}

// Counting all files takes long where they lie on another host. So where another controller may
// take over, or the files are elsewhere, the start does not wait for the count.
Status Controller::open_files() {
  ASSIGN_OR_RETURN(OpenedBlobs opened,
                   open_blobs(config_, dependencies_.clock, dependencies_.random));
  blobs_ = std::move(opened.blobs);
  stop_blobs_ = std::move(opened.stop);
  const workspaces::BlobLimits limits{config_.blobs.max_blob.bytes, config_.blobs.quota.bytes,
                                      config_.blobs.min_free.bytes, config_.blobs.max_tree.bytes};
  std::optional<int64_t> told;
  if (blobs_->remote() || !config_.store.postgres.url_file.empty()) {
    ASSIGN_OR_RETURN(told, workspaces::FileCount::told(*store_));
  }
  ASSIGN_OR_RETURN(intake_, workspaces::BlobIntake::open(*blobs_, opened.folder, limits, told));
  file_count_ = std::make_unique<workspaces::FileCount>(*store_, *blobs_, *intake_);
  sweeper_ =
      std::make_unique<workspaces::Sweeper>(*store_, *blobs_, config_.blobs.keep_unused.value);
  stored_ = std::make_shared<workspaces::StoredBytes>(
      *store_, *blobs_, shares_of(config_), config_.blobs.keep_unused.value, dependencies_.clock);
  return {};
}

// Opens the API, with the parts that only a leading controller has.
Status Controller::open_api() {
  ASSIGN_OR_RETURN(api_, make_api(config_, dependencies_, *standby_services_,
                                  {*store_, leases_, *blobs_, *intake_, metrics_, *reconciler_,
                                   std::move(profiles_)}));
  api::Services& services = api_->services;
  services.ceilings = config_.ceilings;
  services.volumes = {config_.volumes.keep_versions, config_.volumes.per_namespace};
  services.media = {config_.media.provider_url, config_.media.timeout.value, config_.sandbox_mode};
  services.data_dir = config_.data_dir;
  services.vault = std::make_shared<secrets::Vault>(os::join_path(config_.data_dir, "secrets.key"));
  const std::string& shared = config_.store.postgres.shared_dir;
  services.receipt_keys = std::make_shared<receipts::ReceiptKeys>(
      os::join_path(config_.data_dir, "receipt-keys.pem"),
      shared.empty() ? shared : os::join_path(shared, "receipt-keys.pem"));
  services.backed_up_elsewhere = !config_.store.postgres.url_file.empty();
  services.calls = calls_;
  services.stored = stored_;
  constexpr Millis kNodePatience{3'000};  // as long as one may be away whose agent hung up
  services.node_patience = kNodePatience;
  services.execute = {config_.execute.default_timeout_seconds, config_.execute.max_memory_mb};
  services.compute_types = contracts::compute_artifact_types(config_.artifacts.compute_types);
  return {};
}

// The newest times in the store show whether the calendar leapt while no controller was running.
void Controller::look_back() {
  const auto ahead = reconciler_->look_back(nodes::now(dependencies_.clock));
  if (!ahead)
    log_warn("the newest record cannot be read; nothing is forgotten for its age for an hour",
             {{"error", ahead.error().describe()}});
  if (ahead.ok() && *ahead > Millis(0))
    log_info(
        "nothing was recorded for long, or the clock is wrong; nothing is forgotten for its age "
        "for "
        "an hour",
        {{"since", format_duration(*ahead)}, {"now", format_time(dependencies_.clock.wall())}});
}

// All who wait here for news are woken, so that they ask the one that leads by now. If that is this
// one again, it could hear no agent meanwhile.
void Controller::lead_confirmed(bool confirmed) {
  if (confirmed) {
    leases_.begin_anew(dependencies_.clock.mono());
    return history_.reopen();
  }
  history_.close({Code::kUnavailable, "NOT_LEADER",
                  "the database has not confirmed for too long that this controller leads; watch "
                  "on from here at the one that leads"});
  calls_->nodes_changed();
  notifier_.notify_all();
}

// Watches begin here: what happened before this start is not history, unless a standby has heard
// it, all of what this store has: its feed may have asked another server.
Status Controller::begin_history() {
  if (takeover_) TRY(takeover_->catch_up());
  return store_->read([this](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const int64_t version, txn.resource_version());
    if (takeover_ && version == history_.up_to()) return {};
    history_.begin(version);
    notifier_.notify_all();
    return {};
  });
}

// A store that takes nothing now is no reason not to start.
void Controller::end_open_commands() {
  int64_t ended = 0;
  const Status written = store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(ended, sessions::end_open_commands(txn, dependencies_.clock.wall()));
    return {};
  });
  if (!written)
    log_warn("the ends of commands could not be recorded", {{"error", written.error().describe()}});
  if (ended > 0)
    log_info("commands ended with the controller before", {{"count", std::to_string(ended)}});
}

void Controller::take_secret_keys() {
  const auto shared = shared_secret_keys(config_);
  if (shared.ok() && shared->empty()) return;
  const auto taken =
      shared.ok() ? api_->services.vault->add_known(*shared, *store_) : shared.error();
  if (!taken.ok())
    log_warn("keys of Secrets in the shared folder were not taken",
             {{"reason", taken.error().reason}, {"error", taken.error().describe()}});
  if (taken.ok() && *taken) log_info("took keys of Secrets that controllers share");
}

Status Controller::log_findings() {
  size_t waiting = 0;
  size_t placed = 0;
  size_t nodes = 0;
  int64_t finished = 0;
  int64_t version = 0;
  TRY(store_->read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto active, txn.active_runs());
    for (const contracts::Run& run : active) {
      if (contracts::is_array(run.spec)) continue;  // its elements are counted
      ++(run.status.phase == contracts::RunPhase::kPending ? waiting : placed);
    }
    ASSIGN_OR_RETURN(const auto known, txn.list<contracts::Node>({}));
    nodes = known.items.size();
    ASSIGN_OR_RETURN(finished, txn.finished_count());
    ASSIGN_OR_RETURN(version, txn.resource_version());
    return {};
  }));
  take_secret_keys();
  if (const Status keys = api_->services.vault->check(*store_); !keys.ok())
    log_warn("runs get no secrets",
             {{"reason", keys.error().reason}, {"message", keys.error().message}});
  (void)api_->services.vault->tell(*store_);  // a full disk is no reason not to start
  log_info("opened the store", {{"runs_waiting", std::to_string(waiting)},
                                {"runs_placed", std::to_string(placed)},
                                {"runs_finished", std::to_string(finished)},
                                {"nodes", std::to_string(nodes)},
                                {"resource_version", std::to_string(version)},
                                {"blob_bytes", std::to_string(intake_->used())}});
  return {};
}

void Controller::take_over(std::unique_ptr<Front> front, std::shared_ptr<void> former) {
  front_ = std::move(front);
  former_ = std::move(former);
  takeover_.reset();
}

Status Controller::tell_files() {
  if (config_.store.postgres.url_file.empty()) return {};
  return tell_shared_files(*store_, config_, dependencies_.random);
}

Result<std::string> Controller::start() {
  if (front_) {
    front_->serve(api_->handler);
  } else {
    ASSIGN_OR_RETURN(http_server::ServerOptions options,  // makes the CA, which is told
                     listening(config_, dependencies_.random, dependencies_.clock));
    TRY(tell_files());
    ASSIGN_OR_RETURN(front_, Front::open(std::move(options), api_->handler));
  }
  TRY(start_execute_port());
  return own_url(config_, port());
}

namespace {

// Makes an error name the port of `execute`, and not the one of the API.
Error of_execute(Error error) {
  for (Cause& cause : error.causes) cause.field = cat("execute.", cause.field);
  return error;
}

}  // namespace

// On loopback this port is open without a token, since its clients have none. On any other address
// it asks for a token, and speaks TLS.
Status Controller::start_execute_port() {
  if (config_.execute.port == 0) return {};
  const bool open = http_server::is_loopback_name(config_.execute.host);
  ASSIGN_OR_RETURN(api::Router router, api::Router::build(api::execute_routes(open)));
  execute_router_ = std::make_unique<api::Router>(std::move(router));
  http_server::ServerOptions options;
  options.listen.emplace_back();
  options.listen[0].host = config_.execute.host;
  options.listen[0].port = static_cast<int>(config_.execute.port);
  if (!open) {
    ASSIGN_OR_RETURN(options.listen[0].tls,
                     http_server::prepare_tls(certificate_settings(config_), dependencies_.random,
                                              dependencies_.clock.wall()));
    options.plain_paths = {"/health", "/livez"};
    options.allowed_origins = config_.allowed_origins;  // where no token is asked for, no page may
  }
  options.allowed_hosts = config_.allowed_hosts;
  options.wall = [this] { return dependencies_.clock.wall(); };
  auto server = http_server::Server::start(std::move(options),
                                           api::make_handler(*execute_router_, api_->services));
  if (!server.ok()) return of_execute(server.error());
  execute_server_ = std::move(*server);
  return {};
}

void Controller::look_at_clock() {
  if (!database_) return;
  const WallTime before = dependencies_.clock.wall();
  const auto lead = database_->look();
  if (lead.ok()) clock_.look(lead->clock, before, dependencies_.clock.wall());
}

void Controller::write_later() { api_->services.later->serve(*store_); }

http_server::Response Controller::handle(http_server::Request& request) {
  return api_->handler(request);
}

int Controller::port() const { return front_ ? front_->port() : 0; }

Result<reconciler::TickReport> Controller::step() {
  seen_ = notifier_.version(store::kSchedulerTopic);  // before looking, so that no wake-up is lost
  look();
  return reconciler_->tick(nodes::now(dependencies_.clock));
}

void Controller::look() {
  const Millis away = reconciler_->look(nodes::now(dependencies_.clock));
  if (away > Millis(0))
    log_warn("this controller was stopped, or its host or disk was; leases begin anew",
             {{"away", format_duration(away)}});
}

// Wakes now and then to see that it lives.
bool Controller::wait_for_work(Millis limit) {
  const MonoTime end = dependencies_.clock.mono() + std::max(limit, Millis(1));
  bool woken = false;
  while (!woken && !notifier_.stopped() && dependencies_.clock.mono() < end) {
    const Millis nap = std::min(end - dependencies_.clock.mono(), reconciler_->look_every());
    woken = notifier_.wait(store::kSchedulerTopic, seen_, std::max(nap, Millis(1)));
    look();
  }
  return !notifier_.stopped();
}

bool Controller::rest(Millis limit) {
  const MonoTime end = dependencies_.clock.mono() + limit;
  while (!notifier_.stopped() && dependencies_.clock.mono() < end) {
    const uint64_t seen = notifier_.version("sweeper");
    notifier_.wait("sweeper", seen, end - dependencies_.clock.mono());
  }
  return !notifier_.stopped();
}

void Controller::stop() {
  if (!takeover_) notifier_.shutdown();
  stop_blobs_();
  if (execute_server_) execute_server_->stop();
  execute_server_.reset();
  if (front_) front_->stop();
  front_.reset();
  if (api_) api_->services.later->stop();
}

}  // namespace paddock::app
