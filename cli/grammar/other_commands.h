// What commands are called in other tools (docker, kubectl, Slurm, E2B), and here. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

// `get runs` for `ps`; empty: no other tool's word that we know.
std::string_view our_command(std::string_view theirs);
// What there is in place of a command that we do not have, such as `pull`; empty: we know of none.
std::string_view instead_of_command(std::string_view theirs);
// `create` for `new`, of the commands about sandboxes.
std::string_view our_sandbox_command(std::string_view theirs);
// `delete` for `rm`, behind the name of a kind.
std::string_view our_verb(std::string_view theirs);
// All words of which the first two say something.
std::vector<std::string> other_commands();

}  // namespace paddock::cli
