// Arrays as their callers see them: which names and labels are theirs, and what they do not have.
#pragma once

#include "common/contracts/run.h"
#include "controller/store/store.h"

namespace paddock::api {

// Checks a new run: LABEL_RESERVED. If it is an array, the names and labels of its elements have to
// fit: ARRAY_NAME_TOO_LONG, LABEL_INVALID.
Status check_array_metadata(const contracts::Run& run);
// Checks that no caller writes the labels that mark the elements of an array: LABEL_RESERVED.
Status check_array_labels(const contracts::ObjectMeta& live, const contracts::ObjectMeta& next);
// Checks of a new array that no run has the name of one of its elements: ARRAY_NAME_TAKEN. It looks
// at all names with that beginning, and therefore not in a transaction that others wait for. If
// such a run is created meanwhile, that element fails.
Status check_element_names(store::ReadTxn& txn, const contracts::Run& run);
// Called where a run is stored: checks that it does not have the name of an element of an existing
// array. ARRAY_NAME_TAKEN.
Status check_own_name(store::ReadTxn& txn, const contracts::Run& run);
// The same error for two runs that are created in one request.
Error element_name_taken(const std::string& name, const std::string& array);
// RUN_IS_ARRAY, with the element to ask in place of it. `what`: that an array lacks.
Status refuse_array(const contracts::Run& run, std::string_view what);

}  // namespace paddock::api
