// Objects in files, as `apply -f`, `create -f` and `delete -f` take them: YAML or JSON, several
// documents in a file, a List of objects, a folder of files, or `-` for stdin.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/kinds.h"
#include "cli/terminal/env.h"
#include "common/base/result.h"
#include "common/wire/value.h"
#include "common/wire/yaml_lines.h"

namespace paddock::cli {

struct ManifestText {
  std::string source;  // the path as it was typed, or `stdin`
  std::string text;
};
// A folder's .yaml, .yml and .json files come in the order of their names; nothing below it.
Result<std::vector<ManifestText>> read_manifests(const std::vector<std::string>& paths,
                                                 const Env& env);

// Where an object stands, for errors.
struct ManifestPlace {
  std::string source;                      // `runs.yaml, document 2, items[3]`
  std::string file;                        // `runs.yaml`
  std::shared_ptr<wire::YamlLines> lines;  // of all of that file
  size_t document = 0;                     // in it, from 0
  std::string within;                      // in the document: empty, or `items[3].`

  // `runs.yaml:7` of a field of the object; empty: nothing of it is there.
  std::string of(std::string_view field) const;
  // The error with the place of each of its fields, or else that of the object, in front.
  Error in_front_of(Error error) const;
};

struct Manifest {
  Kind kind = Kind::kRun;
  std::string name;        // empty: the server makes one up from metadata.generateName
  std::string name_space;  // empty for kinds without one
  wire::Value object;
  ManifestPlace place;

  std::string collection() const;  // where it is created
  std::string target() const;      // where it is, once it has a name
};
// What becomes of the objects. What is applied or deleted must be the same object twice, so it has
// a name; a tool token's secret is in the answer to its creation and nowhere else, so no file makes
// one.
enum class ManifestUse { kCreate, kApply, kDelete };
// `name_space`: what -n says, or empty. BAD_MANIFEST names everything that is wrong, each with its
// place (NAME_MISSING or TOKEN_IN_FILE if that is all); then nothing is to be sent. Pure.
Result<std::vector<Manifest>> parse_manifests(const std::vector<ManifestText>& texts,
                                              const std::string& name_space, ManifestUse use);

}  // namespace paddock::cli
