// Says what a caller can do in place of a field that no session can honour. Pure.
#pragma once

#include <string_view>

namespace paddock::agent_sandboxes {

// `path`: below spec, with `[]` for any item of a list.
std::string_view advice_for(std::string_view path);

}  // namespace paddock::agent_sandboxes
