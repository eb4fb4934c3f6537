#include "controller/http_server/codec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <optional>

#include "common/base/http_date.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/http_server/answer_head.h"
#include "controller/http_server/refusal.h"

namespace paddock::http_server {
namespace {

constexpr size_t kCoalesceBytes = 64 << 10;  // head and body up to here leave in one packet train

bool has_valid_status(const Response& response) {
  return response.status >= 200 && response.status <= 599;
}

// The stream that a handler writes to: every write is sent at once.
class StreamOut final : public ResponseStream {
 public:
  StreamOut(Transport& transport, const BodyForm& form, const DisconnectToken& client)
      : transport_(transport), client_(client) {
    if (form.framing == Framing::kLength) left_ = form.length;
  }
  bool write(std::string_view bytes) override {
    if (!open() || bytes.empty()) return open();
    if (!left_) return send(chunk_of(bytes));
    bytes = bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(bytes.size(), *left_)));
    *left_ -= bytes.size();
    return send(bytes) && (*left_ > 0 || open());
  }
  bool open() const override { return ok_ && !transport_.stopping() && !transport_.peer_gone(); }
  void break_off() override { ok_ = false; }
  bool ok() const { return ok_; }
  // Whether all that was announced has been written.
  bool finish() { return left_ ? ok_ && *left_ == 0 : ok_ && send(kLastChunk); }

 private:
  DisconnectToken::WhenGone when_gone() const override { return client_.when_gone; }
  bool send(std::string_view bytes) {
    ok_ = ok_ && (bytes.empty() || transport_.write_all(bytes) == IoState::kOk);
    return ok_;
  }

  Transport& transport_;
  const DisconnectToken& client_;
  std::optional<uint64_t> left_;  // none: chunked
  bool ok_ = true;
};

bool run_stream(const Response& response, StreamOut& out) {
  try {
    if (response.stream) response.stream(out);
    return response.steps ? out.ok() : out.finish();
  } catch (const std::exception& e) {
    log_error("a stream handler threw", {{"what", to_utf8_lossy(e.what())}});
  } catch (...) {
    log_error("a stream handler threw");
  }
  return false;
}

bool write_whole(Transport& transport, std::string head, const std::string& body) {
  const bool together = head.size() + body.size() <= kCoalesceBytes;
  if (together) head += body;
  if (transport.write_all(head) != IoState::kOk) return false;
  return together || transport.write_all(body) == IoState::kOk;
}

}  // namespace

std::string chunk_of(std::string_view bytes) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.begin(), size.end(), bytes.size(), 16).ptr;
  std::string out;
  out.reserve(bytes.size() + size.size() + 4);
  return out.append(size.begin(), end).append("\r\n").append(bytes).append("\r\n");
}

bool has_steps(const Response& response, AnswerForm form) {
  return response.steps != nullptr && !form.head_only && has_valid_status(response) &&
         body_form(response).framing != Framing::kNone;
}

bool Codec::write(Transport& transport, Response response, AnswerForm form,
                  const DisconnectToken& client) const {
  if (!has_valid_status(response)) {
    response = refusal({Code::kInternal, "INTERNAL", "the handler's answer has no valid status"});
  }
  const BodyForm body = body_form(response);
  std::string head =
      answer_head(response, body, form.close, wall_ ? format_http_date(wall_()) : "");
  const bool has_body = !form.head_only && body.framing != Framing::kNone;
  if (!has_body) return transport.write_all(head) == IoState::kOk;
  if (!is_stream(response)) return write_whole(transport, std::move(head), response.body);
  if (transport.write_all(head) != IoState::kOk) return false;
  StreamOut out(transport, body, client);
  return run_stream(response, out);
}

}  // namespace paddock::http_server
