#include "controller/http_server/certificate_files.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/crypto/certificate.h"
#include "common/os/file.h"
#include "controller/http_server/tls.h"

namespace paddock::http_server {
namespace {

using crypto::KeyPair;

constexpr Millis kRenewBefore = std::chrono::hours(24 * 30);

Result<KeyPair> read_pair(const std::string& folder, const std::string& name) {
  ASSIGN_OR_RETURN(std::string certificate, os::read_file(cat(folder, "/", name, ".pem")));
  ASSIGN_OR_RETURN(std::string key, os::read_file(cat(folder, "/", name, "-key.pem")));
  return KeyPair{std::move(certificate), std::move(key)};
}

// The key first: a certificate without its key must not be found after a crash.
Status write_pair(const std::string& folder, const std::string& name, const KeyPair& pair) {
  TRY(os::write_file_atomic(cat(folder, "/", name, "-key.pem"), pair.private_key_pem, 0600));
  return os::write_file_atomic(cat(folder, "/", name, ".pem"), pair.certificate_pem, 0644);
}

bool lasts(const KeyPair& pair, WallTime now) {
  const Result<WallTime> end = crypto::certificate_expiry(pair.certificate_pem);
  return end && *end > now + kRenewBefore;
}

bool has_begun(const KeyPair& pair, WallTime now) {
  const Result<crypto::Validity> validity = crypto::certificate_validity(pair.certificate_pem);
  return validity && validity->begin <= now;
}

// Served all the same: which of certificate and clock is wrong cannot be known from here.
void warn_of_time(const char* whose, const std::string& certificate_pem, WallTime now) {
  const Result<crypto::Validity> validity = crypto::certificate_validity(certificate_pem);
  if (!validity || (validity->begin <= now && now < validity->end)) return;
  log_warn(cat("by this host's clock ", whose,
               " is not valid now, and clients will refuse it: set the clock (timedatectl set-ntp "
               "true), or renew the certificate"),
           {{"reason", Reason("CERTIFICATE_NOT_VALID_NOW")},
            {"valid_from", format_time(validity->begin)},
            {"valid_until", format_time(validity->end)}});
}

// Another one would not be trusted by any host that has joined.
Error damaged_ca() {
  return {
      Code::kFailedPrecondition, "CA_DAMAGED",
      "tls/ca.pem or tls/ca-key.pem in the data folder cannot be read: put both back from a "
      "backup; or remove both, and a new CA is made, which every host and client must then get"};
}

// An expired CA is not replaced unless the operator asks: if only the clock were years ahead, every
// host would lose its trust in this controller for nothing.
Error expired_ca(WallTime end, WallTime now) {
  return {Code::kFailedPrecondition, "CA_EXPIRED",
          cat("the local CA, tls/ca.pem in the data folder, ended at ", format_time(end),
              "; this host's clock says ", format_time(now),
              ". If that is wrong: `timedatectl set-ntp true`; if it is right, remove tls/ca.pem "
              "and tls/ca-key.pem, and a new CA is made, which every host and client must then "
              "get")};
}

Result<KeyPair> local_ca(const std::string& folder, Random& random, WallTime now) {
  Result<KeyPair> ca = read_pair(folder, "ca");
  // The key was written first: with a certificate there, there was a whole pair once.
  const Result<WallTime> end =
      ca ? crypto::certificate_expiry(ca->certificate_pem) : Result<WallTime>(ca.error());
  ASSIGN_OR_RETURN(const bool made_before, os::is_there(cat(folder, "/ca.pem")));
  if (!end && made_before) return damaged_ca();
  if (end && *end <= now) return expired_ca(*end, now);
  if (ca) {
    if (!lasts(*ca, now))
      log_warn(
          "the local CA ends soon; remove tls/ca.pem and tls/ca-key.pem to have a new one made, "
          "which every host and client must then get",
          {{"reason", Reason("CA_EXPIRED")}, {"valid_until", format_time(*end)}});
    return ca;
  }
  ASSIGN_OR_RETURN(KeyPair made,
                   crypto::make_ca(cat("Paddock local CA ", make_suffix(random)), now));
  TRY(write_pair(folder, "ca", made));
  log_info("made a local certificate authority");
  return made;
}

std::vector<std::string> all_names(const std::vector<std::string>& own) {
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};
  for (const std::string& name : own) {
    const bool any = name.empty() || name == "0.0.0.0" || name == "::";
    if (!any && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

Result<TlsFiles> prepare_tls(const CertificateSettings& settings, Random& random, WallTime now) {
  if (!settings.cert_file.empty()) {
    ASSIGN_OR_RETURN(std::string certificate, os::read_file(settings.cert_file));
    ASSIGN_OR_RETURN(std::string key, os::read_file(settings.key_file));
    warn_of_time("tls.certFile", certificate, now);
    return TlsFiles{std::move(certificate), std::move(key)};
  }
  const std::string& folder = settings.folder;
  TRY(os::make_dirs(folder, 0700));
  ASSIGN_OR_RETURN(const KeyPair ca, local_ca(folder, random, now));
  warn_of_time("the local CA, tls/ca.pem in the data folder,", ca.certificate_pem, now);
  const std::vector<std::string> names = all_names(settings.names);
  const std::string names_and_ca = join(names, "\n") + "\n" + ca.certificate_pem;
  const Result<std::string> names_before = os::read_file(cat(folder, "/server-names"));
  Result<KeyPair> server = read_pair(folder, "server");
  // Made while the clock was ahead. Where the CA was too, the clock of now may be the wrong one.
  const bool of_the_future = server && !has_begun(*server, now) && has_begun(ca, now);
  if (!server || !lasts(*server, now) || of_the_future || !names_before ||
      *names_before != names_and_ca) {
    ASSIGN_OR_RETURN(server, crypto::make_server_certificate(ca, names, now));
    TRY(write_pair(folder, "server", *server));
    TRY(os::write_file_atomic(cat(folder, "/server-names"), names_and_ca, 0600));
  }
  return TlsFiles{server->certificate_pem, server->private_key_pem};
}

namespace {

Result<std::string> own_file(const std::string& path, Reason reason, const char* field) {
  auto text = os::read_file(path);
  if (text.ok()) return text;
  return invalid_argument(reason, "names a file that is not there or cannot be read", field);
}

Status check_time(const std::string& certificate_pem, const std::string& whose, WallTime now) {
  ASSIGN_OR_RETURN(const crypto::Validity valid, crypto::certificate_validity(certificate_pem));
  if (valid.begin <= now && now < valid.end) return {};
  return Error{Code::kUnauthenticated, "CERTIFICATE_NOT_VALID_NOW",
               cat(whose, " is valid from ", format_time(valid.begin), " to ",
                   format_time(valid.end), ", and this host's clock says ", format_time(now))};
}

Status check_own_certificate(const CertificateSettings& own, WallTime now) {
  TlsFiles files;
  ASSIGN_OR_RETURN(files.certificate_pem,
                   own_file(own.cert_file, "TLS_CERTIFICATE_INVALID", "tls.certFile"));
  ASSIGN_OR_RETURN(files.private_key_pem, own_file(own.key_file, "TLS_KEY_INVALID", "tls.keyFile"));
  TRY(TlsContext::make(files));
  return check_time(files.certificate_pem, "the certificate of tls.certFile", now);
}

}  // namespace

Status check_tls_files(const CertificateSettings& settings, WallTime now) {
  if (!settings.cert_file.empty()) return check_own_certificate(settings, now);
  ASSIGN_OR_RETURN(const bool made, os::is_there(cat(settings.folder, "/ca.pem")));
  if (!made) return {};
  const Result<KeyPair> ca = read_pair(settings.folder, "ca");
  const auto valid =
      ca ? crypto::certificate_validity(ca->certificate_pem) : Result<crypto::Validity>(ca.error());
  if (!valid) return damaged_ca();
  if (valid->end <= now) return expired_ca(valid->end, now);
  return check_time(ca->certificate_pem, "the local CA, tls/ca.pem in the data folder,", now);
}

}  // namespace paddock::http_server
