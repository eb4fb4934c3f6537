#include "common/http/http_client.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include <curl/curl.h>

#include "common/base/freed.h"
#include "common/base/text.h"
#include "common/http/clock_gap.h"
#include "common/http/curl_errors.h"
#include "common/http/exchange.h"
#include "common/http/lead_watch.h"
#include "common/http/name_lookup.h"
#include "common/http/request_settings.h"
#include "common/http/sigpipe_guard.h"

namespace paddock::http {
namespace {

using std::chrono::steady_clock;

constexpr Millis kConnectElsewhere{3'000};  // where there is another address to try
constexpr int kPollMs = 1'000;
constexpr std::chrono::seconds kSoonAnswered{3};

using Easy = std::unique_ptr<CURL, Freed<&curl_easy_cleanup>>;
using Multi = std::unique_ptr<CURLM, Freed<&curl_multi_cleanup>>;

bool start_curl() {
  static const bool started = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return started;
}

bool is_plain(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool is_address(const std::string& url) {
  const bool scheme = url.starts_with("https://") || url.starts_with("http://");
  return scheme && is_plain(url) && url.find_first_of("@ ?#,") == std::string::npos;
}

Status check(const std::vector<std::string>& addresses, const Request& request,
             const std::string& token) {
  if (addresses.empty() || !std::ranges::all_of(addresses, is_address)) {
    return invalid_argument("BAD_URL",
                            "the endpoint is not an http or https address without credentials");
  }
  if (!request.target.starts_with('/') || !is_plain(request.target) ||
      request.target.find_first_of(" #") != std::string::npos) {
    return invalid_argument("BAD_TARGET",
                            "the path of a request starts with / and is percent-encoded");
  }
  bool plain = is_plain(token) && is_plain(request.method);
  for (const auto& [name, value] : request.headers)
    plain = plain && is_plain(name) && is_plain(value);
  if (!plain) return invalid_argument("BAD_HEADER", "a header must not have control characters");
  return {};
}

// What does not become right by waiting, as far as one can tell.
bool is_wrong_address(const Result<Response>& answer) {
  return !answer.ok() &&
         (answer.error().reason == kNameUnknown || is_peer_unproven(answer.error()));
}

// The server did not see the request, or says that it did nothing of it.
bool was_not_done(const Result<Response>& answer) {
  if (answer.ok()) return answer->status == 503 && answer->headers.contains(kLeaderHeader);
  return answer.error().reason == "UNREACHABLE" || is_wrong_address(answer);
}

class CurlClient final : public Client {
 public:
  explicit CurlClient(Endpoint endpoint)
      : endpoint_(std::move(endpoint)), addresses_(addresses_in(endpoint_.base_url)) {
    if (!start_curl()) return;
    easy_.reset(curl_easy_init());
    multi_.reset(curl_multi_init());
  }

  Result<Response> send(const Request& request) override {
    if (!easy_ || !multi_)
      return Error{Code::kInternal, "NO_HTTP", "the HTTP library does not start"};
    const std::string token = endpoint_.live_token ? endpoint_.live_token() : endpoint_.token;
    TRY(check(addresses_, request, token));
    const SigpipeGuard guard;
    const Headers headers = make_headers(token, request);
    std::optional<Result<Response>> away;  // of several: one that may come back
    for (size_t tried = 1;; ++tried) {
      size_t turn = endpoint_.turn->load();
      at_ = turn % addresses_.size();
      address_ = addresses_[at_];
      Result<Response> answer = ask(request, headers.get());
      if (answer.ok()) endpoint_.met->with([this](auto& met) { met.insert(address_); });
      const bool not_done = was_not_done(answer);
      if (answer.ok() && !not_done) return answer;
      // An address that gave no answer is not asked next, by no client that shares the turn.
      if (!aborted_.load()) endpoint_.turn->compare_exchange_strong(turn, turn + 1);
      const bool last = tried >= addresses_.size();
      if (last && away && is_wrong_address(answer)) return std::move(*away);
      if (!not_done || last) return answer;
      if (!is_wrong_address(answer)) away = std::move(answer);
    }
  }

  void abort() override {
    aborted_.store(true);
    if (multi_) curl_multi_wakeup(multi_.get());
  }

 private:
  // One server, by address_.
  Result<Response> ask(const Request& request, curl_slist* headers) {
    if (aborted_.load()) return aborted();
    curl_easy_reset(easy_.get());  // connections stay
    words_.fill(0);
    curl_easy_setopt(easy_.get(), CURLOPT_ERRORBUFFER, words_.data());
    secure(easy_.get(), endpoint_);
    prepare(easy_.get(), address_, request, headers,
            addresses_.size() > 1 ? std::min(kConnectElsewhere, request.connect_timeout)
                                  : request.connect_timeout);
    while (true) {
      Exchange exchange(easy_.get(), request, clock_.wall());
      exchange.attach();
      if (curl_multi_add_handle(multi_.get(), easy_.get()) != CURLM_OK) {
        return Error{Code::kInternal, "NO_HTTP", "the HTTP library refuses the request"};
      }
      Result<CURLcode> ended = transfer(request, exchange);
      curl_multi_remove_handle(multi_.get(), easy_.get());
      if (!ended) return std::move(ended).error();
      if (!died_while_kept(*ended)) return conclude(*ended, exchange);
      curl_easy_setopt(easy_.get(), CURLOPT_FRESH_CONNECT, 1L);  // which cannot have been kept
    }
  }

  Error aborted() const { return {Code::kUnavailable, "ABORTED", "the request was given up"}; }

  // Whether a kept connection broke under a request that never arrived whole, so that nobody can
  // have acted on it. (That one which breaks afterwards is sent again by libcurl itself.)
  bool died_while_kept(CURLcode code) const {
    if (code != CURLE_SEND_ERROR) return false;
    long connects = 0, answered = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_NUM_CONNECTS, &connects);
    curl_easy_getinfo(easy_.get(), CURLINFO_HEADER_SIZE, &answered);
    return connects == 0 && answered == 0;
  }

  bool was_met() const {
    return endpoint_.met->with([this](const auto& met) { return met.contains(address_); });
  }

  // After a lookup that failed: whether that was for good. libcurl does not say, so it is asked
  // anew, but only where an answer came soon: nobody waits a second time for a DNS that is silent.
  bool names_nobody() const {
    curl_off_t took = 0;
    const CURLcode known = curl_easy_getinfo(easy_.get(), CURLINFO_TOTAL_TIME_T, &took);
    return known == CURLE_OK && std::chrono::microseconds(took) < kSoonAnswered &&
           name_is_unknown(address_);
  }

  // Of several: whoever waits in silence is watched. True: another one leads.
  bool has_moved(const Exchange& exchange, std::optional<LeadWatch::Waiting>& waiting) {
    if (addresses_.size() < 2 || !endpoint_.unix_socket.empty()) return false;
    const auto silent = steady_clock::now() - exchange.last_activity();
    if (!waiting && silent >= endpoint_.lead->times().joins) {
      waiting.emplace(*endpoint_.lead, endpoint_, at_,
                      [multi = multi_.get()] { curl_multi_wakeup(multi); });
    }
    if (!waiting) return false;
    if (const auto heard = exchange.last_heard())
      waiting->heard({std::chrono::duration_cast<Millis>(heard->time_since_epoch()).count()});
    return waiting->moved();
  }

  int poll_ms() const {
    if (addresses_.size() < 2) return kPollMs;
    return static_cast<int>(std::min<int64_t>(kPollMs, endpoint_.lead->times().joins.count()));
  }

  // What was sent may have been done, as with any connection that breaks.
  Error moved_on() const {
    curl_off_t connected = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
    return {Code::kUnavailable, connected > 0 ? Reason("CONNECTION_BROKEN") : Reason("UNREACHABLE"),
            cat(address_, " gives no sign of life, and another controller leads")};
  }

  // Drives the transfer until it ends by itself, or until abort(), silence or another leader ends
  // it.
  Result<CURLcode> transfer(const Request& request, const Exchange& exchange) {
    std::optional<LeadWatch::Waiting> waiting;
    while (true) {
      int running = 0;
      if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) return CURLE_RECV_ERROR;
      int queued = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &queued)) {
        if (message->msg == CURLMSG_DONE) return message->data.result;
      }
      if (aborted_.load()) return aborted();
      if (has_moved(exchange, waiting)) return moved_on();
      int wait_ms = poll_ms();
      if (request.idle_timeout.count() > 0) {
        const auto silent = steady_clock::now() - exchange.last_activity();
        if (silent >= request.idle_timeout) {
          return Error{Code::kDeadlineExceeded, "IDLE_TIMEOUT", cat(address_, " went silent")};
        }
        const auto left = std::chrono::ceil<Millis>(request.idle_timeout - silent).count();
        wait_ms = static_cast<int>(std::min<int64_t>(left, wait_ms));
      }
      curl_multi_poll(multi_.get(), nullptr, 0, wait_ms, nullptr);
    }
  }

