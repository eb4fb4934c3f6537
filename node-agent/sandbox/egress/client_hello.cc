#include <algorithm>
#include <cstdint>

#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/first_bytes.h"

namespace paddock::sandbox {
namespace {

using State = FirstBytes::State;

constexpr uint8_t kHandshakeRecord = 22;
constexpr uint8_t kClientHello = 1;
constexpr size_t kRecordHeader = 5;
constexpr size_t kMostRecord = 1 << 14;
constexpr uint16_t kServerName = 0;

FirstBytes bad(std::string why) { return {State::kBad, "", std::move(why)}; }

// Takes pieces with a length before them off the front; one beyond the end fails all.
struct Reader {
  std::string_view bytes;
  bool failed = false;

  std::string_view take(size_t count) {
    if (bytes.size() < count) {
      failed = true;
      return {};
    }
    const std::string_view out = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return out;
  }
  size_t number(size_t width) {
    size_t out = 0;
    for (const char c : take(width)) out = out << 8 | static_cast<uint8_t>(c);
    return out;
  }
  std::string_view vector(size_t width) { return take(number(width)); }
};

// The handshake message out of its records. kName: whole, in `name`.
FirstBytes join_records(std::string_view bytes) {
  std::string message;
  while (true) {
    if (message.size() >= 4) {
      Reader head{message};
      if (head.number(1) != kClientHello) return bad("the connection does not begin with TLS");
      const size_t length = head.number(3);
      if (length > kMostFirstBytes) return bad("the TLS greeting is too long");
      if (head.bytes.size() >= length) return {State::kName, message.substr(4, length), ""};
    }
    if (!bytes.empty() && static_cast<uint8_t>(bytes[0]) != kHandshakeRecord)
      return bad("the connection does not begin with TLS");
    if (bytes.size() >= 2 && bytes[1] != 3) return bad("the connection does not begin with TLS");
    if (bytes.size() < kRecordHeader) return {};
    Reader record{bytes.substr(3)};
    const size_t length = record.number(2);
    if (length == 0 || length > kMostRecord) return bad("the TLS greeting cannot be read");
    const std::string_view part = record.bytes.substr(0, length);
    message += part;
    if (part.size() < length) bytes = {};
    bytes.remove_prefix(std::min(bytes.size(), kRecordHeader + length));
  }
}

// RFC 6066: a list; exactly one entry, a host name.
FirstBytes read_server_name(std::string_view extension) {
  Reader outer{extension};
  Reader list{outer.vector(2)};
  const size_t type = list.number(1);
  const std::string_view text = list.vector(2);
  if (outer.failed || list.failed || !outer.bytes.empty() || !list.bytes.empty() || type != 0)
    return bad("the server name of the TLS greeting cannot be read");
  auto name = contracts::host_name(text);
  if (!name || text.ends_with('.')) return bad("the server name of the TLS greeting is not a name");
  return {State::kName, std::move(*name), ""};
}

}  // namespace

FirstBytes read_client_hello(std::string_view bytes) {
  FirstBytes joined = join_records(bytes);
  if (joined.state != State::kName) return joined;
  Reader hello{joined.name};
  hello.take(2 + 32);  // version, random
  hello.vector(1);     // session
  hello.vector(2);     // cipher suites
  hello.vector(1);     // compression
  Reader extensions{hello.vector(2)};
  if (hello.failed || !hello.bytes.empty()) return bad("the TLS greeting cannot be read");
  FirstBytes found = bad("the TLS greeting names no server");
  bool seen = false;
  while (!extensions.bytes.empty()) {
    const size_t type = extensions.number(2);
    const std::string_view body = extensions.vector(2);
    if (extensions.failed) return bad("the TLS greeting cannot be read");
    if (type != kServerName) continue;
    if (seen) return bad("the TLS greeting names its server twice");
    seen = true;
    found = read_server_name(body);
  }
  return found;
}

}  // namespace paddock::sandbox
