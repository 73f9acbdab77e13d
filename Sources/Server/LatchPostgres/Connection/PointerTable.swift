// SPDX-License-Identifier: Apache-2.0

/// Byte strings in one buffer, in libpq's form: an array of pointers, with null for nil and after the last one.
struct PointerTable {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>?] = []

    /// Copies the byte strings, with a null byte after each, so that texts are C strings.
    init(_ parts: [[UInt8]?]) {
        bytes.reserveCapacity(parts.reduce(0) { $0 + ($1.map { $0.count + 1 } ?? 0) })
        ranges.reserveCapacity(parts.count)
        for part in parts {
            guard let part else {
                ranges.append(nil)
                continue
            }
            ranges.append(bytes.count..<bytes.count + part.count)
            bytes += part
            bytes.append(0)
        }
    }

    /// Calls `body` with the pointers, valid during the call, and the lengths in bytes.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            var (pointers, lengths): ([UnsafePointer<CChar>?], [Int32]) = ([], [])
            pointers.reserveCapacity(ranges.count + 1)
            lengths.reserveCapacity(ranges.count + 1)
            for range in ranges {
                pointers.append(range.flatMap { start?.advanced(by: $0.lowerBound) })
                lengths.append(Int32(clamping: range?.count ?? 0))
            }
            pointers.append(nil)
            lengths.append(0)
            return body(pointers, lengths)
        }
    }
}
