#include "controller/http_server/codec.h"

#include <algorithm>
#include <csignal>
#include <exception>

#include <httplib.h>

#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/http_server/refusal.h"

namespace paddock::api {
namespace {

constexpr size_t kCoalesceBytes = 64 << 10;  // head and body up to here leave in one packet train

// One answer on its way out. Reads as a minimal request; collects writes until flush().
class AnswerStream final : public httplib::Stream {
 public:
  AnswerStream(Transport& transport, bool head_only)
      : transport_(transport),
        request_(head_only ? "HEAD / HTTP/1.1\r\n\r\n" : "GET / HTTP/1.1\r\n\r\n") {}

  bool flush() {
    const bool sent = !failed_ && transport_.write_all(pending_) == IoState::kOk;
    failed_ = !sent;
    pending_.clear();
    return sent;
  }
  // From here on every write leaves at once.
  bool go_direct() {
    direct_ = true;
    return flush();
  }
  bool open() const { return !failed_ && !transport_.stopping() && !transport_.peer_gone(); }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return !failed_; }
  ssize_t read(char* into, size_t size) override {
    const size_t count = std::min(size, request_.size());
    std::copy_n(request_.data(), count, into);
    request_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, size_t size) override {
    const bool fits = pending_.size() + size <= kCoalesceBytes;
    if (!direct_ && fits) {
      pending_.append(bytes, size);
    } else if (!flush() || transport_.write_all({bytes, size}) != IoState::kOk) {
      failed_ = true;
    }
    return failed_ ? -1 : static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return -1; }

 private:
  Transport& transport_;
  std::string_view request_;
  std::string pending_;
  bool direct_ = false;
  bool failed_ = false;
};

// What a handler writes its stream to.
class SinkStream final : public ResponseStream {
 public:
  SinkStream(AnswerStream& out, httplib::DataSink& sink, std::optional<uint64_t> length,
             const Client& client)
      : out_(out), sink_(sink), left_(length), client_(client) {}
  bool write(std::string_view bytes) override {
    if (bytes.empty()) return open();
    if (!out_.open()) return false;
    if (left_ && bytes.size() > *left_) bytes = bytes.substr(0, static_cast<size_t>(*left_));
    if (left_) *left_ -= bytes.size();
    if (!bytes.empty()) ok_ = ok_ && sink_.write(bytes.data(), bytes.size());
    return ok_ && (!left_ || *left_ > 0 || out_.open());
  }
  bool open() const override { return ok_ && out_.open(); }
  Client client() const override {
    return {[this] { return open(); }, client_.when_gone};
  }
  bool complete() const { return ok_ && (!left_ || *left_ == 0); }

 private:
  AnswerStream& out_;
  httplib::DataSink& sink_;
  std::optional<uint64_t> left_;
  const Client& client_;
  bool ok_ = true;
};

struct Answer {
  Response response;
  AnswerForm form;
  AnswerStream& out;
  const Client& client;
  std::optional<uint64_t> declared_length = std::nullopt;  // of a stream
};

// cpp-httplib calls back on the thread that called process_request; this says for which answer.
thread_local Answer* current_answer = nullptr;

bool is_sendable(const std::string& name, const std::string& value) {
  const auto is_bad = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  };
  return !name.empty() && name.find_first_of(": \t") == std::string::npos &&
         std::none_of(name.begin(), name.end(), is_bad) &&
         std::none_of(value.begin(), value.end(), is_bad);
}

// Framing belongs to the server; a handler may only announce the length of a stream.
void set_headers(Answer& answer, httplib::Response& out) {
  for (const auto& [name, value] : answer.response.headers) {
    const std::string key = ascii_lower(name);
    if (key == "content-length") answer.declared_length = parse_integer<uint64_t>(value);
    if (key == "content-length" || key == "transfer-encoding" || key == "connection" ||
        key == "keep-alive")
      continue;
    if (!is_sendable(name, value)) {
      log_error("a handler made a header that cannot be sent", {{"header", to_utf8_lossy(name)}});
      continue;
    }
    out.set_header(name, value);
  }
  if (!out.has_header("X-Content-Type-Options"))
    out.set_header("X-Content-Type-Options", "nosniff");
  if (!out.has_header("Cache-Control")) out.set_header("Cache-Control", "no-store");
}

