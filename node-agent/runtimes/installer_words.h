// What pip and npm said, made short. Pure; what they printed is hostile.
#pragma once

#include <string>
#include <string_view>

namespace paddock::runtimes {

// The line that says why an installer failed, at most 300 bytes of UTF-8: pip's first `ERROR:` with
// the trouble it had reaching its index, npm's code and cause, else the last line that says
// something.
std::string installer_verdict(std::string_view output);

// Its end, at most 64 KiB of UTF-8, from the beginning of a line.
std::string installer_log(std::string_view output);

}  // namespace paddock::runtimes
