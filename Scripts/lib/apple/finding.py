# SPDX-License-Identifier: Apache-2.0
"""What the checks report."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A line of the report: a place in the sources, and what is wrong there."""

    where: str
    text: str
    kind: str = "error"

    def __str__(self):
        return f"{self.where}: {self.kind}: {self.text}"
