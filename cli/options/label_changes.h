// `KEY=VALUE` and `KEY-`, as `paddock label` and `paddock annotate` take them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::cli {

// Whether a word is one of them, and no name of an object.
bool is_label_change(std::string_view word);

// A merge patch of metadata.labels, or another map of the metadata. USAGE names the word that is
// neither, or comes twice.
Result<wire::Value> label_patch(const std::vector<std::string>& words, const char* map = "labels");

// LABEL_EXISTS names what of `object` the patch would give another value.
Status keeps_labels(const wire::Value& object, const wire::Value& patch);

}  // namespace paddock::cli
