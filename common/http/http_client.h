// An HTTP/1.1 client over libcurl. One HttpClient per thread of use; it keeps connections alive.
// Redirects are never followed, proxies never used, only http and https (TLS 1.2+) are spoken.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/backoff.h"
#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/base/units.h"

namespace paddock::http {

class LeadWatch;
std::shared_ptr<LeadWatch> make_lead_watch();

struct Endpoint {
  // https://127.0.0.1:8443; or several by commas, of which one answers at a time: who does not
  // (nobody there, or kLeaderHeader) is passed over, before anything was done.
  std::string base_url;
  std::string unix_socket;  // when set, base_url's host is only a name
  std::string ca_pem;       // trusted CA; empty: the system's
  std::string token;        // sent as Authorization: Bearer
  // When set, asked before each request for what to send instead. Any thread.
  std::function<std::string()> live_token = {};
  // The address that is asked, of several. Copies share it, so that all of them move on together.
  std::shared_ptr<std::atomic<size_t>> turn = std::make_shared<std::atomic<size_t>>(0);
  // The addresses that answered, so that their names exist: copies share them.
  std::shared_ptr<Guarded<std::set<std::string>>> met =
      std::make_shared<Guarded<std::set<std::string>>>();
  // Of several: tells who waits for one when another one leads (lead_watch.h). Copies share it.
  std::shared_ptr<LeadWatch> lead = make_lead_watch();
};

// An answer 503 with this header: the server did nothing, another one leads.
inline constexpr const char* kLeaderHeader = "paddock-leader";

// The addresses of a base_url, without spaces around them or slashes at their ends.
std::vector<std::string> addresses_in(std::string_view base_url);
// The one that is asked next.
std::string address_of(const Endpoint& endpoint);
// Whether another server may answer where one does not.
Servers servers_of(const Endpoint& endpoint);

struct Request {
  std::string method = "GET";
  std::string target;  // path and query, already percent-encoded
  std::map<std::string, std::string> headers;
  std::string body;
  int body_fd =
      -1;  // when set, the body is read from here (pread), body_size bytes from body_offset
  int64_t body_size = 0;
  int64_t body_offset = 0;
  Millis timeout{30'000};          // zero: none (streams)
  Millis connect_timeout{10'000};  // to be connected, with the handshake
  Millis idle_timeout{0};          // fail when no byte arrives for this long; zero: none
  // Called with each piece of a 2xx body; return false to stop. Without it the body is kept, as far
  // as `most_body`.
  std::function<bool(std::string_view)> on_data;
  size_t most_body = size_t{64} << 20;
  // Called with how much of the body is on its way by now; less than before where it is sent again.
  std::function<void(int64_t)> on_sent = {};
};

struct Response {
  int status = 0;
  std::map<std::string, std::string> headers;  // lower-case names
  std::string body;
  bool stopped = false;  // on_data asked to stop
  // How far the peer's clock is ahead of this host's (clock_gap.h); absent: it does not say.
  std::optional<Millis> clock_gap;
};

class Client {
 public:
  virtual ~Client() = default;
  // Unavailable: the peer cannot be reached or the connection broke; SERVER_NAME_UNKNOWN: its name
  // does not exist, and no client of this endpoint or a copy of it had an answer from there.
  // DeadlineExceeded: too slow. Unauthenticated, reason SERVER_NOT_TRUSTED: the certificate is not
  // the trusted one; CERTIFICATE_NOT_VALID_NOW: it is, and this host's clock is not within its
  // validity; WRONG_PROTOCOL: the port speaks something else than the address says, and no client
  // of this endpoint or a copy of it had an answer from there.
  virtual Result<Response> send(const Request& request) = 0;
  // Ends a send() in progress from another thread; later sends fail too.
  virtual void abort() = 0;
};

inline constexpr Reason kNotTrusted = "SERVER_NOT_TRUSTED";
inline constexpr Reason kNotValidNow = "CERTIFICATE_NOT_VALID_NOW";
inline constexpr Reason kWrongProtocol = "WRONG_PROTOCOL";
inline constexpr Reason kNameUnknown = "SERVER_NAME_UNKNOWN";
// Whether the peer was not believed to be who it says: it never saw the request.
bool is_peer_unproven(const Error& error);

std::unique_ptr<Client> make_client(Endpoint endpoint);

}  // namespace paddock::http
