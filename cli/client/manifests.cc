#include "cli/client/manifests.h"

#include <sys/stat.h>

#include <optional>

#include "cli/options/names.h"
#include "cli/options/option_files.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/named_file.h"
#include "common/base/percent.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/meta.h"
#include "common/os/file.h"
#include "common/wire/places.h"
#include "common/wire/yaml.h"

namespace paddock::cli {
namespace {

using wire::Value;

constexpr size_t kMostBytes = size_t{8} << 20;  // what the API takes as well
constexpr size_t kMostFiles = 1'000;
constexpr size_t kMostDocuments = 10'000;

bool is_manifest_name(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

bool is_folder(const std::string& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

Error nothing_in(const std::string& folder) {
  return invalid_argument("NO_MANIFESTS",
                          cat("`", folder, "` has no file that ends with .yaml, .yml or .json"),
                          "--filename");
}

// The paths of the files that a typed one stands for.
Result<std::vector<std::string>> files_of(const std::string& typed, const Env& env) {
  if (typed == "-" || !is_folder(absolute_path(env.cwd, typed))) return std::vector{typed};
  ASSIGN_OR_RETURN(const auto names, os::list_dir(absolute_path(env.cwd, typed)));
  std::vector<std::string> files;
  for (const std::string& name : names)
    if (is_manifest_name(name)) files.push_back(os::join_path(typed, name));
  if (files.empty()) return nothing_in(typed);
  return files;
}

std::string wrong_version(const std::string& version) {
  const std::string expected = cat("`", contracts::kApiVersion, "` is expected, ");
  if (version.empty()) return expected + "and missing";
  const bool agents = version.find("agents.x-k8s.io/") != std::string::npos;
  return cat(expected, "not `", version, "`",
             agents ? ": `kubectl apply` sends such an object (docs/agent-sandbox.md)" : "");
}

// Collects the objects of one call's files: the valid ones, and the mistakes in the others.
class Collector {
 public:
  Collector(const std::string& name_space, ManifestUse use) : wanted_(name_space), use_(use) {}

  void take_text(const ManifestText& file) {
    const auto documents =
        wire::parse_yaml_documents(file.text, kMostDocuments, {.max_bytes = kMostBytes});
    if (!documents.ok()) return refuse_source(file.source, documents.error().message);
    const auto lines = std::make_shared<wire::YamlLines>(file.text);
    const bool several = documents->size() > 1;
    for (size_t i = 0; i < documents->size(); ++i) {
      if ((*documents)[i].is_null()) continue;  // `---` and nothing
      const std::string source = several ? cat(file.source, ", document ", i + 1) : file.source;
      take_document((*documents)[i], {source, file.source, lines, i, {}});
    }
  }

  Result<std::vector<Manifest>> end() && {
    if (faults_.empty() && found_.empty()) refuse_source("--filename", "no object is in it");
    if (faults_.empty()) return std::move(found_);
    Error error{Code::kInvalidArgument, *reason_, "nothing was sent"};
    error.causes = std::move(faults_);
    return error;
  }

 private:
  void refuse_source(const std::string& source, std::string message,
                     Reason reason = "BAD_MANIFEST") {
    faults_.push_back({source, std::move(message)});
    reason_ = !reason_ || *reason_ == reason ? reason : Reason("BAD_MANIFEST");
  }
  void refuse(const ManifestPlace& place, std::string_view field, std::string_view why,
              Reason reason = "BAD_MANIFEST") {
    const std::string line = place.of(field);
    refuse_source(line.empty() ? place.source : line, cat(field, ": ", why), reason);
  }

  void take_document(const Value& document, const ManifestPlace& place) {
    const Value* items = document.find("items");
    const bool list = document.text("kind").ends_with("List") && items != nullptr;
    if (!list || items->array() == nullptr) return take_object(document, {}, place);
    std::string kind = document.text("kind");  // of a RunList, for items that do not say
    kind.resize(kind.size() - std::string_view("List").size());
    for (size_t i = 0; i < items->array()->size(); ++i) {
      ManifestPlace item = place;
      item.within = cat("items[", i, "].");
      item.source += cat(", items[", i, "]");
      take_object((*items->array())[i], kind, std::move(item));
    }
  }

  void take_object(Value object, const std::string& kind_of_list, ManifestPlace place) {
    if (object.object() == nullptr)
      return refuse_source(place.source, cat("an object is expected, not ", object.type_name()));
    if (!kind_of_list.empty()) {
      if (object.find("kind") == nullptr) object.set("kind", kind_of_list);
      if (object.find("apiVersion") == nullptr) object.set("apiVersion", contracts::kApiVersion);
    }
    if (object.text("apiVersion") != contracts::kApiVersion)
      return refuse(place, "apiVersion", wrong_version(object.text("apiVersion")));
    const std::optional<Kind> kind = kind_of_object(object.text("kind"));
    if (!kind) return refuse(place, "kind", unknown_object_kind(object.text("kind")));
    take_kind(std::move(object), *kind, std::move(place));
  }

  std::string_view nameless() const {
    if (use_ == ManifestUse::kDelete) return "it has no name to delete it by";
    return "an object to apply needs one; `paddock create` takes metadata.generateName";
  }

  void take_kind(Value object, Kind kind, ManifestPlace place) {
    Manifest out{kind, object.text("metadata.name"), {}, {}, {}};
    if (kind == Kind::kToolToken && use_ != ManifestUse::kDelete)
      return refuse(place, "kind", "`paddock token create` makes tool tokens, and shows the secret",
                    "TOKEN_IN_FILE");
    if (out.name.empty() && object.text("metadata.generateName").empty())
      return refuse(place, "metadata.name", "a name is missing");
    if (out.name.empty() && use_ != ManifestUse::kCreate)
      return refuse(place, "metadata.name", nameless(), "NAME_MISSING");
    const std::string own = object.text("metadata.namespace");
    if (info(kind).namespaced) {
      if (!own.empty() && !wanted_.empty() && own != wanted_)
        return refuse(
            place, "metadata.namespace",
            cat("it says `", own, "` and --namespace `", wanted_, "`; leave one of them out"));
      out.name_space = !own.empty() ? own : !wanted_.empty() ? wanted_ : "default";
    }
    out.object = std::move(object);
    out.place = std::move(place);
    found_.push_back(std::move(out));
  }

  const std::string& wanted_;
  ManifestUse use_;
  std::vector<Manifest> found_;
  std::vector<Cause> faults_;
  std::optional<Reason> reason_;  // of the faults, once there are any
};

}  // namespace

Result<std::vector<ManifestText>> read_manifests(const std::vector<std::string>& paths,
                                                 const Env& env) {
  const ReadingFile reading;
  std::vector<ManifestText> texts;
  for (const std::string& typed : paths) {
    ASSIGN_OR_RETURN(const auto files, files_of(typed, env));
    for (const std::string& file : files) {
      if (texts.size() == kMostFiles)
        return invalid_argument("TOO_MANY_FILES", cat("at most ", kMostFiles, " files at once"),
                                "--filename");
      Result<std::string> text =
          read_file_or_stdin(file == "-" ? file : absolute_path(env.cwd, file), kMostBytes);
      if (!text.ok()) return of_named_file(text.error(), file == "-" ? "stdin" : file);
      texts.push_back({file == "-" ? "stdin" : file, std::move(*text)});
    }
  }
  return texts;
}

std::string ManifestPlace::of(std::string_view field) const {
  const auto line = lines == nullptr ? std::nullopt : lines->of(cat(within, field), document);
  return line ? cat(file, ":", *line) : "";
}

Error ManifestPlace::in_front_of(Error error) const {
  std::vector<std::string> places;
  for (const Cause& cause : error.causes) places.push_back(of(cause.field));
  Error placed = wire::with_places(error, places);
  if (placed.message == error.message) placed.message = cat(source, ": ", error.message);
  return placed;
}

std::string Manifest::collection() const {
  return contracts::paths::collection(name_space, std::string(info(kind).plural));
}

std::string Manifest::target() const { return cat(collection(), "/", percent_encode(name)); }

Result<std::vector<Manifest>> parse_manifests(const std::vector<ManifestText>& texts,
                                              const std::string& name_space, ManifestUse use) {
  Collector collector(name_space, use);
  for (const ManifestText& each : texts) collector.take_text(each);
  return std::move(collector).end();
}

}  // namespace paddock::cli
