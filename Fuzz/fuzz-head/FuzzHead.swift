// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

@testable import LatchServer

private let limits = HeadLimits(bytes: 2048, fieldCount: 20)

/// The end of the head that arrives whole, or in two pieces; nil where it is incomplete or refused.
private func end(of input: UnsafeBufferPointer<UInt8>, cut: Int?) -> Int? {
    var scanner = HeadScanner()
    do {
        if let cut, let end = try scanner.scan(UnsafeBufferPointer(rebasing: input[..<cut]), limits: limits) {
            return end
        }
        return try scanner.scan(input, limits: limits)
    } catch {
        return nil
    }
}

/// Reads bytes as the head of a request: however it arrives it ends in the same place, and what is accepted is clean.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHead(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: count)
    let whole = end(of: input, cut: nil)
    for cut in [1, count / 2, count - 1] where (0...count).contains(cut) {
        hold(end(of: input, cut: cut) == whole, "the head ends in the same place when it is cut at \(cut)")
    }
    guard let whole else { return 0 }
    var cache = FieldCache()
    let bytes = UnsafeBufferPointer(rebasing: input[..<whole])
    guard let head = try? HeadParser.parse(bytes, cache: &cache, defaultAuthority: "localhost") else { return 0 }
    hold((try? head.fields.validate()) != nil, "the fields could be sent on")
    hold(head.path.first == "/" || head.path == "*", "the target is a path")
    hold(head.fields.values(of: .contentLength).count < 2, "there is one length")
    if head.framing == .chunked {
        hold(head.fields[.contentLength] == nil, "there is one framing")
    }
    return 0
}
