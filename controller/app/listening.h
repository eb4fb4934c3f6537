// Opens the sockets of the API, for a controller that leads and for one that stands by alike.
#pragma once

#include <string>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/app/config.h"
#include "controller/http_server/certificate_files.h"
#include "controller/http_server/server.h"

namespace paddock::app {

// Makes a certificate where the configuration names none. `clock` is used as long as the server is.
Result<http_server::ServerOptions> listening(const Config& config, Random& random,
                                             const Clock& clock);
// The URL at which this host reaches a server that listens so on this port.
std::string own_url(const Config& config, int port);

// Where its certificate comes from, and which names that is for.
http_server::CertificateSettings certificate_settings(const Config& config);

}  // namespace paddock::app
