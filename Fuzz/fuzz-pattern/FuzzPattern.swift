// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchRegex

/// Reads the first line as a pattern and looks for it in the rest: a pattern in a group, beside itself and behind anything
/// finds the same texts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPattern(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = bytes(data, count)
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    let rest = String(decoding: bytes[end...].dropFirst(), as: UTF8.self)
    // Two quotes that do not end would swallow what stands around them.
    guard !text.contains("\\Q"), let pattern = read(text) else { return 0 }
    let found = pattern.matches(rest)
    for other in ["(?:\(text))", "(?:\(text))|(?:\(text))", "\\A(?s:.*)(?:\(text))"] {
        // What stands around it may make it too large or too deep.
        guard let variant = read(other) else { continue }
        hold(variant.matches(rest) == found, "a pattern finds the same in other company")
    }
    return 0
}

private func read(_ text: String) -> Pattern? {
    do {
        return try Pattern(text)
    } catch {
        hold(error.offset <= text.unicodeScalars.count, "an error is about a character that is there")
        return nil
    }
}
