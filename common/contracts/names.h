// What may be the name of an object. Pure.
#pragma once

#include <string_view>

namespace paddock::contracts {

// A DNS label (RFC 1123): lower-case letters, digits and '-', at most 63.
bool is_dns_label(std::string_view text);

}  // namespace paddock::contracts
