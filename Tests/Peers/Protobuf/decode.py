# SPDX-License-Identifier: Apache-2.0
"""Google's protobuf for Python, which reads what our decoders read.

usage: decode.py DESCRIPTOR_SET REQUESTS ANSWERS

A request is `b` or `j` (bytes or JSON), the message's name and the input; an answer is `1` or `0` (accepted or not),
where the reader was lenient (words, or why it refused), the message's bytes and its JSON, or `-` where it has none. Each
part has its length before it, in four bytes.

json_format is lenient where it hands a text to Python's own int(), float(), base64 and strptime. These places are
watched: an answer says which of them took a form that ProtoJSON does not have, and changes nothing of what they answer.
"""

import decimal
import json
import math
import re
import struct
import sys

from google.protobuf import (any_pb2, descriptor_pb2, descriptor_pool, duration_pb2, empty_pb2, field_mask_pb2,
                             json_format, message_factory, struct_pb2, timestamp_pb2, unknown_fields, wrappers_pb2)
from google.protobuf.internal import type_checkers

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
                       r"(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])")
DURATION = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]{1,9})?s")
BASE64 = re.compile(r"([A-Za-z0-9+/_-]{4})*([A-Za-z0-9+/_-]{2}(==)?|[A-Za-z0-9+/_-]{3}=?)?")
MASK = re.compile(r"([a-z0-9][A-Za-z0-9]*(\.[a-z0-9][A-Za-z0-9]*)*(,|\Z))*")
PATH = re.compile(r"[a-z]([a-z0-9]|_[a-z])*(\.[a-z]([a-z0-9]|_[a-z])*)*")
notes = set()


class Whole(int):
    """An integer of a JSON text that knows how it was written."""
    text = ""


class Fraction(float):
    """A number with a point or an exponent that knows how it was written."""
    text = ""


def spelled(kind, text):
    number = kind(text)
    number.text = text
    return number


def watch(owner, name, look):
    """Calls `look` with the arguments before the function, which stays as it is."""
    function = getattr(owner, name)

    def watched(*arguments, **named):
        look(*arguments, **named)
        return function(*arguments, **named)

    setattr(owner, name, watched)


def look_at_integer(value, *_):
    if isinstance(value, str):
        if not NUMBER.fullmatch(value):
            notes.add("integer")
        elif not re.fullmatch(r"-?[0-9]+", value):
            look_at_fraction(value)
    elif isinstance(value, Fraction):
        look_at_fraction(value.text)


def look_at_fraction(text):
    """Python reads an integer with a point or an exponent as a double."""
    with decimal.localcontext(decimal.Context(prec=1000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)):
        if not math.isfinite(float(text)) or decimal.Decimal(text) != decimal.Decimal(float(text)):
            notes.add("rounded")


def look_at_float(value, field):
    if isinstance(value, bool):
        notes.add("bool")
    elif isinstance(value, str) and value not in ("NaN", "Infinity", "-Infinity"):
        if not NUMBER.fullmatch(value):
            notes.add("float")
        elif math.isinf(float(value)):
            notes.add("infinite")
    if isinstance(value, Whole) and value.text == "-0":
        notes.add("zero")
    if field.cpp_type == field.CPPTYPE_FLOAT and value not in ("NaN", "Infinity", "-Infinity"):
        try:
            number = float(value)
        except (ValueError, TypeError, OverflowError):
            return
        if math.isfinite(number) and abs(number) > type_checkers._FLOAT_MAX:
            notes.add("infinite")


def look_at_scalar(value, field, *_, **named):
    if field.cpp_type == field.CPPTYPE_ENUM and not (isinstance(value, int) and not isinstance(value, bool)):
        if field.enum_type.full_name == "google.protobuf.NullValue" and value is None:
            return
        if not (isinstance(value, str) and value in field.enum_type.values_by_name):
            notes.add("enum")
    elif field.type == field.TYPE_BYTES and isinstance(value, str) and not BASE64.fullmatch(value):
        notes.add("base64")
    elif value is None:
        notes.add("null")


def look_at_value(parser, value, message, path):
    if isinstance(value, float) and not math.isfinite(value):
        notes.add("infinite")
    if isinstance(value, Whole) and value.text == "-0":
        notes.add("zero")


def look_at_generic(parser, value, message, path):
    kind = message.DESCRIPTOR.full_name
    if not isinstance(value, str):
        return
    if kind == "google.protobuf.Timestamp" and not TIMESTAMP.fullmatch(value):
        notes.add("timestamp")
    elif kind == "google.protobuf.Duration" and not DURATION.fullmatch(value):
        notes.add("duration")
    elif kind == "google.protobuf.FieldMask" and not MASK.fullmatch(value):
        notes.add("mask")


def look_at_any(parser, value, message, path):
    if isinstance(value, dict) and isinstance(value.get("@type"), str):
        if not re.match(r"[^/]+/", value["@type"]) and "/" not in value["@type"][1:]:
            notes.add("url")
        name = value["@type"].split("/")[-1]
        if name.startswith("google.protobuf.") and name != "google.protobuf.Empty":
            if set(value) - {"@type", "value"}:
                notes.add("any")
    elif isinstance(value, (str, list)) or value == {} and isinstance(value, dict) is False:
        notes.add("object")


