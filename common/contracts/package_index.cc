#include "common/contracts/package_index.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "common/base/text.h"
#include "common/contracts/domain_rule.h"

namespace paddock::contracts {
namespace {

constexpr size_t kMostUrlBytes = 2048;

struct FileHost {
  std::string_view index;
  std::string_view files;
};
constexpr std::array kFileHosts = {FileHost{"pypi.org", "files.pythonhosted.org"},
                                   FileHost{"test.pypi.org", "test-files.pythonhosted.org"},
                                   FileHost{"download.pytorch.org", "download-r2.pytorch.org"}};

Error invalid(std::string_view fault) {
  return invalid_argument(
      "PACKAGE_INDEX_INVALID",
      cat("not a package index: ", fault, "; give https://host/path, or http, with a host name"));
}

bool is_url_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/._~-+%").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string PackageIndex::domain() const { return cat(host, ":", port); }

std::vector<std::string> PackageIndex::domains() const {
  std::vector<std::string> out = {domain()};
  for (const FileHost& each : kFileHosts) {
    if (each.index == host) out.push_back(cat(each.files, ":", kHttpsPort));
  }
  return out;
}

Result<PackageIndex> parse_package_index(std::string_view url) {
  if (url.size() > kMostUrlBytes) return invalid("it is too long");
  PackageIndex out;
  out.url = url;
  if (url.starts_with("https://")) {
    url.remove_prefix(8);
  } else if (url.starts_with("http://")) {
    url.remove_prefix(7);
    out.tls = false;
  } else {
    return invalid("it starts with neither https:// nor http://");
  }
  const size_t slash = std::min(url.find('/'), url.size());
  std::string_view authority = url.substr(0, slash);
  if (!is_url_path(url.substr(slash)))
    return invalid("its path has characters that are not allowed");
  if (authority.find('@') != std::string_view::npos) return invalid("it holds credentials");
  out.port = out.tls ? kHttpsPort : kHttpPort;
  if (const size_t colon = authority.rfind(':'); colon != std::string_view::npos) {
    const auto port = parse_integer<uint16_t>(authority.substr(colon + 1));
    if (!port || *port == 0 || *port == kDnsPort) return invalid("its port is none");
    out.port = *port;
    authority = authority.substr(0, colon);
  }
  const auto host = host_name(authority);
  if (!host) return invalid("its host is not a name");
  out.host = *host;
  if (!parse_domain_rule(out.domain())) return invalid("its host is not a name");
  return out;
}

}  // namespace paddock::contracts
