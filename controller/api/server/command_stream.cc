#include "controller/api/server/command_stream.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/api/server/command_outcome.h"

namespace paddock::api {
namespace {

std::string sse(std::string_view event, const wire::Value& data) {
  return cat("event: ", event, "\ndata: ", wire::to_json(data), "\n\n");
}

// Writes lines that every client can read: many take at most 64 KiB. Base64 may be cut behind every
// fourth letter.
void write_output(ResponseStream& out, std::string_view stream, std::string_view text) {
  constexpr size_t kMostLetters = 60 << 10;
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMostLetters)))
    out.write(sse(stream, wire::Value::Object{{"base64", text.substr(0, kMostLetters)}}));
}

void carry_out_streamed(const std::string& command_id, const CarryOut& carry_out,
                        ResponseStream& out) {
  const auto on_piece = [&](const wire::Value& piece) {
    const std::string stream = piece.text("stream");
    if (stream != "stdout" && stream != "stderr") return;
    write_output(out, stream, piece.text("data"));
  };
  auto result = carry_out(out.client(), on_piece, [&] {
    out.write(sse("started", wire::Value::Object{{"commandId", command_id}}));
  });
  if (result.ok()) {
    result->out.clear();  // it came before, in pieces
    result->err = result->error_class == "TIMEOUT" ? "command timeout\n" : "";
    out.write(sse("result", wire::encode(*result)));
    return;
  }
  const Error error = told_in_stream(result.error());
  out.write(sse("error", wire::Value::Object{{"code", error.reason},
                                             {"message", error.message},
                                             {"retryable", retryable(error.code)}}));
}

}  // namespace

Response stream_command(std::string command_id, CarryOut carry_out) {
  Response response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("cache-control", "no-store");
  response.stream = [id = std::move(command_id), carry_out = std::move(carry_out)](
                        ResponseStream& out) { carry_out_streamed(id, carry_out, out); };
  return response;
}

}  // namespace paddock::api
