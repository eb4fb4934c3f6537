#include "controller/app/standby.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/readiness.h"
#include "common/http/http_client.h"
#include "common/wire/json.h"
#include "controller/app/data_folder.h"
#include "controller/app/database.h"
#include "controller/app/listening.h"
#include "controller/app/shared_files.h"
#include "controller/http_server/refusal.h"
#include "controller/http_server/server.h"

namespace paddock::app {
namespace {

constexpr Millis kLookEvery{200};

// The database is not there for a while, is a replica that is yet to be promoted, or another one
// was quicker.
bool may_pass(const Error& error) {
  return is_one_of(error.reason,
                   {"STORE_AWAY", "STORE_BUSY", "STORE_IO", "STORE_LOCKED", "STORE_READ_ONLY"});
}

// It comes from a database, and goes into a header.
bool may_be_told(const std::string& url) {
  const bool http = url.starts_with("https://") || url.starts_with("http://");
  return http && url.size() <= 512 &&
         std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7F; });
}

class Waiting {
 public:
  Waiting(Config& config, const Dependencies& dependencies, const Rest& rest,
          std::unique_ptr<store::LeadWatch> watch)
      : config_(config), dependencies_(dependencies), rest_(rest), watch_(std::move(watch)) {}
  ~Waiting() {
    if (self_) remove_self(*self_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  Result<std::unique_ptr<Controller>> wait() {
    while (true) {
      ASSIGN_OR_RETURN(const bool free, look());
      if (free) {
        auto opened = Controller::open(config_, dependencies_);
        if (opened.ok() || !goes_on(opened.error())) return opened;
      }
      TRY(serve());
      if (!rest_(kLookEvery)) return std::unique_ptr<Controller>();
    }
  }

 private:
  // Whether to wait in spite of this error. At its start a standby reports every fault; later it
  // waits for those that may pass.
  bool goes_on(const Error& error) {
    const bool waits = error.reason == "STORE_LOCKED" || (server_ && may_pass(error));
    if (waits && std::exchange(told_, error.reason.str()) != error.reason.str())
      log_warn("the lead cannot be taken now",
               {{"reason", error.reason}, {"error", error.describe()}});
    return waits;
  }

  Result<bool> look() {
    auto lead = watch_->look();
    if (!lead.ok()) {
      if (goes_on(lead.error())) return false;
      return std::move(lead).error();
    }
    if (!lead->anew && (lead->free || lead->epoch != checked_)) {
      const auto told = check_shared_files(*watch_, config_);
      if (!told.ok() && !goes_on(told.error())) return told.error();
      if (!told.ok()) return false;
      if (*told) checked_ = lead->epoch;
    }
    url_->with([&](std::string& url) { url = lead->url; });
    leader_ = lead->leader;
    return lead->free;
  }

  Status serve() {
    if (server_) return {};
    ASSIGN_OR_RETURN(http_server::ServerOptions options,
                     listening(config_, dependencies_.random, dependencies_.clock));
    const auto url = url_;
    ASSIGN_OR_RETURN(
        server_, http_server::Server::start(std::move(options), [url](http_server::Request& asked) {
          return standby_answer(asked, url->with([](const std::string& known) { return known; }));
        }));
    config_.port = server_->port(0);
    const std::string own = own_url(config_, server_->port(0));
    ASSIGN_OR_RETURN(self_,
                     write_self(config_.data_dir, own, server_->port(0), dependencies_.random));
    log_info("standby", {{"url", own}, {"leader", leader_}});
    return {};
  }

  Config& config_;
  const Dependencies& dependencies_;
  const Rest& rest_;
  std::unique_ptr<store::LeadWatch> watch_;
  std::shared_ptr<Guarded<std::string>> url_ = std::make_shared<Guarded<std::string>>();
  std::string leader_;
  int64_t checked_ = -1;  // the epoch whose files were compared last
  std::string told_;      // what kept it from leading, as the log has it
  std::unique_ptr<http_server::Server> server_;
  std::optional<SelfDescription> self_;
};

}  // namespace

Result<std::unique_ptr<Controller>> open_in_turn(Config& config, const Dependencies& dependencies,
                                                 const Rest& rest) {
  if (config.store.postgres.url_file.empty()) return Controller::open(config, dependencies);
  ASSIGN_OR_RETURN(const store::StoreOptions options, store_options(config, dependencies.random));
  ASSIGN_OR_RETURN(auto watch, store::LeadWatch::open(*options.postgres));
  return Waiting(config, dependencies, rest, std::move(watch)).wait();
}

http_server::Response standby_answer(const http_server::Request& request,
                                     const std::string& leader_url) {
  http_server::Response answer;
  if (request.path == "/livez") {
    answer.content_type = "text/plain; charset=utf-8";
    answer.body = "ok\n";
    return answer;
  }
  if (request.path == "/healthz") {
    wire::Value alive = contracts::readiness(true);
    alive.set("ready", false);
    answer.body = wire::to_json(alive);
    return answer;
  }
  const bool known = may_be_told(leader_url);
  Error error{Code::kUnavailable, "NOT_LEADER",
              cat("this controller is a standby and did nothing of this; ask ",
                  known ? leader_url : "the one that leads")};
  error.facts = {{"retryAfterSeconds", "1"}};
  if (known) error.facts.emplace_back("leader", leader_url);
  answer = http_server::refusal(error);
  answer.headers.emplace_back(http::kLeaderHeader, known ? leader_url : "elsewhere");
  return answer;
}

}  // namespace paddock::app
