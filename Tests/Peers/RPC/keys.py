# SPDX-License-Identifier: Apache-2.0
"""The keys and certificates that a test has made, in the folder of the argument `tls=FOLDER` or `mutual=FOLDER`.

authority.pem vouches for server.pem and client.pem, whose keys are in server.key and client.key; mutual asks clients too.
"""

import sys

folder, is_mutual = None, False
for _argument in sys.argv[1:]:
    for _kind in ("tls=", "mutual="):
        if _argument.startswith(_kind):
            folder, is_mutual = _argument[len(_kind) :], _kind == "mutual="


def path(name):
    return f"{folder}/{name}"


def content(name):
    with open(path(name), "rb") as file:
        return file.read()