  Result<Response> conclude(CURLcode code, Exchange& exchange) const {
    if (aborted_.load() && code != CURLE_OK) return aborted();
    if (exchange.too_large()) {
      return Error{Code::kTooLarge, "ANSWER_TOO_LARGE",
                   "the answer is larger than anything expected"};
    }
    if (exchange.body_unreadable().value_or(0) != 0)
      return system_error("reading the file to send", *exchange.body_unreadable());
    if (exchange.body_unreadable()) {
      return Error{Code::kFailedPrecondition, "BODY_CHANGED",
                   "the file to send is shorter than it was"};
    }
    if (code != CURLE_OK && !exchange.response().stopped) {
      curl_off_t connected = 0;
      curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
      long verdict = 0;
      if (code == CURLE_PEER_FAILED_VERIFICATION &&
          curl_easy_getinfo(easy_.get(), CURLINFO_SSL_VERIFYRESULT, &verdict) == CURLE_OK)
        return certificate_error(verdict, address_, clock_.wall());
      long head = 0;
      curl_easy_getinfo(easy_.get(), CURLINFO_HEADER_SIZE, &head);
      if (!was_met() && is_wrong_protocol(code, words_.data(), head > 0))
        return protocol_error(code, address_);
      if (code == CURLE_COULDNT_RESOLVE_HOST && !was_met() && names_nobody())
        return name_error(address_);
      return curl_error(code, address_, connected > 0);
    }
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    Response response = exchange.take();
    response.status = static_cast<int>(status);
    if (const auto date = response.headers.find("date"); date != response.headers.end())
      response.clock_gap = clock_gap(date->second, exchange.begun(), clock_.wall());
    return response;
  }

  const Endpoint endpoint_;
  const std::vector<std::string> addresses_;
  size_t at_ = 0;                              // the one that is asked
  std::string address_;                        // likewise
  std::array<char, CURL_ERROR_SIZE> words_{};  // libcurl's, of what failed
  const SystemClock clock_;  // as libcurl asks it, for certificates and peers' dates alone
  Multi multi_;
  Easy easy_;
  std::atomic<bool> aborted_{false};
};

}  // namespace

std::unique_ptr<Client> make_client(Endpoint endpoint) {
  return std::make_unique<CurlClient>(std::move(endpoint));
}

}  // namespace paddock::http
