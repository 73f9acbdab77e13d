// SPDX-License-Identifier: Apache-2.0

/// A cache of field names, so that common ones are not allocated for each request.
struct FieldNameCache {
    /// The number of slots; a collision costs one allocation.
    private static let size = 64
    /// The names by slot; a slot keeps the last spelling, so memory is bounded.
    private var names = [HTTPFieldName?](repeating: nil, count: size)

    /// Returns the field name with this spelling; nil if it is not a token.
    mutating func name(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPFieldName? {
        guard let first = bytes.first, let last = bytes.last else { return nil }
        let slot = (bytes.count &* 31 &+ Int(first) &* 7 &+ Int(last)) % Self.size
        if let known = names[slot], known.isSpelled(by: bytes) { return known }
        guard bytes.allSatisfy(isTokenByte) else { return nil }
        let name = HTTPFieldName(String(decoding: bytes, as: UTF8.self))
        names[slot] = name
        return name
    }
}

extension HTTPFieldName {
    /// Whether the bytes are the name in its original spelling.
    fileprivate func isSpelled(by bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let isEqual = rawName.utf8.withContiguousStorageIfAvailable { own in
            guard own.count == bytes.count else { return false }
            for index in own.indices where own[index] != bytes[index] { return false }
            return true
        }
        return isEqual ?? rawName.utf8.elementsEqual(bytes)
    }
}
