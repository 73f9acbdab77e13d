// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// What a child process writes, in lines or as a whole.
///
/// It reads only while somebody waits for more, on a queue of its own, so that a child that writes much waits for its
/// reader and no thread of the tasks does.
final class ChildOutput: @unchecked Sendable {
    /// Closed with this object, which every read holds.
    private let descriptor: Int32
    /// One read after another; `buffer` belongs to it, hence `@unchecked Sendable`.
    private let queue = DispatchQueue(label: "latch.child.output")
    /// What was read and not taken.
    private var buffer: [UInt8] = []

    /// Takes over the reading end of a pipe.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The next line, or what is left at the end; nil when nothing is.
    func line() async -> String? {
        await onQueue { output in
            var searched = 0
            while true {
                if let end = output.buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer { output.buffer.removeFirst(end + 1) }
                    return String(decoding: output.buffer[..<end], as: UTF8.self)
                }
                searched = output.buffer.count
                guard output.readMore() else { break }
            }
            defer { output.buffer = [] }
            return output.buffer.isEmpty ? nil : String(decoding: output.buffer, as: UTF8.self)
        }
    }

    /// Everything up to the end.
    func rest() async -> [UInt8] {
        await onQueue { output in
            while output.readMore() {}
            defer { output.buffer = [] }
            return output.buffer
        }
    }

    /// Blocks until there is more; false at the end.
    private func readMore() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            buffer += bytes[..<count]
            return true
        }
    }

    private func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (ChildOutput) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body(self)) }
        }
    }
}
