#include <algorithm>
#include <map>

#include "common/base/text.h"
#include "common/requirements/named_file.h"
#include "common/requirements/requirement_line.h"
#include "common/requirements/requirements.h"
#include "common/requirements/toml.h"

namespace paddock::requirements {
namespace {

using wire::Value;

constexpr size_t kMostDependencies = 10'000;

Result<Value> read_document(const std::string& path, std::string_view text) {
  auto document = parse_toml(text);
  if (!document) return refused_lines({cat(path, ": ", document.error().message)});
  return document;
}

// One line for pip; a fault if it is none.
void add_line(std::string_view text, const std::string& where, std::string& out,
              std::vector<std::string>& faults) {
  const bool one_line = std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  const std::vector<std::string> words = words_of(text);
  std::string fault = !one_line || words.empty() || words[0].starts_with('-') ||
                              text.find("${") != std::string_view::npos
                          ? "not a requirement, such as numpy>=1.26"
                          : fault_of_requirement(words);
  if (!fault.empty()) {
    faults.push_back(cat(where, ": ", fault));
  } else {
    out += cat(join(words, " "), "\n");
  }
}

// Why there is nothing to install from, for who expects there to be.
std::string fault_of_project(const Value& document) {
  const Value* project = document.find("project");
  if (project == nullptr && document.at("tool.poetry") != nullptr)
    return "its dependencies are Poetry's own; `poetry export` writes a requirements.txt of them";
  if (project == nullptr || project->object() == nullptr)
    return "it has no table [project] with dependencies; write a requirements.txt";
  const Value* dynamic = project->find("dynamic");
  if (dynamic != nullptr && dynamic->array() != nullptr)
    for (const Value& each : *dynamic->array())
      if (each.string() != nullptr && *each.string() == "dependencies")
        return "its dependencies are dynamic; write a requirements.txt of them";
  return {};
}

void add_dependencies(const std::string& path, const Value& document, Requirements& out,
                      std::vector<std::string>& faults) {
  if (const std::string fault = fault_of_project(document); !fault.empty())
    return faults.push_back(cat(path, ": ", fault));
  const Value* given = document.at("project.dependencies");
  if (given == nullptr) return;
  const std::string where = cat(path, " project.dependencies");
  if (given->array() == nullptr || given->array()->size() > kMostDependencies)
    return faults.push_back(cat(where, ": must be a list of at most 10,000 requirements"));
  for (size_t i = 0; i < given->array()->size(); ++i) {
    const std::string* text = (*given->array())[i].string();
    add_line(text == nullptr ? std::string_view() : *text, cat(where, "[", i, "]"), out.text,
             faults);
  }
  out.count = static_cast<int>(given->array()->size());
}

// Under which circumstances a lock means this version of a package; empty: always.
std::string marker_of(const Value& package) {
  const Value* markers = package.find("resolution-markers");
  if (markers == nullptr || markers->array() == nullptr) return {};
  std::vector<std::string> all;
  for (const Value& each : *markers->array())
    if (each.string() != nullptr) all.push_back(cat("(", *each.string(), ")"));
  return all.empty() ? "" : cat(" ; ", join(all, " or "));
}

// What a package of uv.lock asks of pip. The project itself asks for nothing.
void add_locked(const std::string& path, const Value& package, Requirements& out,
                std::vector<std::string>& faults) {
  const std::string name = package.text("name");
  const std::string where = cat(path, " ", name.substr(0, 60));
  const Value* source = package.find("source");
  const bool own =
      source != nullptr && (source->find("virtual") != nullptr || source->text("editable") == "." ||
                            source->text("directory") == ".");
  if (own) return;
  if (source == nullptr || source->find("registry") == nullptr)
    return faults.push_back(cat(
        where, ": it does not come from an index; git, URLs and folders are not installed here"));
  add_line(cat(name, "==", package.text("version"), marker_of(package)), where, out.constraints,
           faults);
}

void add_lock(const std::string& path, const std::string& text, Requirements& out,
              std::vector<std::string>& faults) {
  const auto document = parse_toml(text);
  if (!document) return faults.push_back(cat(path, ": ", document.error().message));
  const Value* packages = document->find("package");
  const bool list = packages != nullptr && packages->array() != nullptr;
  if (!list || packages->array()->size() > kMostDependencies)
    return faults.push_back(cat(path, ": must have a list of at most 10,000 packages"));
  for (const Value& package : *packages->array()) add_locked(path, package, out, faults);
  out.content += cat("\nuv.lock ", text.size(), "\n", text);
  out.notes.push_back("with the versions of uv.lock");
}

}  // namespace

Result<Requirements> check_pyproject(const std::string& path, const ReadFile& read) {
  Requirements out;
  std::vector<std::string> faults;
  ASSIGN_OR_RETURN(out.content, read(path));
  ASSIGN_OR_RETURN(const Value document, read_document(path, out.content));
  add_dependencies(path, document, out, faults);
  const std::string lock = cat(path.substr(0, path.rfind('/') + 1), "uv.lock");
  if (const auto text = read(lock); text && faults.empty()) add_lock(lock, *text, out, faults);
  if (!faults.empty()) return refused_lines(faults);
  return out;
}

Result<Requirements> check_python(const std::string& path, const ReadFile& read,
                                  const std::optional<std::string>& index) {
  ASSIGN_OR_RETURN(const NamedFile named, named_file(path));
  return named.kind == FileKind::kProject ? check_pyproject(named.path, read)
                                          : check_requirements(named.path, read, index);
}

}  // namespace paddock::requirements
