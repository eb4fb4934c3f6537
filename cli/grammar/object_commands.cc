#include "cli/grammar/command_rows.h"

namespace paddock::cli {
namespace {

constexpr const char* kObjects = "Objects";

const ArgumentRow kKind{
    "KIND",
    "runs (rn), workspaces (ws), volumes (vol), grants (gr), tooltokens (tt), sandboxes (sb), "
    "secrets (sec) or nodes (no)"};
const OptionRow kObjectOutput{"-o,--output", "FORMAT",
                              "table, wide, json, yaml, name or jsonpath=TEMPLATE"};
const OptionRow kFiles{"-f,--filename", "FILE",
                       "YAML or JSON file, or a folder of them; - reads stdin; may be repeated",
                       true};
const OptionRow kSelector{"-l,--selector", "SELECTOR", "labels, e.g. team=a,stage!=test"};
const OptionRow kDryRun{"--dry-run", "", "check all as if it were done; nothing is kept"};

CommandRow get_row() {
  return {
      "get",
      kObjects,
      "list objects, or show those that are named",
      {kKind, {"NAME", "one object, or several", false, true}},
      {kNamespace,
       {"-A,--all-namespaces", "", "every namespace"},
       kObjectOutput,
       kSelector,
       {"--field-selector", "SELECTOR", "fields, e.g. status.phase=Failed"},
       {"-L,--label-columns", "LABELS", "a column for each, e.g. team,stage", true},
       {"--sort-by", "PATH", "by a field, e.g. .status.startedAt"},
       {"--limit", "N", "the last N of them; of runs the newest"},
       {"--all-elements", "", "also the elements of arrays, which a table leaves out otherwise"},
       {"-w,--watch", "", "go on and show what changes, until Ctrl-C"}},
      "Runs and sandboxes are listed as they were made, the newest last; other kinds by name.\n"
      "An array is one row; with a selector, or as a document, its elements are there too:\n"
      "`-l paddock.dev/array=NAME`.\n\n"
      "  paddock get runs -w\n  paddock get run hello -o yaml\n"
      "  paddock get runs --field-selector status.phase=Failed --limit 20 -L team\n"
      "  paddock get runs -o jsonpath='{range .items[*]}{.metadata.name}{\"\\n\"}{end}'"};
}

CommandRow describe_row() {
  return {"describe",
          kObjects,
          "objects in detail: why they wait, what was enforced",
          {kKind, {"NAME", "the objects; all of them without a name", false, true}},
          {kNamespace, {"-A,--all-namespaces", "", "every namespace"}, kSelector},
          "  paddock describe run hello\n  paddock describe nodes"};
}

CommandRow apply_row() {
  return {
      "apply",
      kObjects,
      "make objects be as files say: create or change them",
      {},
      {kFiles,
       kNamespace,
       kDryRun,
       {"--force", "", "also fields that someone else has set"},
       kObjectOutput},
      "Server-side apply under the name `paddock`: fields that the file does not name stay as\n"
      "they are, fields that it no longer names go. Applied again, nothing changes. All files\n"
      "are read before anything is sent; an object that is refused does not stop the others.\n\n"
      "  paddock apply -f runs/ -n team-a\n  paddock apply -f - --dry-run < run.yaml"};
}

CommandRow create_row() {
  return {"create",
          kObjects,
          "create objects from files; one that exists is refused",
          {},
          {kFiles, kNamespace, kDryRun, kObjectOutput},
          "An object with metadata.generateName gets a name of its own each time.\n\n"
          "  paddock create -f run.yaml -o name"};
}

CommandRow delete_row() {
  return {"delete",
          kObjects,
          "delete objects: by name, by labels, or those that files name",
          {{"KIND", kKind.help, false}, {"NAME", "names of the objects", false, true}},
          {kFiles,
           kNamespace,
           kSelector,
           {"--all", "", "every object of the kind in the namespace"},
           {"--ignore-not-found", "", "what is not there counts as deleted"},
           {"--now", "", "kill a run's command at once, without what its grace leaves it"},
           {"--force", "", "do not wait for a run's node: its record is gone at once"},
           {"--no-wait", "", "return when it is asked for, not when they are gone"}},
          "A run that has not ended is canceled first, and gone once its node has ended it.\n\n"
          "  paddock delete run hello\n  paddock delete runs -l stage=test\n"
          "  paddock delete runs --all -n team-a\n"
          "  paddock delete -f runs/"};
}

CommandRow label_row() {
  return {"label",
          kObjects,
          "set or remove labels of objects",
          {kKind,
           {"NAME", "the objects, and behind them the labels: KEY=VALUE sets one, KEY- removes it",
            false, true}},
          {kNamespace,
           kSelector,
           {"--all", "", "every object of the kind in the namespace"},
           {"--overwrite", "", "also labels that have another value"}},
          "  paddock label run hello other stage=test team-\n  paddock label node/gpu-1 zone=a\n"
          "  paddock label runs -l stage=test reviewed=yes"};
}

CommandRow annotate_row() {
  return {
      "annotate",
      kObjects,
      "set or remove annotations of objects",
      {kKind,
       {"NAME", "the objects, and behind them the annotations: KEY=VALUE sets one, KEY- removes it",
        false, true}},
      {kNamespace,
       kSelector,
       {"--all", "", "every object of the kind in the namespace"},
       {"--overwrite", "", "also annotations that have another value"}},
      "  paddock annotate run hello note='the one with the new loss' old-"};
}

CommandRow explain_row() {
  return {"explain",
          kObjects,
          "what a field of an object is, in the controller's own words",
          {{"FIELD", "a kind, or a field of it such as run.spec.resources"}},
          {{"--recursive", "", "the names of all fields below"}},
          "  paddock explain run.spec.sandbox.limits"};
}

CommandRow api_resources_row() {
  return {"api-resources",
          kObjects,
          "the kinds of objects that the controller has",
          {},
          {{"-o,--output", "FORMAT", "table, wide, json or yaml"}},
          "  paddock api-resources"};
}

}  // namespace

std::vector<CommandRow> object_commands() {
  return {get_row(),   describe_row(), apply_row(),   create_row(),       delete_row(),
          label_row(), annotate_row(), explain_row(), api_resources_row()};
}

}  // namespace paddock::cli
