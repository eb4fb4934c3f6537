#include "controller/app/bucket_config.h"

#include <algorithm>
#include <string_view>

#include "common/base/text.h"
#include "controller/http_server/origin.h"

namespace paddock::app {
namespace {

constexpr std::string_view kPlain = "http://";
constexpr std::string_view kSecure = "https://";

bool made_of(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || more.find(c) != std::string::npos;
  });
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

// Says what is wrong with the endpoint; empty: nothing.
std::string fault_of_endpoint(std::string_view endpoint) {
  const bool plain = endpoint.starts_with(kPlain);
  if (!plain && !endpoint.starts_with(kSecure)) return "must start with https://";
  const std::string_view host = endpoint.substr(plain ? kPlain.size() : kSecure.size());
  if (host.empty() || host.find_first_of("/@?# \t") != std::string_view::npos)
    return "must be a scheme, a host and perhaps a port: https://s3.example:9000, without a "
           "slash at its end";
  if (plain && !http_server::is_loopback_name(without_port(host)))
    return "must start with https://; without TLS only this host itself is asked";
  return {};
}

bool is_bucket_name(std::string_view name) {
  return name.size() >= 3 && name.size() <= 63 && made_of(name, ".-") && !name.starts_with('.') &&
         !name.starts_with('-') && name.find("..") == std::string_view::npos;
}

bool is_prefix(std::string_view prefix) {
  constexpr size_t kLongest = 200;
  if (prefix.empty()) return true;
  return prefix.size() <= kLongest && !prefix.starts_with('/') && prefix.ends_with('/') &&
         prefix.find("//") == std::string_view::npos &&
         prefix.find("./") == std::string_view::npos && made_of(ascii_lower(prefix), "._-/");
}

}  // namespace

void BucketConfig::validate(wire::Check& check) const {
  if (addressing != "path" && addressing != "virtualHost")
    check.fail("addressing", "must be path or virtualHost");
  if (!is_prefix(prefix))
    check.fail("prefix",
               "must be letters, digits and ._-/ with a slash at its end, such as "
               "paddock/");
  if (timeout.value < Millis(1'000) || timeout.value > Millis(600'000))
    check.fail("timeout", "must be from 1s to 10m");
  if (!made_of(region, "-")) check.fail("region", "must be lower-case letters, digits and -");
  if (!used()) {
    for (const auto& [name, value] : {std::pair{"bucket", &bucket},
                                      {"credentialsFile", &credentials_file},
                                      {"caFile", &ca_file},
                                      {"prefix", &prefix}})
      if (!value->empty()) check.fail(name, "is of no use without endpoint");
    return;
  }
  if (const std::string fault = fault_of_endpoint(endpoint); !fault.empty())
    check.fail("endpoint", fault);
  if (!is_bucket_name(bucket)) check.fail("bucket", "must be the name of a bucket");
  if (!credentials_file.starts_with('/')) check.fail("credentialsFile", "must be an absolute path");
  if (!ca_file.empty() && !ca_file.starts_with('/'))
    check.fail("caFile", "must be an absolute path");
  if (!ca_file.empty() && endpoint.starts_with(kPlain))
    check.fail("caFile", "is of no use with an endpoint without TLS");
  if (addressing == "virtualHost" && bucket.find('.') != std::string::npos)
    check.fail("addressing",
               "must be path for a bucket with dots in its name, which no "
               "certificate of the server covers");
}

}  // namespace paddock::app
