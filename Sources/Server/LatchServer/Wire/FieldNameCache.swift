// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Names of fields as they were last spelled, so that the same ones are not made anew for each request.
struct FieldNameCache {
    /// Enough for the names of a few kinds of clients; a collision costs one new name and nothing else.
    private static let size = 64
    /// By slot; a slot keeps the spelling that came last, so memory stays bounded whatever clients send.
    private var names = [HTTPFieldName?](repeating: nil, count: size)

    /// The name that the bytes spell.
    mutating func name(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPFieldName {
        guard let first = bytes.first, let last = bytes.last else { return "" }
        let slot = (bytes.count &* 31 &+ Int(first) &* 7 &+ Int(last)) % Self.size
        if let known = names[slot], known.isSpelled(by: bytes) { return known }
        let name = HTTPFieldName(String(decoding: bytes, as: UTF8.self))
        names[slot] = name
        return name
    }
}

extension HTTPFieldName {
    /// Whether the bytes are the name as it was spelled.
    fileprivate func isSpelled(by bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let answer = rawName.utf8.withContiguousStorageIfAvailable { own in
            guard own.count == bytes.count else { return false }
            for index in own.indices where own[index] != bytes[index] { return false }
            return true
        }
        return answer ?? rawName.utf8.elementsEqual(bytes)
    }
}
