#include "common/http/http_client.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>

#include <curl/curl.h>

#include "common/base/freed.h"
#include "common/base/text.h"
#include "common/http/clock_gap.h"
#include "common/http/curl_errors.h"
#include "common/http/exchange.h"
#include "common/http/sigpipe_guard.h"
#include "common/os/socket.h"

namespace paddock::http {
namespace {

using std::chrono::steady_clock;

constexpr long kConnectTimeoutMs = 10'000;
constexpr long kConnectElsewhereMs = 3'000;  // where there is another address to try
constexpr long kBufferBytes = 256 << 10;
constexpr long kKeepAliveSeconds = 30;       // of silence
constexpr long kKeepAliveEverySeconds = 10;  // then
constexpr int kPollMs = 1'000;

using Easy = std::unique_ptr<CURL, Freed<&curl_easy_cleanup>>;
using Multi = std::unique_ptr<CURLM, Freed<&curl_multi_cleanup>>;
using Headers = std::unique_ptr<curl_slist, Freed<&curl_slist_free_all>>;

bool start_curl() {
  static const bool started = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return started;
}

curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return os::make_socket(address->family, address->socktype, address->protocol).release();
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

// A small body goes out with its head, for whoever waits for both to be woken once.
bool in_one_piece(const Request& request) {
  constexpr size_t kMost = 16 << 10;
  return request.body_fd < 0 && !request.body.empty() && request.body.size() <= kMost;
}

bool names_content_type(const Request& request) {
  return std::ranges::any_of(request.headers, [](const auto& header) {
    return ascii_lower(header.first) == "content-type";
  });
}

Headers make_headers(const std::string& token, const Request& request) {
  curl_slist* list = nullptr;
  const auto add = [&](const std::string& line) {
    if (curl_slist* longer = curl_slist_append(list, line.c_str())) list = longer;
  };
  add("Expect:");
  if (in_one_piece(request) && !names_content_type(request)) add("Content-Type:");
  if (!token.empty()) add(cat("Authorization: Bearer ", token));
  for (const auto& [name, value] : request.headers) {
    add(value.empty() ? cat(name, ";") : cat(name, ": ", value));  // `name;` is an empty header
  }
  return Headers(list);
}

bool sends_body(const Request& request) {
  return request.method == "POST" || request.method == "PUT" || request.method == "PATCH" ||
         body_size(request) > 0;
}

// Settings that are the same for every request.
void secure(CURL* easy, const Endpoint& endpoint) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  // An answer may be long in coming, and what is between may forget a silent connection.
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveEverySeconds);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!endpoint.ca_pem.empty()) {
    curl_blob blob = {const_cast<char*>(endpoint.ca_pem.data()), endpoint.ca_pem.size(),
                      CURL_BLOB_COPY};
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // else the system's would be trusted besides
  }
  if (!endpoint.unix_socket.empty()) {
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, endpoint.unix_socket.c_str());
  }
}

void prepare(CURL* easy, const std::string& address, const Request& request, curl_slist* headers,
             long connect_ms) {
  curl_easy_setopt(easy, CURLOPT_URL, cat(address, request.target).c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  const long timeout = static_cast<long>(request.timeout.count());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   timeout == 0 ? connect_ms : std::min(timeout, connect_ms));
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (in_one_piece(request)) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t{body_size(request)});
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  } else if (sends_body(request)) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t{body_size(request)});
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

// The server did not see the request, or says that it did nothing of it.
bool was_not_done(const Result<Response>& answer) {
  if (answer.ok()) return answer->status == 503 && answer->headers.contains(kLeaderHeader);
  return answer.error().reason == "UNREACHABLE" || is_peer_unproven(answer.error());
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
    for (size_t tried = 1;; ++tried) {
      size_t turn = endpoint_.turn->load();
      address_ = addresses_[turn % addresses_.size()];
      Result<Response> answer = ask(request, headers.get());
      const bool not_done = was_not_done(answer);
      if (answer.ok() && !not_done) return answer;
      // Whoever gave no answer is not asked next, by nobody who shares the turn.
      if (!aborted_.load()) endpoint_.turn->compare_exchange_strong(turn, turn + 1);
      if (!not_done || tried >= addresses_.size()) return answer;
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
    secure(easy_.get(), endpoint_);
    prepare(easy_.get(), address_, request, headers,
            addresses_.size() > 1 ? kConnectElsewhereMs : kConnectTimeoutMs);
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

  // Drives the transfer until it ends by itself, or until abort() or silence ends it.
  Result<CURLcode> transfer(const Request& request, const Exchange& exchange) {
    while (true) {
      int running = 0;
      if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) return CURLE_RECV_ERROR;
      int queued = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &queued)) {
        if (message->msg == CURLMSG_DONE) return message->data.result;
      }
      if (aborted_.load()) return aborted();
      int wait_ms = kPollMs;
      if (request.idle_timeout.count() > 0) {
        const auto silent = steady_clock::now() - exchange.last_activity();
        if (silent >= request.idle_timeout) {
          return Error{Code::kDeadlineExceeded, "IDLE_TIMEOUT", cat(address_, " went silent")};
        }
        const auto left = std::chrono::ceil<Millis>(request.idle_timeout - silent).count();
        wait_ms = static_cast<int>(std::min<int64_t>(left, kPollMs));
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
  std::string address_;      // the one that is asked
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
