// SPDX-License-Identifier: Apache-2.0

/// The unwritten bytes of a response: heads with short contents, followed by one long content.
struct OutputBuffer {
    /// Heads, chunk sizes, and contents that are short enough to be copied.
    var bytes: [UInt8] = []
    /// The number of bytes of `bytes` that are written.
    private var bytesStart = 0
    /// A long content, which is written after `bytes` without being copied.
    private var content: [UInt8] = []
    /// The number of bytes of `content` that are written.
    private var contentStart = 0

    /// Whether everything is written.
    var isEmpty: Bool { bytesStart == bytes.count && contentStart == content.count }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends content; nothing may be appended after it until everything is written.
    ///
    /// Short content is copied.
    mutating func append(content: [UInt8], copyingUpTo limit: Int = 0) {
        guard content.count > limit else { return bytes.append(contentsOf: content) }
        (self.content, contentStart) = (content, 0)
    }

    /// Writes as much as the stream accepts in one call.
    mutating func write(to stream: ByteStream) -> ByteStream.IOResult {
        let result = bytes.withUnsafeBytes { first in
            content.withUnsafeBytes { second in
                stream.write(
                    UnsafeRawBufferPointer(rebasing: first[bytesStart...]),
                    UnsafeRawBufferPointer(rebasing: second[contentStart...]))
            }
        }
        if case .transferred(let count) = result {
            let head = min(count, bytes.count - bytesStart)
            bytesStart += head
            contentStart += count - head
        }
        return result
    }

    /// Takes over memory that another connection has used, unless there is some already.
    mutating func borrow(_ spare: inout [UInt8]) {
        if bytes.capacity == 0 { swap(&bytes, &spare) }
    }

    /// Removes everything, and leaves the memory of `bytes` to the next connection.
    ///
    /// Large memory is freed, and an idle connection holds none.
    mutating func removeAll(leaving spare: inout [UInt8]) {
        (bytesStart, content, contentStart) = (0, [], 0)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 17)
        if bytes.capacity > spare.capacity { swap(&bytes, &spare) }
        bytes = []
    }
}
