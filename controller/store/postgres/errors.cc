#include "controller/store/postgres/errors.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/text.h"

namespace paddock::store::postgres {

namespace {

Error away(const std::string& said) {
  return Error{Code::kUnavailable, "STORE_AWAY",
               "the database does not answer; nothing of this change was kept, send it again"}
      .within(said);
}

Error login_refused(const std::string& said) {
  return Error{Code::kFailedPrecondition, "STORE_LOGIN_REFUSED",
               "the database refuses this user: look at user, password and database in the file of "
               "store.postgres.urlFile, and at the server's pg_hba.conf"}
      .within(said);
}

bool contains_one_of(const std::string& said, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (said.find(word) != std::string::npos) return true;
  }
  return false;
}

struct Kind {
  std::string_view prefix;  // of the SQLSTATE; the first that fits
  Error (*make)(const std::string& said);
};

constexpr std::array kKinds = {
    Kind{"57P", away},
    Kind{"08", away},
    Kind{"28", login_refused},
    Kind{"3D", login_refused},
    Kind{"42501", login_refused},
    Kind{"53100",
         [](const std::string& said) {
           return Error{Code::kUnavailable, "STORE_FULL",
                        "the database's disk is full; nothing of this change was kept, free some "
                        "space there and send it again"}
               .within(said);
         }},
    Kind{"58",
         [](const std::string& said) {
           return Error{
               Code::kUnavailable, "STORE_IO",
               "the database's disk refused to read or write; nothing of this change was kept"}
               .within(said);
         }},
    Kind{"25006",
         [](const std::string& said) {
           return Error{Code::kFailedPrecondition, "STORE_READ_ONLY",
                        "the database takes no writes: it is a replica, or is set to be read-only; "
                        "name the primary in the file of store.postgres.urlFile"}
               .within(said);
         }},
    Kind{"XX001",
         [](const std::string& said) {
           return Error{Code::kInternal, "STORE_CORRUPT",
                        "the database is damaged; stop the controller and restore a backup"}
               .within(said);
         }},
    Kind{"23",
         [](const std::string& said) {
           return Error{Code::kInternal, "STORE_CONSTRAINT",
                        "the change breaks a rule of the store"}
               .within(said);
         }},
};

// Too many connections, locks that were not had, statements that took too long.
bool is_busy(std::string_view state) {
  for (const std::string_view prefix : {"53", "40", "55", "57014", "25P03"}) {
    if (state.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

Error sqlstate_error(std::string_view state, const std::string& said) {
  const std::string details = cat("postgresql ", state, ": ", said);
  for (const Kind& kind : kKinds) {
    if (state.starts_with(kind.prefix)) return kind.make(details);
  }
  if (is_busy(state))
    return Error{Code::kUnavailable, "STORE_BUSY", "the store is busy; send it again"}.within(
        details);
  return Error{Code::kInternal, "STORE_INTERNAL", "the store failed"}.within(details);
}

namespace {

// URLs that libpq refuses before it asks any server, in its words and in ours. Its words may repeat
// a part of the URL, which may be the password, so they are not passed on.
struct UrlFault {
  std::string_view said;
  const char* told;
};
constexpr std::array kUrlFaults = {
    UrlFault{"definition of service", "names a service that is not defined on this host"},
    UrlFault{"service file", "names a service, and the file of services cannot be read"},
    UrlFault{"nested service", "names a service that names another one"},
    UrlFault{"invalid port number", "has a port that is no number from 1 to 65535"},
    UrlFault{"invalid integer value", "has an option whose value is to be a number"},
    UrlFault{"could not match", "does not have as many ports or addresses as hosts"},
    UrlFault{"could not parse network address", "has a hostaddr that is no address"},
    UrlFault{"invalid connection option", "has an option that is not known"},
    UrlFault{"invalid SSL protocol version range", "has versions of TLS in the wrong order"},
    UrlFault{" value: \"", "has an option whose value is not known"},
    UrlFault{"invalid when SSL support", "asks for TLS, which libpq of this host does not have"},
};

// In an error about a server, whether it answered or not, libpq says which server it was. Some
// numeric options it reads only then.
bool asked_a_server(std::string_view said) {
  const bool names_it =
      said.starts_with("connection to server") || said.starts_with("could not connect");
  return names_it && said.find("\" for connection option \"") == std::string_view::npos;
}

std::optional<Error> url_fault(std::string_view said) {
  if (asked_a_server(said)) return std::nullopt;
  for (const UrlFault& each : kUrlFaults) {
    if (said.find(each.said) != std::string_view::npos)
      return invalid_argument("STORE_URL_INVALID", each.told, "store.postgres.urlFile");
  }
  return std::nullopt;
}

// Where the URL names several servers, each that was asked is told of. All of them may be replicas
// for as long as a primary is away, or until one of them is promoted: that passes by itself.
bool asked_several(std::string_view said) {
  constexpr std::string_view kEach = "connection to server";
  const size_t first = said.find(kEach);
  return first != said.npos && said.find(kEach, first + kEach.size()) != said.npos;
}

Error without_a_primary(const std::string& said) {
  return Error{Code::kUnavailable, "STORE_AWAY",
               "none of the servers that the database's URL names takes writes now; nothing of "
               "this change was kept, send it again"}
      .within(said);
}

}  // namespace

Error connect_error(const std::string& said) {
  if (auto fault = url_fault(said)) return *std::move(fault);
  const std::string details = cat("connecting: ", said);
  if (contains_one_of(said, {"certificate verify failed", "root certificate", "server certificate",
                             "does not support SSL"}))
    return Error{Code::kFailedPrecondition, "STORE_TLS_UNVERIFIED",
                 "the database's certificate cannot be verified; give its authority by sslrootcert "
                 "in the URL"}
        .within(details);
  if (contains_one_of(said, {"authentication failed", "no password supplied", "pg_hba.conf",
                             "\" does not exist", "not permitted to log in", "permission denied"}))
    return login_refused(details);
  if (contains_one_of(said, {"session is read-only"}))
    return asked_several(said) ? without_a_primary(details) : sqlstate_error("25006", said);
  if (contains_one_of(said, {"too many clients", "too many connections"}))
    return sqlstate_error("53300", said);
  return away(details);
}

Error lost_error(const std::string& said) { return away(cat("lost: ", said)); }

}  // namespace paddock::store::postgres
