#include "common/requirements/requirements.h"

#include <algorithm>
#include <set>

#include "common/base/text.h"
#include "common/requirements/requirement_line.h"

namespace paddock::requirements {
namespace {

constexpr size_t kMostRequirementsBytes = 1 << 20;  // of all files
constexpr size_t kMaxLines = 10'000;
constexpr size_t kMaxFiles = 32;
constexpr int kMaxDepth = 8;
constexpr size_t kMostFaults = 20;  // shown
constexpr std::string_view kPypi = "https://pypi.org/simple";

constexpr size_t kMostFaultBytes = 1'000;  // of one of several

// pip takes a carriage return for the end of a line; here it may only stand before a line feed.
bool has_lone_return(std::string_view file) {
  for (size_t at = file.find('\r'); at != std::string_view::npos; at = file.find('\r', at + 1)) {
    if (at + 1 < file.size() && file[at + 1] != '\n') return true;
  }
  return false;
}

bool is_plain(std::string_view file) {
  return is_utf8(file) && std::none_of(file.begin(), file.end(), [](char c) {
           return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') ||
                  c == 0x7f;
         });
}

std::string_view without_slash(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

}  // namespace

Error refused_lines(std::vector<std::string> faults) {
  if (faults.size() == 1)
    return invalid_argument("REQUIREMENTS_INVALID", faults[0], "spec.requirements");
  const size_t all = faults.size();
  if (all > kMostFaults) faults.resize(kMostFaults);
  std::string out = cat(all, " of the requirements cannot be installed:");
  for (const std::string& each : faults)
    out += cat("\n", to_utf8_lossy(each.substr(0, kMostFaultBytes)));
  if (all > kMostFaults) out += cat("\nand ", all - kMostFaults, " more");
  return invalid_argument("REQUIREMENTS_INVALID", std::move(out), "spec.requirements");
}

std::string plain_name(std::string_view requirement) {
  std::string name;
  for (const char c : ascii_lower(requirement)) {
    const bool dash = c == '.' || c == '_' || c == '-';
    if (!dash && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) break;
    if (!dash || !name.ends_with('-')) name += dash ? '-' : c;
  }
  return name;
}

namespace {

// One requirements file, and all that it names, being read.
class Gathering {
 public:
  Gathering(const ReadFile& read, const std::optional<std::string>& index)
      : read_(read), index_(index) {}

  // The first file's own error is the caller's to see as it is.
  Status start(const std::string& path) {
    ASSIGN_OR_RETURN(const std::string file, read_(path));
    out_.content = file;
    take_file({path, 0, false}, file);
    return {};
  }

  Result<Requirements> finish() && {
    if (faults_.empty()) return std::move(out_);
    return refused_lines(std::move(faults_));
  }

 private:
  struct Place {
    std::string path;
    int depth = 0;
    bool constrains = false;
    size_t line = 0;
  };

  void refuse(const Place& place, std::string_view fault) {
    faults_.push_back(cat(place.path, " line ", place.line, ": ", to_utf8_lossy(fault)));
  }

  void take_file(Place place, std::string_view file) {
    seen_.insert(cat(place.constrains ? "c " : "r ", place.path));
    bytes_ += file.size();
    if (file.starts_with("\xef\xbb\xbf")) file.remove_prefix(3);
    place.line = 1;
    if (bytes_ > kMostRequirementsBytes)
      return refuse(place, "the requirements are larger than 1 MiB together");
    if (!is_plain(file)) return refuse(place, "the file is not plain UTF-8 text");
    if (has_lone_return(file)) return refuse(place, "a carriage return stands without a line feed");
    for (const LogicalLine& line : logical_lines(file)) {
      place.line = line.number;
      if (++lines_ > kMaxLines) return refuse(place, "too many lines");
      take_line(place, line.text);
    }
  }

  void take_line(const Place& place, std::string_view text) {
    const std::vector<std::string> words = words_of(text);
    if (words.empty()) return;
    if (text.find("${") != std::string_view::npos)
      return refuse(place, "variables are not allowed; write their values");
    if (words[0].starts_with('-')) return take_option(place, words);
    const std::string fault = fault_of_requirement(words);
    if (!fault.empty()) return refuse(place, fault);
    (place.constrains ? out_.constraints : out_.text) += cat(join(words, " "), "\n");
    out_.places.emplace(plain_name(words[0]), cat(place.path, " line ", place.line));
    if (!place.constrains) ++out_.count;
  }

  void take_option(const Place& place, const std::vector<std::string>& words) {
    const OptionLine option = read_option_line(words);
    switch (option.kind) {
      case OptionLine::Kind::kFile:
        return include(place, option.value, place.constrains);
      case OptionLine::Kind::kConstraints:
        return include(place, option.value, true);
      case OptionLine::Kind::kPassed:
        if (!place.constrains) out_.text += cat(option.value, "\n");
        return;
      case OptionLine::Kind::kIgnored:
        return;
      case OptionLine::Kind::kIndex:
        return take_index(place, option.value);
      case OptionLine::Kind::kRefused:
        return refuse(place, option.fault);
    }
  }

  void take_index(const Place& place, const std::string& url) {
    const bool same = !index_ || without_slash(url) == without_slash(*index_);
    if (same || without_slash(url) == kPypi) {
      if (!same)
        out_.notes.push_back(cat(place.path, " line ", place.line,
                                 ": the index is left out; packages come from where the node's "
                                 "operator says"));
      return;
    }
    refuse(place,
           "options are not allowed: --index-url of another index than this node's; leave it out, "
           "or have it set for the node (paddock up --python-index URL)");
  }

  void include(const Place& from, const std::string& name, bool constrains) {
    const std::optional<std::string> path = included_path(from.path, name);
    if (!path)
      return refuse(from, "the file is not in the workspace; name one by its relative path");
    if (seen_.contains(cat(constrains ? "c " : "r ", *path))) return;
    if (from.depth >= kMaxDepth || seen_.size() >= kMaxFiles)
      return refuse(from, cat("too many files name each other: at most ", kMaxFiles, ", ",
                              kMaxDepth, " deep"));
    const auto file = read_(*path);
    if (!file) return refuse(from, file.error().message);
    out_.content += cat("\n", constrains ? "c " : "r ", *path, " ", file->size(), "\n", *file);
    take_file({*path, from.depth + 1, constrains}, *file);
  }

  const ReadFile& read_;
  const std::optional<std::string>& index_;
  Requirements out_;
  std::set<std::string> seen_;
  std::vector<std::string> faults_;
  size_t bytes_ = 0;
  size_t lines_ = 0;
};

}  // namespace

Result<Requirements> check_requirements(const std::string& path, const ReadFile& read,
                                        const std::optional<std::string>& index) {
  Gathering gathering(read, index);
  TRY(gathering.start(path));
  return std::move(gathering).finish();
}

}  // namespace paddock::requirements
