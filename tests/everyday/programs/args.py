# Arguments reach a program as they were given, whatever is in them.
# run: python3 args.py -c conf.yaml -m x --prompt "what; is > this | ?" --url 'http://x/?a=1&b=2' --data /volumes/captions --out /tmp/x
import sys; print(sys.argv[1:]); print("ok")  # in the list form; the flags are the script's own
