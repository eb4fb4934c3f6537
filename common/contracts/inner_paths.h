// Paths inside every sandbox, and the rules for paths and variables that a policy names, shared by
// policies and profiles. Pure.
#pragma once

#include <string>
#include <string_view>

namespace paddock::contracts {

inline constexpr std::string_view kSandboxWorkspace = "/workspace";
inline constexpr std::string_view kSandboxVenv = "/venv";
inline constexpr std::string_view kSandboxNodeModules = "/node_modules";  // found from /workspace
inline constexpr std::string_view kSandboxDriver = "/driver";  // libraries of accelerators
inline constexpr std::string_view kSandboxTmp = "/tmp";
inline constexpr std::string_view kSandboxPolicyFile = "/run/paddock/policy.json";

// Absolute, not the root, without empty parts, `.` and `..`.
bool is_clean_absolute(std::string_view path);
// `path` is `folder` or lies beneath it. Both clean.
bool is_within(std::string_view path, std::string_view folder);
// What is wrong with a variable; empty when nothing is. Names that change how programs are loaded
// (LD_…, DYLD_…, GLIBC_TUNABLES) and Paddock's own (PADDOCK_…) are refused.
std::string variable_fault(std::string_view name, std::string_view value);

}  // namespace paddock::contracts
