// What paddock-controller keeps in its data folder beside the database: TLS, first tokens, and what
// it says about itself while it runs.
//
//   tls/ca.pem ca-key.pem server.pem server-key.pem    tokens/admin tokens/enroll
//   tokens/execute controller.json
#pragma once

#include <string>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/app/config.h"
#include "controller/http_server/server.h"
#include "controller/store/store.h"

namespace paddock::app {

// The operator's certificate, or one of a local CA that is made at first and renewed when it is
// near its end or lacks a name. Clients trust tls/ca.pem.
Result<http_server::TlsFiles> prepare_tls(const Config& config, Random& random, WallTime now);

// What prepare_tls would serve, or a fault of it; nothing where it would make all of it. Makes and
// changes nothing. Whose certificate: TLS_CERTIFICATE_INVALID and its like for the operator's,
// CA_DAMAGED, CA_EXPIRED; CERTIFICATE_NOT_VALID_NOW.
Status check_tls_files(const Config& config, WallTime now);

// At the first start: an administrator's and an enrolment token, each in a file of mode 0600; only
// hashes are stored. A token whose file is gone is made anew, and the old one revoked. Where
// config.enroll_token says no there is none for enrolment, and an older one is revoked. Where a
// port of POST /execute asks for a token, there is one that opens that alone.
Status prepare_tokens(store::Store& store, const Config& config, Random& random);

// Whether what it serves has a certificate of the local CA.
bool serves_local_ca(const Config& config);

// Whether the port of POST /execute asks for a token, tokens/execute.
bool wants_execute_token(const Config& config);

// controller.json: where this process listens and who it is.
struct SelfDescription {
  std::string path;
  std::string nonce;
};
Result<SelfDescription> write_self(const std::string& data_dir, const std::string& url, int port,
                                   Random& random);
void remove_self(const SelfDescription& self);  // only if it is still ours

}  // namespace paddock::app
