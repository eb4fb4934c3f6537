#include "cli/options/package_sources.h"

#include <sys/stat.h>

#include "cli/options/command_row.h"
#include "cli/options/names.h"
#include "common/base/text.h"
#include "common/contracts/package_index.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr const char* kPublicPython = "https://pypi.org/simple";
constexpr const char* kPublicNpm = "https://registry.npmjs.org";

Error wheel_dir_error(std::string message) {
  return invalid_argument("WHEEL_DIR_INVALID", std::move(message), "--wheel-dir");
}

// A company's CA stands for its way to any index; it goes with the last of them.
Result<PackageSources> preset(const std::string& word, const std::string& ca_file) {
  if (word == "none" || word.empty()) return PackageSources{};
  if (word == "public") return PackageSources{kPublicPython, kPublicNpm, "", ca_file};
  return invalid_argument("PACKAGES_INVALID",
                          cat("`public` (", kPublicPython, " and ", kPublicNpm,
                              ") or `none`; --python-index, --npm-registry and --wheel-dir name "
                              "others"),
                          "--packages");
}

Status take_index(const Parsed& parsed, const std::string& option, std::string& into) {
  if (!parsed.has(option)) return {};
  const std::string url = parsed.text(option);
  if (!url.empty()) {
    const auto index = contracts::parse_package_index(url);
    if (!index) return invalid_argument(index.error().reason, index.error().message, "--" + option);
  }
  into = url;
  return {};
}

Status take_wheel_dir(const Parsed& parsed, const std::string& cwd, std::string& into) {
  if (!parsed.has("wheel-dir")) return {};
  const std::string given = parsed.text("wheel-dir");
  into = given.empty() ? "" : absolute_path(cwd, given);
  struct stat folder = {};
  if (into.empty()) return {};
  if (::stat(into.c_str(), &folder) != 0)
    return wheel_dir_error(cat("there is no folder ", into, "; name one that holds .whl files"));
  if (!S_ISDIR(folder.st_mode))
    return wheel_dir_error(cat(into, " is a file; name the folder that holds the .whl files"));
  return {};
}

// Read once, so that a file that is none is not found out in the middle of a run.
Status take_ca(const Parsed& parsed, const std::string& cwd, std::string& into) {
  if (!parsed.has("packages-ca")) return {};
  const std::string given = parsed.text("packages-ca");
  into = given.empty() ? "" : absolute_path(cwd, given);
  if (into.empty()) return {};
  constexpr size_t kMostCa = size_t{1} << 20;
  const auto pem = os::read_file(into, kMostCa);
  if (!pem.ok())
    return invalid_argument("CA_FILE_UNREADABLE",
                            cat("cannot read ", into, ": ", pem.error().message), "--packages-ca");
  if (pem->find("-----BEGIN CERTIFICATE-----") == std::string::npos)
    return invalid_argument("CA_FILE_UNREADABLE", cat(into, " holds no certificate in PEM"),
                            "--packages-ca");
  return {};
}

}  // namespace

Result<PackageSources> choose_sources(const Parsed& parsed, const std::string& cwd,
                                      PackageSources remembered) {
  if (parsed.has("packages")) {
    ASSIGN_OR_RETURN(remembered, preset(parsed.text("packages"), remembered.ca_file));
  }
  TRY(take_index(parsed, "python-index", remembered.python_index));
  TRY(take_index(parsed, "npm-registry", remembered.npm_registry));
  TRY(take_wheel_dir(parsed, cwd, remembered.wheel_dir));
  TRY(take_ca(parsed, cwd, remembered.ca_file));
  return remembered;
}

std::vector<std::string> source_args(const PackageSources& sources) {
  std::vector<std::string> out;
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) out.insert(out.end(), {flag, value});
  };
  add("--python-index", sources.python_index);
  add("--npm-registry", sources.npm_registry);
  add("--wheel-dir", sources.wheel_dir);
  add("--packages-ca", sources.ca_file);
  return out;
}

std::vector<std::string> source_lines(const PackageSources& sources) {
  std::vector<std::string> out;
  if (!sources.python_index.empty()) out.push_back(cat("Python from ", sources.python_index));
  if (!sources.wheel_dir.empty()) out.push_back(cat("Python wheels from ", sources.wheel_dir));
  if (!sources.npm_registry.empty()) out.push_back(cat("npm from ", sources.npm_registry));
  if (!out.empty() && !sources.ca_file.empty())
    out.push_back(cat("by the CA in ", sources.ca_file));
  if (out.empty()) out.emplace_back("from nowhere; `paddock up --packages public` changes that");
  return out;
}

}  // namespace paddock::cli
