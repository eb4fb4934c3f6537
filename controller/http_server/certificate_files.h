// What this controller proves itself by: a certificate of its operator, or of a local CA.
//
//   in the data folder: tls/ca.pem ca-key.pem server.pem server-key.pem server-names
#pragma once

#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/http_server/server.h"

namespace paddock::http_server {

struct CertificateSettings {
  std::string cert_file;  // the operator's; empty: one of the local CA
  std::string key_file;
  std::string folder;                   // of the local CA
  std::vector<std::string> names = {};  // by which clients may call this server, beside localhost
};

// The operator's certificate, or one of a local CA that is made at first and renewed when it is
// near its end or lacks a name. Clients trust tls/ca.pem.
Result<TlsFiles> prepare_tls(const CertificateSettings& settings, Random& random, WallTime now);

// Checks the certificate that prepare_tls would serve, without making or changing a file. No error
// where prepare_tls would make all files anew. An operator's certificate: TLS_CERTIFICATE_INVALID
// and its like; the local CA's: CA_DAMAGED, CA_EXPIRED; either: CERTIFICATE_NOT_VALID_NOW.
Status check_tls_files(const CertificateSettings& settings, WallTime now);

}  // namespace paddock::http_server
