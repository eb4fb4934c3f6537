# A web application on its development server, asked by another process.
# run: python3 web_app.py
# needs: python3-flask
# loopback
import threading
import urllib.request

import flask
import werkzeug.serving

app = flask.Flask(__name__)
app.add_url_rule("/", view_func=lambda: {"answer": 42})
server = werkzeug.serving.make_server("127.0.0.1", 0, app)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f"http://localhost:{server.port}/").read())
server.shutdown()
print("ok")
