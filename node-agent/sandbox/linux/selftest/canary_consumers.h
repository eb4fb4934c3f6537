// The attempts that run into a limit. Inside a sandbox only; see canary_attempts.h.
#pragma once

#include <string>

namespace paddock::sandbox {

std::string hold_descriptors();
std::string install_filters();
std::string write_large_file();
std::string fill_scratch();
std::string make_files();
std::string fork_children();
std::string hand_over_descriptor();
std::string take_flow_label();
std::string join_from_source();
std::string map_huge_page();
std::string lock_ranges();
std::string set_long_attribute();
std::string set_hidden_attribute();
std::string merge_page();
std::string merge_pages();
// Whether the kernel tells of a file that nobody has received, which who measures a disk needs.
std::string leave_in_flight();
std::string set_space_aside(const std::string& file);

// Commands of sandboxes of their own; each returns its exit code, if its sandbox lets it.
int use_memory();  // prints MEMORY if it was told no, or nothing stopped it
int use_cpu();
int go_on();
int fill_folder(const std::string& file);  // and then goes on
// Leaves processes behind that hold a lock on the file, says so, and ends.
int leave_survivors(const char* file);

}  // namespace paddock::sandbox
