#include "common/base/text.h"
#include "common/http/http_client.h"

namespace paddock::http {
namespace {

bool begins_address(std::string_view text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

// Control characters stay, so that they are refused.
std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

// A comma that no address follows is a part of the one before it, which is then refused whole.
std::vector<std::string> addresses_in(std::string_view base_url) {
  std::vector<std::string> out;
  for (const std::string& piece : split(base_url, ',')) {
    std::string address(without_spaces(piece));
    if (!out.empty() && !begins_address(address)) {
      out.back() += cat(",", piece);
      continue;
    }
    while (address.ends_with('/')) address.pop_back();
    out.push_back(std::move(address));
  }
  return out;
}

std::string address_of(const Endpoint& endpoint) {
  const std::vector<std::string> all = addresses_in(endpoint.base_url);
  return all.empty() ? std::string() : all[endpoint.turn->load() % all.size()];
}

Servers servers_of(const Endpoint& endpoint) {
  return addresses_in(endpoint.base_url).size() > 1 ? Servers::kSeveral : Servers::kOne;
}

}  // namespace paddock::http
