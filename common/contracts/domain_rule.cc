#include "common/contracts/domain_rule.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

constexpr size_t kMostLabel = 63;
constexpr size_t kMostName = 253;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > kMostLabel) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::ranges::all_of(
      label, [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_'; });
}

// A last label that is a number makes the whole an IPv4 address for many programs.
bool is_number(std::string_view label) {
  if (std::ranges::all_of(label, is_digit)) return true;
  return label.starts_with("0x") && std::ranges::all_of(label.substr(2), is_hex);
}

Error bad_rule(const std::string& message) {
  return invalid_argument("INVALID_DOMAIN",
                          cat(message,
                              "; write a name such as example.org, *.example.org or "
                              "example.org:8443"));
}

Result<std::optional<uint16_t>> take_port(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::optional<uint16_t>();
  const auto port = parse_integer<uint16_t>(text.substr(colon + 1));
  if (!port || *port == 0) return bad_rule("the port is not a number from 1 to 65535");
  if (*port == kDnsPort) return bad_rule("port 53 is taken by the sandbox's own name server");
  text = text.substr(0, colon);
  return std::optional<uint16_t>(*port);
}

}  // namespace

std::optional<std::string> host_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kMostName) return std::nullopt;
  std::string name = ascii_lower(text);
  const std::vector<std::string> labels = split(name, '.');
  if (!std::ranges::all_of(labels, is_label) || is_number(labels.back())) return std::nullopt;
  return name;
}

Result<DomainRule> parse_domain_rule(std::string_view text) {
  if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; }))
    return bad_rule("a name has ASCII letters only (others as xn--…) and no spaces");
  if (text.find("://") != std::string_view::npos || text.find('/') != std::string_view::npos)
    return bad_rule("this is a URL, not a name");
  DomainRule rule;
  ASSIGN_OR_RETURN(rule.port, take_port(text));
  rule.subdomains = text.starts_with("*.");
  if (rule.subdomains) text.remove_prefix(2);
  const auto name = host_name(text);
  if (!name) return bad_rule("this is not a host name; addresses are not accepted");
  if (*name == "localhost" || name->ends_with(".localhost"))
    return bad_rule("localhost is the sandbox itself");
  if (rule.subdomains && name->find('.') == std::string::npos)
    return bad_rule("a wildcard needs at least two labels after it");
  rule.name = *name;
  return rule;
}

Result<std::vector<DomainRule>> parse_domain_rules(const std::vector<std::string>& entries) {
  std::vector<DomainRule> rules;
  std::vector<Cause> faults;
  for (size_t i = 0; i < entries.size(); ++i) {
    auto rule = parse_domain_rule(entries[i]);
    if (rule.ok())
      rules.push_back(std::move(rule).value());
    else
      faults.push_back({cat("network.allowDomains[", i, "]"), rule.error().message});
  }
  if (faults.empty() && ports_of(rules).size() > kMostPorts)
    faults.push_back({"network.allowDomains", cat("more than ", kMostPorts, " different ports")});
  if (faults.empty()) return rules;
  std::string message = faults[0].message;
  return Error{Code::kInvalidArgument, "INVALID_DOMAIN", std::move(message), std::move(faults)};
}

bool covers(const DomainRule& rule, std::string_view name) {
  if (!rule.subdomains) return name == rule.name;
  return name.size() > rule.name.size() + 1 && name.ends_with(rule.name) &&
         name[name.size() - rule.name.size() - 1] == '.';
}

bool allows_name(const std::vector<DomainRule>& rules, std::string_view name) {
  return std::ranges::any_of(rules, [&](const DomainRule& rule) { return covers(rule, name); });
}

bool allows(const std::vector<DomainRule>& rules, std::string_view name, uint16_t port) {
  return std::ranges::any_of(rules, [&](const DomainRule& rule) {
    if (!covers(rule, name)) return false;
    return rule.port ? *rule.port == port : port == kHttpPort || port == kHttpsPort;
  });
}

std::set<uint16_t> ports_of(const std::vector<DomainRule>& rules) {
  std::set<uint16_t> ports;
  for (const DomainRule& rule : rules) {
    if (rule.port) {
      ports.insert(*rule.port);
    } else {
      ports.insert({kHttpPort, kHttpsPort});
    }
  }
  return ports;
}

}  // namespace paddock::contracts
