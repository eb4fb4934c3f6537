// The words of HTTP that the API speaks: those of the server beneath it.
#pragma once

#include "controller/http_server/http_message.h"

namespace paddock::api {

using http_server::BodyReader;
using http_server::Handler;
using http_server::HeldAnswer;
using http_server::Request;
using http_server::Response;
using http_server::ResponseStream;
using http_server::Steps;
using http_server::Upgraded;

}  // namespace paddock::api
