# Python's own web server, and a client of it.
# run: python3 server_and_client.py
# loopback
import http.server, threading, urllib.request
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=s.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f"http://localhost:{s.server_port}/").status)
print("ok")
