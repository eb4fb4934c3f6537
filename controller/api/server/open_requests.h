// Limits how many requests a caller has open at once: streams, uploads, waits. Each takes a
// connection and most take a thread, so no caller may have so many that none are left for others.
// Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "common/base/guarded.h"
#include "common/base/result.h"
#include "controller/auth/principal.h"

namespace paddock::api {

// Shares of `connections`. One holder may have a quarter. All holders of one namespace together
// (whose tokens are good for it alone, and its runs) may have three eighths, however many tokens
// they use. All callers who are neither administrators nor nodes may together have half for
// requests without an end of their own (watches, events, followed logs), and all but a sixteenth
// for everything. So short requests find room beside any number of watches, and agents and
// administrators beside any number of requests.
struct RequestShares {
  size_t one;
  size_t name_space;
  size_t endless;
  size_t all;
};
RequestShares shares_of(size_t connections);

class OpenRequests {
 public:
  explicit OpenRequests(size_t connections = 4000) : shares_(shares_of(connections)) {}

  // A name of its own, and that of its namespace's share; empty: it has none.
  struct Holder {
    std::string name;
    std::string name_space;
  };

  // A permit that is given back at its end.
  class Permit {
   public:
    ~Permit();
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    // The request turns out to have no end of its own, and counts as such. ResourceExhausted:
    // CONNECTIONS_RESERVED.
    Status make_endless();

   private:
    friend class OpenRequests;
    Permit(OpenRequests& all, Holder holder, bool ordinary)
        : all_(all), holder_(std::move(holder)), ordinary_(ordinary) {}
    OpenRequests& all_;
    const Holder holder_;
    const bool ordinary_;
    bool endless_ = false;
  };

  // ResourceExhausted: TOO_MANY_OPEN_REQUESTS of this holder or its namespace, CONNECTIONS_RESERVED
  // for agents and administrators. Administrators are counted and never refused. Permits end before
  // this does.
  Result<std::shared_ptr<Permit>> enter(const auth::Principal& principal);
  size_t held_by(const auth::Principal& principal) const;

 private:
  struct Open {
    std::map<std::string, size_t> by_name;  // of holders and of namespaces
    size_t of(const std::string& name) const;
    void add(const Holder& holder);
    void remove(const Holder& holder);
    size_t ordinary = 0;
    size_t endless = 0;  // of those
  };
  Status check(const Open& open, const Holder& holder, bool admin, bool ordinary) const;

  const RequestShares shares_;
  Guarded<Open> open_;
};

}  // namespace paddock::api
