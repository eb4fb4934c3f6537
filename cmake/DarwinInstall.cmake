# Where `cmake --install` puts what on macOS. packaging/launchd/install makes a service of it.
install(TARGETS paddock paddock-sandbox paddock-confine paddock-node-agent RUNTIME)
install(DIRECTORY packaging/profiles DESTINATION share/paddock)
install(FILES packaging/node-agent.example.yaml DESTINATION share/paddock)
