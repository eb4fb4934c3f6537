#include "node-agent/sandbox/egress/dns_message.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kDnsHeader = 12;
constexpr size_t kMostLabel = 63;
constexpr size_t kMostWireName = 255;
constexpr size_t kMostRecords = 128;
constexpr size_t kMostAddresses = 16;
constexpr int kMostAliases = 8;
constexpr uint32_t kTtl = 60;

constexpr uint16_t kResponse = 0x8000;
constexpr uint16_t kTruncated = 0x0200;
constexpr uint16_t kRecursionDesired = 0x0100;
constexpr uint16_t kRecursionAvailable = 0x0080;
constexpr uint16_t kInternet = 1;

// Reads on from `at`; after one read beyond the end everything fails.
struct MessageReader {
  std::string_view bytes;
  size_t at = 0;
  bool failed = false;

  uint8_t byte() {
    if (at >= bytes.size()) {
      failed = true;
      return 0;
    }
    return static_cast<uint8_t>(bytes[at++]);
  }
  uint16_t number16() {
    const unsigned high = byte();
    return static_cast<uint16_t>(high << 8 | byte());
  }
  uint32_t number32() {
    const uint32_t high = number16();
    return high << 16 | number16();
  }
  std::string_view take(size_t count) {
    if (bytes.size() - at < count) {
      failed = true;
      return {};
    }
    at += count;
    return bytes.substr(at - count, count);
  }
};

void put16(std::string& out, unsigned value) {
  out += static_cast<char>(value >> 8);
  out += static_cast<char>(value);
}

void append_label(std::string_view label, std::string& name) {
  if (!name.empty()) name += '.';
  for (const char raw : label) {
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_') {
      name += c;
      continue;
    }
    const auto code = static_cast<unsigned char>(c);
    name += {'\\', static_cast<char>('0' + code / 100), static_cast<char>('0' + code / 10 % 10),
             static_cast<char>('0' + code % 10)};
  }
}

// A name, following pointers only backwards: each must point before the one that led to it.
std::string read_name(MessageReader& reader, bool pointers) {
  std::string name;
  size_t wire_bytes = 1;
  size_t lowest = reader.at;
  size_t resume = 0;
  while (!reader.failed) {
    const uint8_t length = reader.byte();
    if (length == 0) break;
    if (length <= kMostLabel) {
      wire_bytes += size_t{length} + 1;
      if (wire_bytes > kMostWireName) reader.failed = true;
      append_label(reader.take(length), name);
      continue;
    }
    const size_t target = (size_t{length} & 0x3f) << 8 | reader.byte();
    if (!pointers || length < 0xc0 || target >= lowest) {
      reader.failed = true;
      break;
    }
    if (resume == 0) resume = reader.at;
    lowest = reader.at = target;
  }
  if (resume != 0) reader.at = resume;
  return name;
}

struct Record {
  std::string owner;
  uint16_t type = 0;
  std::string alias;  // of a CNAME
  std::string_view data;
};

Record read_record(MessageReader& reader) {
  Record record;
  record.owner = read_name(reader, true);
  record.type = reader.number16();
  const uint16_t klass = reader.number16();
  (void)reader.number32();  // time to live
  const uint16_t length = reader.number16();
  const size_t start = reader.at;
  record.data = reader.take(length);
  if (klass != kInternet) record.type = 0;
  if (record.type == static_cast<uint16_t>(DnsType::kCname) && !reader.failed) {
    MessageReader inner{reader.bytes.substr(0, start + length), start};
    record.alias = read_name(inner, true);
    if (inner.failed) reader.failed = true;
  }
  return record;
}

std::optional<IpAddress> address_of(const Record& record, DnsType type) {
  if (record.type != static_cast<uint16_t>(type)) return std::nullopt;
  IpAddress out;
  out.v6 = type == DnsType::kAaaa;
  if (record.data.size() != (out.v6 ? 16u : 4u)) return std::nullopt;
  std::ranges::copy(record.data, out.bytes.begin());
  return out;
}

