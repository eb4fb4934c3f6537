// Every object of a kind, a page per read. For controller/workspaces only.
#pragma once

#include <optional>
#include <string>

#include "controller/store/store.h"

namespace paddock::workspaces {

// Visits the objects of one namespace, or of all.
template <class T, class Visit>
Status visit_objects(store::Store& store, const std::optional<std::string>& name_space,
                     const Visit& visit) {
  store::ListOptions options;
  options.name_space = name_space;
  options.limit = 500;
  do {
    store::Page<T> page;
    TRY(store.read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(page, txn.list<T>(options));
      return {};
    }));
    for (const T& each : page.items) visit(each);
    options.after = page.continue_after;
  } while (!options.after.empty());
  return {};
}

}  // namespace paddock::workspaces
