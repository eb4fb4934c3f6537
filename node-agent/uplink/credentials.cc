#include "node-agent/uplink/credentials.h"

#include <sys/stat.h>

#include <algorithm>

#include "common/base/log.h"
#include "common/client/node_identity.h"
#include "common/os/file.h"
#include "common/os/file_times.h"

namespace paddock::agent {
namespace {

constexpr Millis kLookAtFilesEvery{1500};
constexpr Millis kAfterFailure = std::chrono::minutes(1);
constexpr Millis kClockSkew = std::chrono::minutes(1);

}  // namespace

Credentials::Credentials(http::Endpoint controller, std::string data_dir)
    : controller_(std::move(controller)), data_dir_(std::move(data_dir)) {
  controller_.live_token = [token = token_] {
    return token->with([](const std::string& current) { return current; });
  };
}

http::Endpoint Credentials::endpoint() const { return controller_; }

std::string Credentials::token() const { return controller_.live_token(); }

void Credentials::set_token(const std::string& token) {
  token_->with([&](std::string& current) { current = token; });
}

bool Credentials::reload() {
  const std::string stored = client::stored_credential(data_dir_);
  if (stored.empty()) return false;
  return token_->with(
      [&](std::string& current) { return std::exchange(current, stored) != stored; });
}

std::optional<WallTime> Credentials::stored_at() const {
  struct stat file = {};
  if (::stat(os::join_path(data_dir_, "credential").c_str(), &file) != 0) return std::nullopt;
  const timespec written = os::modified_at(file);
  return WallTime{written.tv_sec * 1000 + written.tv_nsec / 1'000'000};
}

bool rotation_due(std::optional<WallTime> stored_at, Millis period, WallTime now) {
  if (!stored_at) return false;
  const Millis age = now - *stored_at;
  return age >= period || age < -kClockSkew;
}

CredentialKeeper::CredentialKeeper(Credentials& credentials, std::string node, Millis period,
                                   const Clock& clock)
    : credentials_(credentials),
      node_(std::move(node)),
      period_(period),
      clock_(clock),
      client_(credentials.endpoint()),
      looking_(Regularly::First::kLater, std::min(kLookAtFilesEvery, period), [this] { look(); }) {}

CredentialKeeper::~CredentialKeeper() { client_.abort(); }

void CredentialKeeper::look() {
  if (credentials_.reload()) log_info("the node's credential was replaced on the disk");
  if (clock_.mono() < not_before_) return;
  if (rotation_due(credentials_.stored_at(), period_, clock_.wall())) rotate();
}

// The controller ends the older one when the new one is used, which any call after this does.
void CredentialKeeper::rotate() {
  const auto next = client::rotate_credential(client_, node_, credentials_.data_dir());
  if (!next) {
    log_warn("the node's credential could not be replaced; the present one stays",
             {{"node", node_}, {"error", next.error().describe()}});
    not_before_ = clock_.mono() + std::min(kAfterFailure, period_);
    return;
  }
  credentials_.set_token(*next);
  log_info("the node has a new credential", {{"node", node_}});
}

}  // namespace paddock::agent
