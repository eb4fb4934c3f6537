// Decides which files of a project are left out: .gitignore semantics. Pure: rules come in as text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::cas {

struct IgnoreRule {
  std::string pattern;       // without the signs below
  bool negated = false;      // `!`: takes the file back in
  bool folder_only = false;  // a slash at the end
  bool anywhere = false;     // no slash inside: matches the name at any depth
  std::string source;        // for people: `.gitignore:3: *.log`
};

// The rules of one file; `name` is what the source of each rule starts with.
std::vector<IgnoreRule> parse_ignore_rules(std::string_view text, std::string_view name);

// Folders that no program needs elsewhere: version control, caches, environments that are built on
// the node.
std::vector<IgnoreRule> built_in_folder_rules();
// Files that mostly hold secrets; a project's own rules take one back in: `!.env`.
std::vector<IgnoreRule> built_in_secret_rules();

class IgnoreRules {
 public:
  // Adds rules that hold in `folder` (relative to the project, empty for the top) and below. Within
  // a folder the last rule that matches wins; a deeper folder's rules win over a higher one's.
  void add(const std::string& folder, std::vector<IgnoreRule> rules);
  // The rule that decides about this path, or nothing. To be asked from the top down: below a
  // folder that is left out nothing can be taken in again.
  const IgnoreRule* decided_by(std::string_view path, bool is_folder) const;
  // The rule that leaves it out, or nothing.
  const IgnoreRule* excluded_by(std::string_view path, bool is_folder) const;

 private:
  std::map<std::string, std::vector<IgnoreRule>, std::less<>> by_folder_;
};

}  // namespace paddock::cas
