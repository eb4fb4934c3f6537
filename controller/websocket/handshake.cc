#include "controller/websocket/handshake.h"

#include <algorithm>
#include <vector>

#include "common/base/text.h"
#include "common/crypto/sha1.h"

namespace paddock::websocket {
namespace {

constexpr std::string_view kMagic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // of the standard
constexpr size_t kKeyBytes = 16;

using Headers = std::map<std::string, std::string>;

std::string value_of(const Headers& headers, const std::string& name) {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> out;
  for (const std::string& word : split(list, ',')) out.emplace_back(trim(word));
  return out;
}

bool names(const Headers& headers, const std::string& name, std::string_view word) {
  return std::ranges::count(words_of(ascii_lower(value_of(headers, name))), word) > 0;
}

Error invalid(std::string message, const std::string& header) {
  return invalid_argument("HEADER_INVALID", std::move(message), header);
}

// A proxy on the way may have taken out the one header and left the other.
Status check_wish(const Headers& headers) {
  constexpr const char* kNeeded =
      "this route needs a WebSocket (`Connection: Upgrade`, `Upgrade: websocket`): `kubectl exec` "
      "asks for one from 1.30 on, and `paddock exec` needs none";
  if (!names(headers, "upgrade", "websocket")) return invalid(kNeeded, "upgrade");
  if (!names(headers, "connection", "upgrade")) return invalid(kNeeded, "connection");
  return {};
}

}  // namespace

Result<Opening> open_by(const Headers& headers, std::span<const std::string_view> known) {
  TRY(check_wish(headers));
  if (value_of(headers, "sec-websocket-version") != "13")
    return invalid("the WebSocket's version must be 13", "sec-websocket-version");
  const std::string key = value_of(headers, "sec-websocket-key");
  const auto nonce = decode_base64(key);
  if (!nonce || nonce->size() != kKeyBytes)
    return invalid("must be 16 bytes as base64", "sec-websocket-key");
  const std::vector<std::string> offered = words_of(value_of(headers, "sec-websocket-protocol"));
  for (const std::string_view protocol : known) {
    if (std::ranges::count(offered, protocol) > 0)
      return Opening{std::string(protocol), base64(crypto::sha1(cat(key, kMagic)))};
  }
  return invalid(cat("must offer ", known.empty() ? std::string_view() : known.front()),
                 "sec-websocket-protocol");
}

}  // namespace paddock::websocket
