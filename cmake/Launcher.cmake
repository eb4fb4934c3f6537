# The launcher on other systems than Linux, from the files that every system shares and the system's own
# folder. On Windows it is all there is; on macOS (CMakeLists.txt) the agent and the CLI are built too.
function(launcher_library name folder)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  list(TRANSFORM ARGN APPEND .cc)
  add_library(${name} STATIC ${ARGN})
endfunction()

if(APPLE)
  launcher_library(node-agent_sandbox_app node-agent/sandbox
    result/event_writer result/head_and_tail result/launcher_limits result/outcome result/output result/output_pipe result/outputs result/redact
    result/request result/spool_room plan/etc_files plan/missing_limits plan/mount_table plan/plan_check plan/portable_rlimits
    plan/request_check plan/view_paths command/execute macos/backend macos/confine macos/descriptors macos/group
    macos/group_guard macos/group_supervisor macos/run_folder macos/seatbelt macos/seatbelt_plan macos/signal_pipe
    macos/darwin/host app/options)
  target_link_libraries(node-agent_sandbox_app common_contracts common_os)
  add_executable(paddock-confine node-agent/sandbox/macos/darwin/confine/main.cc)
  target_link_libraries(paddock-confine node-agent_sandbox_app)
  return()
endif()

set(CMAKE_POSITION_INDEPENDENT_CODE OFF)  # this system's compiler does it unasked
find_path(RAPIDJSON_HEADERS rapidjson/rapidjson.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
# A folder of its own: the rest of this machine's headers is for another system.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${RAPIDJSON_HEADERS}/rapidjson ${CMAKE_BINARY_DIR}/include/rapidjson SYMBOLIC)
include_directories(${PROJECT_SOURCE_DIR})
include_directories(SYSTEM ${CMAKE_BINARY_DIR}/include)
launcher_library(common_base common/base control_text error fault_sentence reason text time told_cause units)
launcher_library(common_wire common/wire check describe internal/tree_builder json json_write units value)
launcher_library(common_contracts common/contracts
  canary domain_rule homes inner_paths launch limit_field mount_places sandbox_policy sandbox_refusal sandbox_result)
target_link_libraries(common_wire common_base)
target_link_libraries(common_contracts common_wire)
launcher_library(sandbox node-agent/sandbox
  result/head_and_tail result/launcher_limits result/output result/outputs result/redact plan/missing_limits plan/request_check plan/view_paths
  windows/backend windows/command_line windows/job_outcome windows/job_settings windows/win32/job_host)
target_link_libraries(sandbox common_contracts)
add_executable(paddock-sandbox node-agent/sandbox/windows/win32/main.cc)
target_compile_definitions(sandbox PRIVATE UNICODE _WIN32_WINNT=0x0A00 NOMINMAX)
target_link_libraries(paddock-sandbox sandbox)
add_executable(job_child tests/ports/job_child.cc)
foreach(program IN ITEMS paddock-sandbox job_child)
  target_link_options(${program} PRIVATE -municode -static -fstack-protector-strong)
endforeach()
