#include "common/requirements/named_file.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/text.h"

namespace paddock::requirements {
namespace {

struct KnownFile {
  std::string_view name;
  std::string_view beside;  // what is read
  FileKind kind;
};
constexpr std::array kKnownFiles = {
    KnownFile{"pyproject.toml", "pyproject.toml", FileKind::kProject},
    KnownFile{"uv.lock", "pyproject.toml", FileKind::kProject},
    KnownFile{"package.json", "package.json", FileKind::kPackageJson},
    KnownFile{"package-lock.json", "package.json", FileKind::kPackageJson},
};

struct Foreign {
  std::string_view name;
  std::string_view instead;
};
constexpr std::string_view kNpm =
    "`npm install --package-lock-only` writes a package-lock.json; name package.json";
constexpr std::string_view kConda =
    "environments of conda are not made; name its packages from PyPI in a requirements.txt";
constexpr std::string_view kSetup =
    "nothing of a project is executed to find what it needs; name that in a requirements.txt, or "
    "in "
    "project.dependencies of a pyproject.toml";
constexpr std::array kForeign = {
    Foreign{"poetry.lock", "`poetry export -o requirements.txt` writes a file that can be named"},
    Foreign{"Pipfile", "`pipenv requirements > requirements.txt` writes a file that can be named"},
    Foreign{"Pipfile.lock",
            "`pipenv requirements > requirements.txt` writes a file that can be named"},
    Foreign{"pdm.lock", "`pdm export -o requirements.txt` writes a file that can be named"},
    Foreign{"pylock.toml", "`uv export -o requirements.txt` writes a file that can be named"},
    Foreign{"environment.yml", kConda},
    Foreign{"environment.yaml", kConda},
    Foreign{"setup.py", kSetup},
    Foreign{"setup.cfg", kSetup},
    Foreign{"yarn.lock", kNpm},
    Foreign{"pnpm-lock.yaml", kNpm},
    Foreign{"bun.lock", kNpm},
    Foreign{"bun.lockb", kNpm},
    Foreign{"npm-shrinkwrap.json", kNpm},
};

}  // namespace

Result<NamedFile> named_file(const std::string& path) {
  const size_t begin = path.rfind('/') + 1;
  const std::string_view name = std::string_view(path).substr(begin);
  if (const auto found = std::ranges::find(kKnownFiles, name, &KnownFile::name);
      found != kKnownFiles.end())
    return NamedFile{found->kind, cat(path.substr(0, begin), found->beside)};
  const auto foreign = std::ranges::find(kForeign, name, &Foreign::name);
  if (foreign == kForeign.end()) return NamedFile{FileKind::kRequirements, path};
  return invalid_argument("REQUIREMENTS_INVALID", cat(path, ": ", foreign->instead),
                          "spec.requirements");
}

Error lacks_its_file(const std::string& lock, const NamedFile& named) {
  const bool python = named.kind == FileKind::kProject;
  return invalid_argument(
      "REQUIREMENTS_INVALID",
      cat(lock, " is read with the file that it was made from, and the project has no ", named.path,
          ": send that too",
          python ? ", or name the requirements.txt that `uv export -o requirements.txt` writes"
                 : ""),
      "spec.requirements");
}

}  // namespace paddock::requirements
