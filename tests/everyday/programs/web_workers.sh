# gunicorn and uvicorn: servers with several workers, by localhost and by a Unix socket, that end as they are told.
# run: bash web_workers.sh
# needs: gunicorn python3-uvicorn curl
# loopback
# limits: {memory: 1Gi, cpuTime: 60s, pids: 64}
set -e
cat > app.py <<'P'
def wsgi(environment, start):
    start("200 OK", [])
    return [b"hi\n"]


async def asgi(scope, receive, send):
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hi\n"})
P
says_hi() {
    for _ in $(seq 300); do
        test "$(curl --silent --max-time 10 "$@")" = hi && return
        sleep 0.1
    done
    return 1
}
/usr/bin/python3 -m gunicorn --workers 3 --bind 127.0.0.1:8811 app:wsgi 2> gunicorn.log &
says_hi http://localhost:8811/
kill -TERM $! && wait $!
/usr/bin/python3 -m gunicorn --bind unix:/tmp/app.sock app:wsgi 2> gunicorn.log &
says_hi --unix-socket /tmp/app.sock http://localhost/
kill -TERM $! && wait $!
/usr/bin/python3 -m uvicorn --lifespan off --workers 2 --port 8812 app:asgi 2> uvicorn.log &
says_hi http://localhost:8812/
kill -INT $! && wait $!
echo ok
