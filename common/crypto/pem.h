// PEM texts (RFC 7468) as pieces. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::crypto {

// The blocks of that label (`PUBLIC KEY`) in a text, each with its first and last line and a line
// end. One that has no last line, and what stands behind it, is left out.
std::vector<std::string> pem_blocks(std::string_view text, std::string_view label);

}  // namespace paddock::crypto
