// Shortens the messages of pip and npm. Pure; what they printed is hostile.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace paddock::runtimes {

// The lines that say why an installer failed, of at most 300 bytes of UTF-8, 12 at most: pip's
// `ERROR:` lines with the trouble it had reaching its index, and what its requirements conflict by;
// npm's code and cause; else the last line that says something.
std::string installer_verdict(std::string_view output);

// The same, with the place in its file behind each line that is about a requirement. `places`: by
// requirements::plain_name().
std::string with_places(const std::string& verdict,
                        const std::map<std::string, std::string>& places);

// How the operator names the CA of an index, where the output says that nobody knows it; else
// nothing. `instance`: of `paddock up`; empty elsewhere.
std::string ca_hint(std::string_view output, std::string_view instance);

// The end of the output, at most 64 KiB of UTF-8, from the beginning of a line.
std::string installer_log(std::string_view output);

}  // namespace paddock::runtimes
