#include "controller/admission/word_rules.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/volume.h"

namespace paddock::admission {
namespace {

// Longest first, so that the message names what was written.
constexpr std::array<std::string_view, 11> kMetacharacters = {"&&", "||", "$(", "|",  ";", "`",
                                                              ">",  "<",  "&",  "\n", "\r"};

std::string shown(std::string_view metacharacter) {
  if (metacharacter == "\n") return "line feed";
  if (metacharacter == "\r") return "carriage return";
  return std::string(metacharacter);
}

// Where a path may begin inside a word: --out=/x, a,/x, a:/x, @/x, ["/x"].
constexpr std::string_view kSeparators = "=:@,\"'[](){} \t";
constexpr std::string_view kUrlEnds = ",\"'[](){} \t";

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

bool has_parent_part(std::string_view text) {
  const std::vector<std::string> parts = split(text, '/');
  return std::ranges::find(parts, "..") != parts.end();
}

// The part of `text` up to the next separator; a URL is one part.
std::string_view next_piece(std::string_view text) {
  return text.substr(0, text.find_first_of(is_url(text) ? kUrlEnds : kSeparators));
}

bool is_in_a_volume(std::string_view path, const VolumeNames& volumes) {
  return std::ranges::any_of(volumes, [&](const std::string& name) {
    return contracts::is_within(path, cat(contracts::kSandboxVolumes, "/", name));
  });
}

bool piece_escapes(std::string_view piece, bool whole_word, const VolumeNames& volumes) {
  if (has_parent_part(piece)) return true;
  if (is_url(piece) || is_in_a_volume(piece, volumes)) return false;
  return piece.starts_with('/') && (whole_word || piece.size() > 1);
}

// Whether a word, or a value inside it, names a place outside the workspace.
bool escapes(std::string_view word, const VolumeNames& volumes) {
  const bool short_option = word.size() > 2 && word[0] == '-' && word[1] != '-';
  if (short_option && escapes(word.substr(2), volumes)) return true;
  for (size_t start = 0; start < word.size();) {
    const std::string_view piece = next_piece(word.substr(start));
    if (piece_escapes(piece, piece.size() == word.size(), volumes)) return true;
    start += piece.size() + 1;
  }
  return false;
}

}  // namespace

void check_metacharacters(const std::vector<std::string>& argv, std::vector<Refusal>& out) {
  for (size_t i = 0; i < argv.size(); ++i) {
    for (const std::string_view each : kMetacharacters) {
      if (argv[i].find(each) == std::string::npos) continue;
      out.push_back({"COMMAND_METACHARACTER", i,
                     cat("\"", argv[i], "\" contains the shell metacharacter ", shown(each),
                         "; no shell runs this command: put such steps into the script")});
      break;
    }
  }
}

void check_paths(const std::vector<std::string>& argv, const VolumeNames& volumes,
                 std::vector<Refusal>& out) {
  for (size_t i = 1; i < argv.size(); ++i) {
    if (!escapes(argv[i], volumes)) continue;
    out.push_back(
        {"PATH_ESCAPES_WORKSPACE", i,
         cat("\"", argv[i],
             "\" names a path outside the workspace; use a relative path without \"..\"")});
  }
}

bool is_inner_path(std::string_view path) {
  if (path.empty() || path[0] == '/') return false;
  if (std::ranges::any_of(path,
                          [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return false;
  std::vector<std::string> parts = split(path, '/');
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  return std::ranges::none_of(
      parts, [](const std::string& part) { return part.empty() || part == "." || part == ".."; });
}

}  // namespace paddock::admission