def look_at_fields(parser, js, message, path):
    """Names of one field in two spellings; a text or a list that is taken for an object without members."""
    if not isinstance(js, dict):
        notes.add("object")
        return
    fields = {}
    oneofs = set()
    for field in message.DESCRIPTOR.fields:
        fields[field.json_name] = fields[field.name] = field
    seen = set()
    for name in js:
        field = fields.get(name)
        if field is None:
            if name.startswith("["):
                look_at_extension(name[1:-1])
            continue
        if field.number in seen:
            notes.add("spelled")
        seen.add(field.number)
        if field.containing_oneof is not None and field.containing_oneof.name in js:
            notes.add("oneof")


def look_at_extension(name):
    try:
        descriptor_pool.Default().FindExtensionByName(name)
    except KeyError:
        notes.add("extension")


def look_at_map(parser, value, message, field, path):
    if isinstance(value, dict) and field.message_type.fields_by_name["key"].cpp_type in json_format._INT_TYPES:
        keys = set()
        for key in value:
            try:
                number = float(key)
            except ValueError:
                continue
            if number in keys:
                notes.add("keys")
            keys.add(number)


def constant(text):
    notes.add("constant")
    return float(text.replace("Infinity", "inf"))


watch(json_format, "_ConvertInteger", look_at_integer)
watch(json_format, "_ConvertFloat", look_at_float)
watch(json_format, "_ConvertScalarFieldValue", look_at_scalar)
watch(json_format._Parser, "_ConvertValueMessage", look_at_value)
watch(json_format._Parser, "_ConvertGenericMessage", look_at_generic)
watch(json_format._Parser, "_ConvertAnyMessage", look_at_any)
watch(json_format._Parser, "_ConvertFieldValuePair", look_at_fields)
watch(json_format._Parser, "_ConvertMapFieldValue", look_at_map)
loads = json.loads
json_format.json.loads = lambda text, **named: loads(
    text, parse_constant=constant, parse_int=lambda text: spelled(Whole, text),
    parse_float=lambda text: spelled(Fraction, text), **named)


def look_through(message):
    """What a message holds that Python reads or writes in its own way."""
    descriptor = message.DESCRIPTOR
    look_through_unknown(unknown_fields.UnknownFieldSet(message), descriptor)
    if descriptor.full_name == "google.protobuf.Value" and message.WhichOneof("kind") is None:
        notes.add("value")
    elif descriptor.full_name == "google.protobuf.FieldMask":
        if not all(PATH.fullmatch(path) for path in message.paths):
            notes.add("path")
    for field, value in message.ListFields():
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        many = field.is_repeated and not is_map
        try:
            values = list(value.values() if is_map else value if many else [value])
        except UnicodeDecodeError:
            # A key of a proto2 map, which upb keeps as it came.
            notes.add("raw")
            continue
        for each in values:
            if field.type == field.TYPE_STRING and isinstance(each, bytes):
                notes.add("raw")
            elif hasattr(each, "DESCRIPTOR"):
                look_through(each)


def look_through_unknown(fields, descriptor):
    for field in fields:
        known = descriptor.fields_by_number.get(field.field_number) if descriptor else None
        if known is not None and known.message_type is not None and known.message_type.GetOptions().map_entry:
            notes.add("entry")
        if not 0 < field.field_number < 1 << 29:
            notes.add("number")
        if field.wire_type == 3:
            look_through_unknown(field.data, None)


def answer(kind, message_class, data):
    """Accepted or not, notes or the reason, bytes, JSON."""
    notes.clear()
    message = message_class()
    try:
        if kind == b"b":
            message.MergeFromString(data)
        else:
            json_format.Parse(data, message)
        if not message.IsInitialized():
            look_through(message)
            return b"0", ",".join(["required", *sorted(notes)]), b"", b"-"
        encoded = message.SerializeToString(deterministic=True)
    except Exception as error:
        return b"0", f"{type(error).__name__}: {error}"[:300], b"", b"-"
    look_through(message)
    found = ",".join(sorted(notes))
    try:
        text = json_format.MessageToJson(message, indent=None, ensure_ascii=False).encode()
    except Exception:
        text = b"-"
    return b"1", found, encoded, text


def main():
    pool = descriptor_pool.Default()
    with open(sys.argv[1], "rb") as file:
        for each in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
            if not each.name.startswith("google/protobuf/"):
                pool.AddSerializedFile(each.SerializeToString())
    with open(sys.argv[2], "rb") as file:
        requests = file.read()
    at = 0

    def part():
        nonlocal at
        length = struct.unpack_from("<I", requests, at)[0]
        at += 4 + length
        return requests[at - length:at]

    with open(sys.argv[3], "wb") as answers:
        while at < len(requests):
            kind, name, data = part(), part().decode(), part()
            message_class = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
            for each in answer(kind, message_class, data):
                each = each if isinstance(each, bytes) else each.encode("utf-8", "replace")
                answers.write(struct.pack("<I", len(each)) + each)


main()
