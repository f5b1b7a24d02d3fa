"""Lines of JSON, which Schemathesis does not write by itself: one line for each part of a list, else a line of its own."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    if isinstance(value, (str, bytes)):
        return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
    parts = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(part) for part in parts).encode()
