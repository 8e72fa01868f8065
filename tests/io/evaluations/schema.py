"""As much of JSON Schema as the schemas of Every Eval Ever use."""

import re

TYPES = {
    "object": dict, "array": list, "string": str, "number": (int, float), "integer": int,
    "boolean": bool, "null": type(None),
}  # fmt: skip


def faults(value, schema, root=None, path=""):
    """Return what contradicts a schema, a line each."""
    root = schema if root is None else root
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return faults(value, root["$defs"][name], root, path)
    kinds = schema.get("type")
    if kinds is not None and not any(_is(value, kind) for kind in _listed(kinds)):
        return [f"{path}: {value!r} is not {kinds}"]
    found = _of_value(value, schema, path)
    if "oneOf" in schema:
        fitting = [one for one in schema["oneOf"] if not faults(value, one, root, path)]
        if len(fitting) != 1:
            found.append(f"{path}: {len(fitting)} of the alternatives fit")
    if "not" in schema and not faults(value, schema["not"], root, path):
        found.append(f"{path}: it must not be so")
    for one in schema.get("allOf", ()):
        found += faults(value, one, root, path)
    if "if" in schema:
        other = "else" if faults(value, schema["if"], root, path) else "then"
        found += faults(value, schema.get(other, {}), root, path)
    if isinstance(value, dict):
        found += _in_object(value, schema, root, path)
    for at, member in enumerate(value if isinstance(value, list) else ()):
        found += faults(member, schema.get("items", {}), root, f"{path}[{at}]")
    return found


def _of_value(value, schema, path):
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: {value!r} is not {schema['const']!r}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{path}: {value!r} does not match")
    if "minimum" in schema and value is not None and value < schema["minimum"]:
        found.append(f"{path}: {value!r} is too small")
    if isinstance(value, list) and len(value) < schema.get("minItems", 0):
        found.append(f"{path}: it is too short")
    return found


def _in_object(value, schema, root, path):
    found = [f"{path}.{key} is missing" for key in schema.get("required", ()) if key not in value]
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key, member in value.items():
        below = f"{path}.{key}"
        if key in known:
            found += faults(member, known[key], root, below)
        elif others is False:
            found.append(f"{below} is not known")
        elif isinstance(others, dict):
            found += faults(member, others, root, below)
    return found


def _listed(kinds):
    return [kinds] if isinstance(kinds, str) else kinds


def _is(value, kind):
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind])
