// Files of a run that runs, asked from the controller.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/contracts/session_calls.h"
#include "common/http/http_client.h"

namespace paddock::cli {

// Where the API shows a place in a run's workspace.
std::string run_files_target(const std::string& name_space, const std::string& run,
                             const std::string& path);

// NOT_A_FOLDER where there is a file.
Result<contracts::SessionFileList> list_run_folder(http::Client& http, const std::string& target);

// Hands on a file from its beginning. FILE_CHANGED: the run wrote to it before it was whole, and
// what was handed on is worth nothing. NOT_A_REGULAR_FILE: it is a folder.
Status read_run_file(http::Client& http, const std::string& target,
                     const std::function<Status(std::string_view)>& take);

// A file of at most contracts::kMostPutBytes into the run, whole or not at all.
Status put_run_file(http::Client& http, const std::string& target, std::string bytes);

}  // namespace paddock::cli