bool run_stream(Answer& answer, httplib::DataSink& sink) {
  SinkStream stream(answer.out, sink, answer.declared_length, answer.client);
  try {
    if (!answer.out.go_direct()) return false;
    answer.response.stream(stream);
  } catch (const std::exception& e) {
    log_error("a stream handler threw", {{"what", to_utf8_lossy(e.what())}});
    return false;
  } catch (...) {
    log_error("a stream handler threw");
    return false;
  }
  if (!stream.complete()) return false;
  if (!answer.declared_length) sink.done();
  return true;
}

void set_stream(Answer& answer, httplib::Response& out) {
  const std::string type = answer.response.content_type;
  if (answer.form.head_only || answer.declared_length == 0) {
    out.set_header("Content-Type", type);
  } else if (answer.declared_length) {
    out.set_content_provider(
        static_cast<size_t>(*answer.declared_length), type,
        [&answer](size_t, size_t, httplib::DataSink& sink) { return run_stream(answer, sink); });
  } else {
    out.set_chunked_content_provider(
        type, [&answer](size_t, httplib::DataSink& sink) { return run_stream(answer, sink); });
  }
}

void fill(Answer& answer, httplib::Response& out) {
  out.status = answer.response.status;
  set_headers(answer, out);
  if (answer.response.stream) {
    set_stream(answer, out);
  } else if (!answer.response.body.empty()) {
    out.set_header("Content-Type", answer.response.content_type);
    out.body = std::move(answer.response.body);
  }
}

// Removes what cpp-httplib adds on its own and does not know better.
void correct(const Answer& answer, httplib::Response& out) {
  out.headers.erase("Keep-Alive");
  const bool own_ranges =
      std::any_of(answer.response.headers.begin(), answer.response.headers.end(),
                  [](const auto& h) { return ascii_lower(h.first) == "accept-ranges"; });
  if (!own_ranges) out.headers.erase("Accept-Ranges");
  if (out.status == 204 || out.status == 304) out.headers.erase("Content-Length");
  if (answer.form.head_only && answer.response.stream) {
    out.headers.erase("Content-Length");
    if (answer.declared_length) out.set_header("Content-Length", cat(*answer.declared_length));
  }
}

}  // namespace

class Codec::Engine final : public httplib::Server {
 public:
  Engine() {
    svr_sock_ =
        0;  // providers run only while this is not the invalid socket; nothing else reads it
    set_pre_routing_handler([](const httplib::Request&, httplib::Response& out) {
      fill(*current_answer, out);
      return HandlerResponse::Handled;
    });
    set_post_routing_handler(
        [](const httplib::Request&, httplib::Response& out) { correct(*current_answer, out); });
  }
  bool run(AnswerStream& stream, bool close) {
    bool closed = false;
    return process_request(stream, close, closed, nullptr);
  }
};

Codec::Codec() {
  // httplib::Server's constructor ignores SIGPIPE for the whole process; children would inherit
  // that.
  struct sigaction before {};
  ::sigaction(SIGPIPE, nullptr, &before);
  engine_ = std::make_unique<Engine>();
  ::sigaction(SIGPIPE, &before, nullptr);
}

Codec::~Codec() = default;

bool Codec::write(Transport& transport, Response response, AnswerForm form,
                  const Client& client) const {
  if (response.status < 200 || response.status > 599) {
    response = refusal({Code::kInternal, "INTERNAL", "the handler's answer has no valid status"});
  }
  AnswerStream stream(transport, form.head_only);
  Answer answer{std::move(response), form, stream, client};
  current_answer = &answer;
  bool written = false;
  try {
    written = engine_->run(stream, form.close);
  } catch (const std::exception& e) {
    log_error("writing an answer failed", {{"what", to_utf8_lossy(e.what())}});
  }
  current_answer = nullptr;
  return written && stream.flush();
}

}  // namespace paddock::api
