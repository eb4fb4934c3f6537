// What to do instead of a field that no session can keep. Pure.
#pragma once

#include <string_view>

namespace paddock::agent_sandboxes {

// `path`: below spec, with `[]` for any item of a list.
std::string_view advice_for(std::string_view path);

}  // namespace paddock::agent_sandboxes
