#include "cli/output/failure_hint.h"

#include <algorithm>
#include <array>

#include "cli/terminal/exit_codes.h"
#include "cli/terminal/terminal.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using contracts::Run;
using contracts::Tree;

constexpr const char* kNoFile =
    "no file was sent; `paddock run DIR -- …` sends those of a folder, `.` for this one";

bool has_file(const Tree& sent, const std::string& path) {
  return std::ranges::any_of(sent.entries, [&](const auto& entry) { return entry.path == path; });
}

// The text in quotes behind the last occurrence of these words; empty: they do not occur.
std::string quoted_behind(std::string_view text, std::string_view words) {
  const size_t at = text.rfind(words);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + words.size());
  const size_t end = text.find_first_of("'\n");
  return end == std::string_view::npos || text[end] != '\'' ? std::string()
                                                            : std::string(text.substr(0, end));
}

constexpr const char* kInstalls =
    "a run installs no package by itself: --requirements FILE installs, before it starts, what a "
    "requirements.txt, pyproject.toml or package.json of the project names";

// Programs that hosts have by another name, or not at all.
std::string of_a_usual_program(const std::string& program) {
  if (program == "python") return "hosts call it `python3`: `-- python3 …`";
  for (const char* installer : {"pip", "pip3", "uv", "poetry", "conda", "apt-get"})
    if (program == installer) return kInstalls;
  return "";
}

std::string of_a_program_that_is_not_there(const Run& run, const Tree& sent) {
  const std::vector<std::string>& argv = run.spec.command.argv;
  if (const std::string usual = argv.empty() ? "" : of_a_usual_program(argv.front());
      !usual.empty())
    return usual;
  if (argv.size() == 1 && argv.front().find(' ') != std::string::npos)
    return "each word behind `--` is one word of the program: take the quotes away";
  if (sent.entries.empty()) return kNoFile;
  if (argv.empty() || !has_file(sent, argv.front())) return "";
  return cat("`", printable(argv.front()),
             "` is a file of the project: start it by what reads it, ", "as in `-- python3 ",
             printable(argv.front()), "`");
}

std::string of_a_file_without_its_bit(const Run& run, const Tree& sent) {
  const std::vector<std::string>& argv = run.spec.command.argv;
  if (argv.empty() || !argv.front().starts_with("./")) return "";
  const std::string path = argv.front().substr(2);
  if (!has_file(sent, path)) return "";
  return cat("`chmod +x ", printable(path),
             "` lets it be started so; or start it by what reads it, ", "as in `-- python3 ",
             printable(path), "`");
}

// A program that was to read a file, and there is none.
std::string of_a_run_without_files(const Run& run, std::string_view said, const Tree& sent) {
  if (!sent.entries.empty() || said.find("No such file") == std::string_view::npos) return "";
  const auto& argv = run.spec.command.argv;
  const bool named = std::ranges::any_of(argv, [&](const std::string& word) {
    return &word != &argv.front() && !word.empty() && !word.starts_with('-') &&
           !word.starts_with('/') && said.find(word) != std::string_view::npos;
  });
  return named ? kNoFile : "";
}

// The folder of the project in which Python would find this module; empty: none, or at the top.
std::string folder_of_module(const Tree& sent, const std::string& name) {
  const std::string package = cat("/", name, "/__init__.py");
  const std::string module = cat("/", name, ".py");
  for (const auto& entry : sent.entries) {
    for (const std::string& end : {package, module})
      if (entry.path.ends_with(end)) return entry.path.substr(0, entry.path.size() - end.size());
  }
  return "";
}

// pip's own word for a Python that belongs to the host.
std::string of_an_installation(std::string_view said) {
  return said.find("externally-managed-environment") == std::string_view::npos ? "" : kInstalls;
}

// Python, Node.js with require() and with import.
std::string of_a_package(const Run& run, std::string_view said, const Tree& sent) {
  constexpr std::array<std::string_view, 3> kWords = {
      "ModuleNotFoundError: No module named '", "Cannot find module '", "Cannot find package '"};
  std::string name;
  for (const std::string_view words : kWords)
    if (name.empty()) name = quoted_behind(said, words);
  if (name.empty() || name.starts_with('.') || name.starts_with('/')) return "";
  // A module of a package of Python. Packages of Node.js have dots in their names.
  if (!quoted_behind(said, kWords[0]).empty()) name = name.substr(0, name.find('.'));
  const bool of_run = run.spec.type == contracts::RunType::kCommand;
  if (const std::string folder = folder_of_module(sent, name); !folder.empty() && of_run)
    return cat("`", printable(name), "` is in ", printable(folder),
               " of the project: --env PYTHONPATH=/workspace/", printable(folder));
  name = printable(name);
  if (!run.spec.requirements.empty())
    return cat("`", name, "` is not there: with --requirements a run has what ",
               printable(run.spec.requirements), " names, and none of the node's own packages");
  return cat("`", name,
             "` is not on that node: --requirements FILE installs what a requirements.txt, "
             "pyproject.toml or package.json of the project names");
}

// An artifact folder is made before the command starts, whatever its name looks like.
std::string of_a_folder_taken_for_a_file(const Run& run, std::string_view said) {
  if (said.find("Is a directory") == std::string_view::npos) return "";
  for (const std::string& dir : run.spec.artifacts.dirs) {
    if (dir != "." && said.find(cat("'", dir, "'")) != std::string_view::npos)
      return cat("--artifact-dir names a folder, so `", printable(dir),
                 "` was made as one; `--artifact-dir .` brings back single files");
  }
  return "";
}

}  // namespace

std::string failure_hint(const Run& run, const Tree& sent) {
  const auto& result = run.status.result;
  if (!result || result->rc == kExitOk) return "";
  const bool of_run = run.spec.type == contracts::RunType::kCommand;
  if (of_run && result->rc == kExitNotFound) return of_a_program_that_is_not_there(run, sent);
  if (of_run && result->rc == kExitDenied) return of_a_file_without_its_bit(run, sent);
  for (const std::string& hint :
       {of_run ? of_a_run_without_files(run, result->err, sent) : std::string(),
        of_an_installation(result->err), of_a_package(run, result->err, sent),
        of_a_folder_taken_for_a_file(run, result->err)})
    if (!hint.empty()) return hint;
  return "";
}

}  // namespace paddock::cli
