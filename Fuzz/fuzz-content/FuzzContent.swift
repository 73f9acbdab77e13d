// SPDX-License-Identifier: Apache-2.0

import FuzzDriver

@testable import LatchServer

private let limit = 1024

/// The decoded content and how many bytes it took; nil where it is refused or incomplete.
private func decoded(_ input: UnsafeBufferPointer<UInt8>, piece: Int) -> (content: [UInt8], taken: Int)? {
    guard var decoder = try? FramedContent(.chunked, limit: limit) else { return nil }
    var position = 0
    while position < input.count {
        let bytes = UnsafeBufferPointer(rebasing: input[position..<min(position + piece, input.count)])
        guard let (taken, isComplete) = try? decoder.decode(bytes) else { return nil }
        position += taken
        hold(decoder.content.count <= limit, "the content keeps to its limit")
        if isComplete { return (decoder.content, position) }
        hold(taken == bytes.count, "what is not complete takes everything")
    }
    return nil
}

/// Reads bytes as chunked content: in whatever pieces it arrives, it is the same content and ends in the same place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContent(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: count)
    let whole = decoded(input, piece: max(count, 1))
    for piece in [1, 3, 16] {
        let pieces = decoded(input, piece: piece)
        hold(whole?.content == pieces?.content, "pieces of \(piece) bytes hold the same content")
        hold(whole?.taken == pieces?.taken, "pieces of \(piece) bytes end in the same place")
    }
    return 0
}
