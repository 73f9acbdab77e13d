// SPDX-License-Identifier: Apache-2.0

/// Byte strings in one buffer, as libpq takes them: an array of pointers, null for nil and after the last one.
struct PointerTable {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>?] = []

    /// Copies byte strings; each gets a null byte after its end, so that texts are C strings.
    init(_ parts: [[UInt8]?]) {
        for part in parts {
            guard let part else {
                ranges.append(nil)
                continue
            }
            ranges.append(bytes.count..<bytes.count + part.count)
            bytes += part + [0]
        }
    }

    /// Calls `body` with the pointers, valid during the call, and the lengths in bytes.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = ranges.map { range in range.flatMap { start?.advanced(by: $0.lowerBound) } } + [nil]
            let lengths = ranges.map { Int32(clamping: $0?.count ?? 0) } + [0]
            return body(pointers, lengths)
        }
    }
}
