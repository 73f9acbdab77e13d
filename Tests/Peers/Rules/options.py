# SPDX-License-Identifier: Apache-2.0
"""options.py: the fields of protovalidate's options, one line for each: message, name, number."""

from protovalidate._gen.buf.validate import validate_pb

for message in validate_pb.desc().messages:
    for field in message.fields:
        print(message.name, field.name, field.number)
