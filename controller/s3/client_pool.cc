#include "controller/s3/client_pool.h"

namespace paddock::s3 {
namespace {

Error stopping() {
  return {Code::kUnavailable, "ABORTED", "the controller stops; the request was given up"};
}

}  // namespace

ClientPool::ClientPool(const http::Endpoint& endpoint, size_t clients) {
  for (size_t i = 0; i < clients; ++i) {
    all_.push_back(http::make_client(endpoint));
    idle_.push_back(all_.back().get());
  }
}

Result<ClientPool::Lease> ClientPool::lease(Millis patience) {
  std::unique_lock lock(mutex_);
  const bool in_time =
      changed_.wait_for(lock, patience, [this] { return stopped_ || !idle_.empty(); });
  if (stopped_) return stopping();
  if (!in_time) {
    return Error{Code::kUnavailable, "BUCKET_BUSY",
                 "as many transfers as may be are under way to the bucket; ask again"};
  }
  http::Client* client = idle_.back();  // the one whose connection was used last
  idle_.pop_back();
  return Lease(*this, client);
}

void ClientPool::give_back(http::Client* client) {
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(client);
  }
  changed_.notify_all();  // some wait for time alone
}

bool ClientPool::wait(Millis limit) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, limit, [this] { return stopped_; });
}

void ClientPool::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const auto& client : all_) client->abort();
  changed_.notify_all();
}

}  // namespace paddock::s3
