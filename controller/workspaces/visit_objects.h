// Every object of a kind, a page per read. For controller/workspaces only.
#pragma once

#include <optional>
#include <string>

#include "controller/store/store.h"

namespace paddock::workspaces {

// The treatment of objects that this version cannot read.
enum class Unreadable {
  kRefused,  // what one of them names is not known: for code that removes what nothing names
  kLeftOut,
};

// Visits the objects of one namespace, or of all. STORE_DATA_INVALID.
template <class T, class Visit>
Status visit_objects(store::Store& store, const std::optional<std::string>& name_space,
                     Unreadable unreadable, const Visit& visit) {
  store::ListOptions options;
  options.name_space = name_space;
  options.limit = 500;
  options.leave_out = unreadable == Unreadable::kLeftOut;
  do {
    store::Page<T> page;
    TRY(store.read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(page, txn.list<T>(options));
      return {};
    }));
    if (unreadable == Unreadable::kRefused && !page.left_out.empty())
      return store::cannot_be_read(T::kKind, page.left_out.front());
    for (const T& each : page.items) visit(each);
    options.after = page.continue_after;
  } while (!options.after.empty());
  return {};
}

}  // namespace paddock::workspaces
