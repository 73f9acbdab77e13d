# SPDX-License-Identifier: Apache-2.0
"""patterns.py FILE: whether Python finds patterns; each line a pattern and a text in hexadecimal digits; prints 1 or 0."""

import re
import sys

for line in open(sys.argv[1]):
    pattern, _, text = (bytes.fromhex(part).decode() if part != "_" else "" for part in line.rstrip("\n").partition(" "))
    print(int(re.search(pattern, text, re.ASCII) is not None))
