"""What schemathesis cannot read from the description of a hub.

Bytes as bodies; and, in requests that should work, things that this hub really has: the test passes them in a variable.
"""

import datetime
import hashlib
import itertools
import json
import os

import schemathesis

NODE = os.environ["HUB_NODE"]
KNOWN = json.loads(os.environ["HUB_KNOWN"])
turns = itertools.count()


@schemathesis.serializer("application/wasm", "application/vnd.gephost.recording")
def as_they_are(context, value):
    if hasattr(value, "data"):
        value = value.data
    return {"data": value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")}


def sealed(asset):
    """The asset with its id. Its texts are ASCII and its numbers plain, so that this is its canonical form."""
    text = json.dumps(asset, sort_keys=True, separators=(",", ":"))
    return asset | {"asset_id": "sha256:" + hashlib.sha256(text.encode()).hexdigest()}


def bundle(turn):
    """A bundle that no other turn made."""
    gene = sealed({"type": "Gene", "category": "repair", "signals_match": ["timeout"], "summary": f"Retry {turn} times"})
    capsule = {"type": "Capsule", "trigger": ["timeout"], "gene": gene["asset_id"], "confidence": 0.85}
    capsule |= {"summary": "Fix API timeout with bounded retry", "blast_radius": {"files": 1, "lines": 10}}
    capsule |= {"outcome": {"status": "success", "score": 0.85 if turn % 3 else 0.25}, "success_streak": 2}
    return [gene, sealed(capsule)]


@schemathesis.hook
def before_call(context, case, kwargs):
    if not case.meta.generation.mode.is_positive:
        return
    turn = next(turns)
    for name in case.path_parameters or {}:
        # Every other request asks for what is not here.
        if turn % 2 == 0:
            case.path_parameters[name] = KNOWN[name][turn // 2 % len(KNOWN[name])]
    if isinstance(case.body, dict) and "protocol" in case.body:
        case.body["message_id"] = f"msg_{turn}"
        case.body["sender_id"] = NODE
        case.body["timestamp"] = datetime.datetime.now(datetime.timezone.utc).isoformat()
        if case.body.get("message_type") in ("publish", "validate") and turn % 2 == 0:
            case.body["payload"] = {"assets": bundle(turn)}
        payload = case.body.get("payload")
        if isinstance(payload, dict) and "target_asset_id" in payload and turn % 2 == 0:
            payload["target_asset_id"] = KNOWN["asset_id"][turn // 2 % len(KNOWN["asset_id"])]
