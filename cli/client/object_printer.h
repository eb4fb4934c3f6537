// Prints objects as they are asked for, those of a table below each other: a list as it comes, part
// by part, or once it is whole where it is put in order.
#pragma once

#include <string>
#include <vector>

#include "cli/client/object_choice.h"
#include "cli/options/list_order.h"
#include "cli/output/object_output.h"
#include "cli/output/server_table.h"

namespace paddock::cli {

struct Shown {
  ObjectOutput output;
  ListOrder order;
  std::vector<std::string> labels;  // as columns
};

class ObjectPrinter {
 public:
  // `choice` and `env` outlive it.
  ObjectPrinter(const ObjectChoice& choice, Shown shown, const Env& env);

  bool prints_documents() const { return output_.is_document(); }
  // The form of the list that this output needs from the server. Documents of runs carry their
  // output, which no row shows.
  client::ListForm form() const;
  // A parameter for the request of that list; often empty.
  std::string wish() const;

  // One object by its name, or a change of it: UNEXPECTED_ANSWER.
  Status print_one(const wire::Value& answer);
  Status print_change(std::string_view type, const wire::Value& object);
  // Prints the objects that exist now, before they are followed: documents one after another.
  void print_documents(const std::vector<wire::Value>& items);
  // A part of a list; `end_list` after the last of them: FIELD_UNKNOWN for an order by what is not
  // there.
  Status take_part(wire::Value& page);
  Status end_list();

 private:
  Status gather(wire::Value& page);
  Status arrange_document();
  Result<Table> lines_of(const wire::Value& answer);
  void take_lines(Table table, std::vector<SortKey> keys);
  void write_lines(Table table);

  const ObjectChoice& choice_;
  ObjectOutput output_;
  ListOrder order_;
  ServerTable table_;
  const Env& env_;
  std::vector<size_t> widths_;
  bool found_ = false;
  wire::Value whole_;                // a document
  std::vector<std::string> header_;  // of lines that wait for their order
  Keyed<std::vector<std::string>> lines_;
};

}  // namespace paddock::cli
