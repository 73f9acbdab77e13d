# SPDX-License-Identifier: Apache-2.0
"""judge.py SET MESSAGES: what protovalidate says of messages.

SET is a FileDescriptorSet; MESSAGES has one line for each message, its type and its bytes in hexadecimal digits. Prints
one line for each: a JSON list of violations, each its path, its rule and whether it is about a key.
"""

import json
import sys

import protovalidate
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory


def subscript(element):
    kind = element.subscript.field if element.subscript else None
    if kind is None:
        return ""
    value = element.subscript.value
    if kind == "string_key":
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'["{escaped}"]'
    if kind == "bool_key":
        return f"[{str(value).lower()}]"
    return f"[{value}]"


def path(violation):
    field = violation.proto.field
    return ".".join(e.field_name + subscript(e) for e in field.elements) if field else ""


def main():
    files = descriptor_pb2.FileDescriptorSet.FromString(open(sys.argv[1], "rb").read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
    classes = message_factory.GetMessageClassesForFiles([f.name for f in files.file], pool)
    validator = protovalidate.Validator()
    for line in open(sys.argv[2]):
        name, _, digits = line.strip().partition(" ")
        message = classes[name].FromString(bytes.fromhex(digits))
        try:
            found = validator.collect_violations(message)
        except Exception as error:  # noqa: BLE001: what it says is the answer
            print(json.dumps({"error": str(error)}))
            continue
        print(json.dumps([[path(v), v.proto.rule_id, bool(v.proto.for_key)] for v in found]))


main()
