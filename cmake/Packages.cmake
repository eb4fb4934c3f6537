# Where `make install` puts what, and the Debian packages that `make packages` builds from the same
# rules: paddock (CLI and launcher), paddock-controller, paddock-node-agent.
include(GNUInstallDirs)

# As found by taking one away after the other: `paddock doctor` must still stop everything, and the
# adversarial suite pass (docs/install.md says how to repeat that).
set(PADDOCK_AGENT_CAPABILITIES
  "CAP_SYS_ADMIN CAP_SETUID CAP_SETGID CAP_CHOWN CAP_DAC_OVERRIDE CAP_SYS_CHROOT CAP_KILL CAP_SYS_PTRACE")

# Configuration is where the programs look for it unless they are told otherwise: in /etc, whatever the prefix is.
# scripts/install passes PADDOCK_SYSCONFDIR on, for another folder. Evaluated while it is installed.
set(PADDOCK_READ_SYSCONFDIR "
    set(SYSCONFDIR /etc)
    if(NOT \"\$ENV{PADDOCK_SYSCONFDIR}\" STREQUAL \"\")
      set(SYSCONFDIR \"\$ENV{PADDOCK_SYSCONFDIR}\")
    endif()")

# A file with @PREFIX@, @SYSCONFDIR@ and @PADDOCK_AGENT_CAPABILITIES@ in it, filled in for the prefix
# that is installed to, which a package has another one of.
function(install_filled source destination component)
  get_filename_component(name ${source} NAME_WLE)
  install(CODE "
    set(PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
    ${PADDOCK_READ_SYSCONFDIR}
    set(PADDOCK_AGENT_CAPABILITIES \"${PADDOCK_AGENT_CAPABILITIES}\")
    configure_file(${PROJECT_SOURCE_DIR}/${source} ${CMAKE_BINARY_DIR}/filled/${name} @ONLY)
    file(INSTALL ${CMAKE_BINARY_DIR}/filled/${name} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${destination}\")
  " COMPONENT ${component})
endfunction()

# An operator's own version is left alone; the manifest has it all the same.
function(install_configuration source name component)
  get_filename_component(source_path ${source} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  install(CODE "
    ${PADDOCK_READ_SYSCONFDIR}
    set(folder \"\${SYSCONFDIR}/paddock\")
    if(EXISTS \"\$ENV{DESTDIR}\${folder}/${name}\")
      list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${folder}/${name}\")
    else()
      file(INSTALL ${source_path} DESTINATION \"\${folder}\" RENAME ${name})
    endif()
  " COMPONENT ${component})
endfunction()

install(TARGETS paddock paddock-sandbox RUNTIME COMPONENT paddock)
install(DIRECTORY packaging/profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/paddock COMPONENT paddock)
install(FILES README.md SECURITY.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/paddock COMPONENT paddock)
install(FILES docs/policy.md docs/results.md docs/install.md docs/limits.md docs/systems.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/paddock COMPONENT paddock)

install(TARGETS paddock-controller RUNTIME COMPONENT controller)
install_filled(packaging/systemd/paddock-controller.service.in lib/systemd/system controller)
install(FILES packaging/systemd/paddock.sysusers DESTINATION lib/sysusers.d RENAME paddock.conf COMPONENT controller)
# A host of its own is for hosts that join one by one: no token that is good for all of them lies there.
file(READ ${PROJECT_SOURCE_DIR}/packaging/controller.example.yaml controller_yaml)
string(REPLACE "\nenrollToken: true\n" "\nenrollToken: false\n" installed_yaml "${controller_yaml}")
if(installed_yaml STREQUAL controller_yaml)
  message(FATAL_ERROR "packaging/controller.example.yaml has no line `enrollToken: true`")
endif()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/packaging/controller.yaml CONTENT "${installed_yaml}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/controller.example.yaml)
install_configuration(${PROJECT_BINARY_DIR}/packaging/controller.yaml controller.yaml controller)

install(TARGETS paddock-node-agent RUNTIME COMPONENT node-agent)
install_filled(packaging/systemd/paddock-node-agent.service.in lib/systemd/system node-agent)
install_configuration(packaging/node-agent.example.yaml node-agent.yaml node-agent)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL paddock controller node-agent)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};paddock;ALL;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)  # /etc is outside of the prefix
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CONTACT "Paddock maintainers <maintainers@paddock.dev>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PADDOCK_PACKAGE_NAME paddock)
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_NAME paddock-controller)
set(CPACK_DEBIAN_NODE-AGENT_PACKAGE_NAME paddock-node-agent)
set(CPACK_DEBIAN_NODE-AGENT_PACKAGE_DEPENDS "paddock (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_NODE-AGENT_PACKAGE_RECOMMENDS "python3-venv")
set(CPACK_COMPONENT_PADDOCK_DESCRIPTION "Runs untrusted code in native sandboxes: command line and launcher")
set(CPACK_COMPONENT_CONTROLLER_DESCRIPTION "Runs untrusted code in native sandboxes: controller
 REST API, store and scheduler. Start it with systemctl enable --now paddock-controller.")
set(CPACK_COMPONENT_NODE-AGENT_DESCRIPTION "Runs untrusted code in native sandboxes: node agent
 For hosts that own hardware. It dials out to a controller and needs no open port.")
foreach(component controller node-agent)
  string(TOUPPER ${component} upper)
  set(scripts "")
  foreach(script postinst prerm postrm conffiles)
    list(APPEND scripts ${PROJECT_SOURCE_DIR}/packaging/debian/${component}/${script})
  endforeach()
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${scripts}")
endforeach()
include(CPack)
