// Checks that the headers of one request go together: which it must have, and which it may not have
// beside others. Pure.
#pragma once

#include "controller/http_server/request_head.h"

namespace paddock::http_server {

// HEADER_INVALID, with the header's name as the field when one is to blame.
Error header_error(std::string_view name, std::string message);

// Exactly one Host, one unambiguous length, no body where none is allowed, no encodings. Fills the
// fields of `head` that follow from its headers.
Status apply_rules(RequestHead& head);

}  // namespace paddock::http_server
