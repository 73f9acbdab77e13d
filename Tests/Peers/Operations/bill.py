# SPDX-License-Identifier: Apache-2.0
"""Validates a bill of materials of Scripts/package by SPDX's own tools, and its package URLs by their reference implementation.

usage: bill.py BILL [LATCH]        (PYTHONPATH: Scripts/fetch-peers spdx)

With the program that the bill describes, its digest is compared as well.
"""
import hashlib
import json
import sys

from packageurl import PackageURL
from spdx_tools.spdx.jsonschema.document_converter import DocumentConverter
from spdx_tools.spdx.parser.error import SPDXParsingError
from spdx_tools.spdx.parser.json import json_parser
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document


def fail(*problems):
    sys.exit("\n".join(f"bill: {problem}" for problem in problems))


def spelled(package):
    """A package with the category as the converter spells it; the schema of SPDX 2.3 has both spellings."""
    references = [
        {**each, "referenceCategory": each["referenceCategory"].replace("-", "_")} for each in package.get("externalRefs", [])]
    return {**package, **({"externalRefs": references} if references else {})}


path, programs = sys.argv[1], sys.argv[2:]
try:
    document = json_parser.parse_from_file(path)
except SPDXParsingError as error:
    fail(*error.get_messages())
problems = [each.validation_message for each in validate_full_spdx_document(document, "SPDX-2.3")]
if problems:
    fail(*problems)

# The parser passes over a field that it does not know, such as a misspelled one.
with open(path, encoding="utf-8") as file:
    bill = json.load(file)
bill["packages"] = [spelled(each) for each in bill["packages"]]
understood = DocumentConverter().convert(document)
lost = [
    f"SPDX does not know this in '{key}': {each}"
    for key in bill for each in (bill[key] if isinstance(bill[key], list) else [bill[key]])
    if each != understood.get(key) and each not in understood.get(key, [])
]
if lost:
    fail(*lost)

locators = [each["referenceLocator"] for package in bill["packages"] for each in package.get("externalRefs", [])]
for locator in locators:
    try:
        canonical = PackageURL.from_string(locator).to_string()
    except ValueError as error:
        fail(error)
    if locator != canonical:
        fail(f"the package URL is not canonical: {locator} instead of {canonical}")

described = [each["relatedSpdxElement"] for each in bill["relationships"] if each["relationshipType"] == "DESCRIBES"]
related = {each[end] for each in bill["relationships"] for end in ("spdxElementId", "relatedSpdxElement")}
alone = [each["name"] for each in bill["packages"] if each["SPDXID"] not in related]
if described != ["SPDXRef-latch"] or alone or not locators:
    fail(f"it describes {described}; without a relationship: {alone}; {len(locators)} package URLs")
for program in programs:
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    if [digest] != [each["checksumValue"] for each in bill["packages"][0]["checksums"]]:
        fail(f"the digest of {program} is {digest}")
print(f"bill: valid SPDX 2.3, {len(bill['packages'])} packages, {len(locators)} canonical package URLs")
