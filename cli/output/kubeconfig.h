// A kubeconfig for the real kubectl: one cluster, one user, one context.
#pragma once

#include <string>

#include "common/http/http_client.h"
#include "common/wire/value.h"

namespace paddock::cli {

wire::Value kubeconfig(const std::string& context, const http::Endpoint& endpoint,
                       const std::string& name_space);

}  // namespace paddock::cli
