#include "common/contracts/snippet_report.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SnippetReport);
