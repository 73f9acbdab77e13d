# SPDX-License-Identifier: Apache-2.0
"""The messages of latch.test.v1.Notes, which the peers of the RPC tests serve and call."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

SERVICE = "latch.test.v1.Notes"

_file = descriptor_pb2.FileDescriptorProto(name="notes.proto", package="latch.test.v1", syntax="proto3")
_note = _file.message_type.add(name="Note")
_kinds = descriptor_pb2.FieldDescriptorProto
for _number, (_name, _type) in enumerate(
    [("text", _kinds.TYPE_STRING), ("number", _kinds.TYPE_INT32), ("data", _kinds.TYPE_BYTES)], start=1
):
    _note.field.add(name=_name, number=_number, type=_type, label=_kinds.LABEL_OPTIONAL)
_pool = descriptor_pool.Default()
_pool.Add(_file)
Note = message_factory.GetMessageClass(_pool.FindMessageTypeByName("latch.test.v1.Note"))


def failure(note):
    """The number and the text of the error that a note asks for; None where it asks for none."""
    if not note.text.startswith("fail "):
        return None
    _, number, text = note.text.split(" ", 2)
    return int(number), text
