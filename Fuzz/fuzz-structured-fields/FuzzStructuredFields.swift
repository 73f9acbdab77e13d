// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Reads bytes as an item, a list and a dictionary: what is read is written, and reads back as the same value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStructuredFields(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    if let item = try? StructuredItem(parsing: text) {
        let written = try? item.serialized()
        hold(written != nil, "an item can be written")
        hold((try? StructuredItem(parsing: written ?? "")) == item, "an item reads back")
    }
    if let list = try? StructuredList(parsing: text) {
        let written = try? list.serialized()
        hold(written != nil, "a list can be written")
        hold((try? StructuredList(parsing: written ?? "")) == list, "a list reads back")
    }
    if let dictionary = try? StructuredDictionary(parsing: text) {
        let written = try? dictionary.serialized()
        hold(written != nil, "a dictionary can be written")
        hold((try? StructuredDictionary(parsing: written ?? "")) == dictionary, "a dictionary reads back")
    }
    return 0
}
