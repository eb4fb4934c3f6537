# Ruby: threads, children, a server on localhost.
# run: ruby gems.rb
# needs: ruby
# loopback
require "json"
require "socket"

server = TCPServer.new("127.0.0.1", 0)
Thread.new { server.accept.then { |client| client.puts(JSON.generate({ answer: 42 })) and client.close } }
answer = JSON.parse(TCPSocket.new("localhost", server.addr[1]).gets)
puts `echo child`, answer["answer"]
puts answer == { "answer" => 42 } ? "ok" : "no"
