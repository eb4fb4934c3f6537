// The 20 bytes of SHA-1, for protocols that name it (RFC 6455): nothing is kept safe by it.
#pragma once

#include <string>
#include <string_view>

namespace paddock::crypto {

std::string sha1(std::string_view bytes);

}  // namespace paddock::crypto
