# Tcl: a server and a client in one event loop, a child, dates of another place.
# run: tclsh sockets.tcl
# needs: tcl
# loopback
proc accept {channel host port} {puts $channel "from $port"; close $channel}
set server [socket -server accept -myaddr 127.0.0.1 0]
set client [socket 127.0.0.1 [lindex [fconfigure $server -sockname] 2]]
fileevent $client readable {set said [gets $client]}
after 30000 {set said "nobody"}
vwait said
if {![string match "from *" $said]} {error $said}
if {[exec echo abc | tr a-c A-C] ne "ABC"} {error child}
if {[clock format 0 -timezone :Europe/Berlin -format %H] ne "01"} {error clock}
if {[encoding system] ne "utf-8"} {error [encoding system]}
puts ok
