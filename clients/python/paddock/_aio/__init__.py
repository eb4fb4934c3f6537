"""The client's own source, written for asyncio. `scripts/generate` makes the blocking client beside this folder from it, so both do
the same; by hand are the connections alone: `_http.py` here and there."""
