// A Table of the server's as rows for people: which columns a kind has is decided there alone, so
// that kubectl shows the same.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/table.h"
#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::cli {

struct TableOptions {
  bool wide = false;  // the columns of a lower priority too
  bool all_namespaces = false;
  std::vector<std::string> labels = {};  // as columns
};

// Takes the parts of a list and the changes behind it. Pure.
class ServerTable {
 public:
  explicit ServerTable(TableOptions options) : options_(std::move(options)) {}
  // The rows of one answer. What has no columns has those of the answer before it.
  // UNEXPECTED_ANSWER for what is no table.
  Result<Table> take(const wire::Value& answer);

 private:
  void take_columns(const wire::Value::Array& columns);
  std::vector<std::string> row_of(const wire::Value& row) const;

  const TableOptions options_;
  std::vector<std::string> header_;
  std::vector<size_t> shown_;  // numbers of cells
};

}  // namespace paddock::cli
