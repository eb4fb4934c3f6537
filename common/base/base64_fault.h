// Why a text is no base64 as decode_base64() takes it, for people. Pure.
#pragma once

#include <string_view>

namespace paddock {

// Behind the name of a field: `must be base64 …`; empty if it is. It repeats nothing of the text,
// which may be a secret.
std::string_view base64_fault(std::string_view text);

}  // namespace paddock