// The addresses that `name` leads to by way of its aliases, as far as this answer tells.
std::vector<IpAddress> follow(const std::vector<Record>& records, std::string name, DnsType type) {
  std::vector<IpAddress> out;
  for (int step = 0; step <= kMostAliases; ++step) {
    for (const Record& record : records) {
      const auto address = record.owner == name ? address_of(record, type) : std::nullopt;
      if (address && out.size() < kMostAddresses) out.push_back(*address);
    }
    if (!out.empty()) break;
    const auto alias = std::ranges::find_if(records, [&](const Record& record) {
      return record.type == static_cast<uint16_t>(DnsType::kCname) && record.owner == name;
    });
    if (alias == records.end()) break;
    name = alias->alias;
  }
  return out;
}

}  // namespace

std::optional<DnsQuery> read_dns_query(std::string_view message) {
  if (message.size() > kMostDnsBytes) return std::nullopt;
  MessageReader reader{message};
  DnsQuery query;
  query.id = reader.number16();
  const uint16_t flags = reader.number16();
  const uint16_t questions = reader.number16();
  reader.at = kDnsHeader;
  if (message.size() < kDnsHeader || (flags & kResponse) != 0 || questions != 1)
    return std::nullopt;
  query.opcode = static_cast<uint8_t>(flags >> 11 & 0xf);
  query.recursion_desired = (flags & kRecursionDesired) != 0;
  query.name = read_name(reader, false);
  query.type = reader.number16();
  query.klass = reader.number16();
  if (reader.failed) return std::nullopt;
  query.question = message.substr(kDnsHeader, reader.at - kDnsHeader);
  return query;
}

std::string write_dns_reply(const DnsQuery& query, DnsCode code,
                            const std::optional<IpAddress>& address) {
  std::string out;
  put16(out, query.id);
  put16(out, kResponse | unsigned{query.opcode} << 11 |
                 (query.recursion_desired ? unsigned{kRecursionDesired} : 0u) |
                 kRecursionAvailable | static_cast<unsigned>(code));
  put16(out, 1);
  put16(out, address ? 1 : 0);
  put16(out, 0);
  put16(out, 0);
  out += query.question;
  if (!address) return out;
  put16(out, 0xc000 | kDnsHeader);  // the question's name
  put16(out, static_cast<unsigned>(address->v6 ? DnsType::kAaaa : DnsType::kA));
  put16(out, kInternet);
  put16(out, kTtl >> 16);
  put16(out, kTtl & 0xffff);
  const size_t length = address->v6 ? 16 : 4;
  put16(out, static_cast<unsigned>(length));
  out.append(reinterpret_cast<const char*>(address->bytes.data()), length);
  return out;
}

std::string write_dns_query(uint16_t id, std::string_view name, DnsType type) {
  std::string out;
  put16(out, id);
  put16(out, kRecursionDesired);
  put16(out, 1);
  for (int i = 0; i < 3; ++i) put16(out, 0);
  for (const std::string& label : split(name, '.')) {
    out += static_cast<char>(label.size());
    out += label;
  }
  out += '\0';
  put16(out, static_cast<unsigned>(type));
  put16(out, kInternet);
  return out;
}

std::optional<DnsAnswer> read_dns_answer(std::string_view message, uint16_t id,
                                         std::string_view name, DnsType type) {
  MessageReader reader{message};
  const uint16_t their_id = reader.number16();
  const uint16_t flags = reader.number16();
  const uint16_t questions = reader.number16();
  const uint16_t answers = reader.number16();
  reader.at = kDnsHeader;
  if (message.size() < kDnsHeader || their_id != id || (flags & kResponse) == 0 || questions != 1)
    return std::nullopt;
  const std::string asked = read_name(reader, false);
  const uint16_t asked_type = reader.number16();
  const uint16_t asked_class = reader.number16();
  if (reader.failed || asked != name || asked_type != static_cast<uint16_t>(type) ||
      asked_class != kInternet) {
    return std::nullopt;
  }
  DnsAnswer out;
  out.code = static_cast<DnsCode>(flags & 0xf);
  out.truncated = (flags & kTruncated) != 0;
  if (out.truncated || out.code != DnsCode::kNone) return out;
  std::vector<Record> records;
  for (size_t i = 0; i < std::min<size_t>(answers, kMostRecords); ++i) {
    records.push_back(read_record(reader));
    if (reader.failed) return std::nullopt;
  }
  out.addresses = follow(records, std::string(name), type);
  return out;
}

}  // namespace paddock::sandbox
