// A fixed number of HTTP clients, so that no more transfers than these are under way at a time.
// Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "common/http/http_client.h"

namespace paddock::s3 {

class ClientPool {
 public:
  ClientPool(const http::Endpoint& endpoint, size_t clients);

  // A client on loan. It is given back when this object goes.
  class Lease {
   public:
    Lease(ClientPool& pool, http::Client* client) : pool_(&pool), client_(client) {}
    Lease(Lease&& other) noexcept
        : pool_(other.pool_), client_(std::exchange(other.client_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (client_ != nullptr) pool_->give_back(client_);
    }
    http::Client& operator*() const { return *client_; }

   private:
    ClientPool* pool_;
    http::Client* client_;
  };
  // Waits for one. Unavailable: BUCKET_BUSY after `patience`; ABORTED once stopped.
  Result<Lease> lease(Millis patience);
  // False as soon as the pool is stopped, true after `limit`.
  bool wait(Millis limit);
  void stop();

 private:
  void give_back(http::Client* client);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<http::Client>> all_;
  std::vector<http::Client*> idle_;
  bool stopped_ = false;
};

}  // namespace paddock::s3
