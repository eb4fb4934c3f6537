#include "controller/store/postgres/target.h"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::store::postgres {

namespace {

constexpr const char* kAuthorities = "/etc/ssl/certs/ca-certificates.crt";  // of Debian
constexpr const char* kSocketFolder = "/var/run/postgresql";

Error url_invalid(const std::string& why) {
  return invalid_argument("STORE_URL_INVALID", why, "store.postgres.urlFile");
}

// libpq's own words may repeat what the URL says, its password too: they are not passed on.
Result<Target> options_in(const std::string& url) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(url.c_str(), &message), &PQconninfoFree);
  PQfreemem(message);
  if (!options)
    return url_invalid("is no URL of PostgreSQL: postgresql://USER:PASSWORD@HOST/DATABASE");
  Target target;
  for (const PQconninfoOption* each = options.get(); each->keyword != nullptr; ++each) {
    if (each->val != nullptr) target[each->keyword] = each->val;
  }
  return target;
}

Status settle_tls(Target& target) {
  std::string& mode = target["sslmode"];
  const std::string& hosts = target.contains("hostaddr") ? target["hostaddr"] : target["host"];
  if (!leaves_host(hosts)) {
    if (mode.empty()) target.erase("sslmode");
    return {};
  }
  if (mode.empty()) mode = "verify-full";
  if (mode != "verify-full")
    return Error{Code::kFailedPrecondition, "STORE_TLS_UNVERIFIED",
                 cat("the URL of the database says sslmode=", mode,
                     ", and its host is another machine: its certificate has to be verified; "
                     "write sslmode=verify-full and sslrootcert=FILE")};
  if (!target.contains("sslrootcert") && os::exists(kAuthorities))
    target["sslrootcert"] = kAuthorities;
  return {};
}

}  // namespace

namespace {

// An address, and not a name that begins like one: 127.db.example is another machine.
bool is_loopback(const std::string& host) {
  const bool address = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "::1" || (address && host.starts_with("127."));
}

}  // namespace

bool leaves_host(const std::string& hosts) {
  for (const std::string& host : split(hosts, ',')) {
    const bool here =
        host.empty() || host.starts_with('/') || host.starts_with('@') || is_loopback(host);
    if (!here) return true;
  }
  return false;
}

namespace {

// libpq goes by hostaddr, where it is given, and then host may be left out.
bool names_several(const Target& target) {
  return std::ranges::any_of(target, [](const auto& each) {
    const bool names = each.first == "host" || each.first == "hostaddr";
    return names && each.second.find(',') != std::string::npos;
  });
}

}  // namespace

Result<Target> parse_target(const std::string& url) {
  if (url.find('\0') != std::string::npos) return url_invalid("has a NUL");
  ASSIGN_OR_RETURN(Target target, options_in(url));
  // Parameters that are not set here would be taken from the environment of the process.
  if (!target.contains("host") && !target.contains("hostaddr")) target["host"] = kSocketFolder;
  if (!target.contains("dbname")) return url_invalid("names no database");
  TRY(settle_tls(target));
  if (names_several(target)) target.emplace("target_session_attrs", "read-write");
  target.emplace("gssencmode", "disable");
  target.emplace("connect_timeout", "5");
  target.emplace("keepalives_idle", "5");
  target.emplace("keepalives_interval", "2");
  target.emplace("keepalives_count", "3");
  target.emplace("tcp_user_timeout", "10000");
  target["client_encoding"] = "UTF8";
  return target;
}

}  // namespace paddock::store::postgres
