// Percent-encoding, as URLs have it. (RFC 3986 section 2) Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock {

// Everything but letters, digits and -._~ as %XX.
std::string percent_encode(std::string_view text);
// A whole path of slashes and names, each name encoded.
std::string percent_encode_path(std::string_view path);
// Nothing where a % is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

// -1 for what is no hexadecimal digit.
int hex_value(char c);
// The bytes that pairs of hexadecimal digits stand for. For digests and the like: nothing else may
// be in it.
std::string hex_decode(std::string_view digits);

}  // namespace paddock
