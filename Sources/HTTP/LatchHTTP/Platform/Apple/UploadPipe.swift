// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Dispatch
import Foundation
import LatchCore

/// A pipe from a stream to URLSession, which reads the request content from an `InputStream`.
///
/// The bound pair of streams holds 64 KiB. A write blocks while it is full, on a separate queue.
final class UploadPipe: @unchecked Sendable {  // Only the queue uses the output.
    /// URLSession's end.
    let input: InputStream
    private let output: OutputStream
    private let queue = DispatchQueue(label: "latch.upload")

    /// Creates a pair that is not open yet.
    ///
    /// - Throws: `HTTPError.offline` if the system cannot create it.
    init() throws(HTTPError) {
        var ends: (InputStream?, OutputStream?) = (nil, nil)
        Stream.getBoundStreams(withBufferSize: 64 << 10, inputStream: &ends.0, outputStream: &ends.1)
        guard let input = ends.0, let output = ends.1 else { throw .offline("The system gives no stream.") }
        (self.input, self.output) = (input, output)
    }

    /// Writes the whole stream and closes the input.
    ///
    /// - Throws: The errors of the stream, and `HTTPError.lengthMismatch`.
    func pump(_ stream: HTTPBodyStream) async throws {
        try await onQueue { $0.open() }
        var count = 0
        for try await piece in stream {
            count += piece.count
            guard count <= stream.length ?? .max else { throw HTTPError.lengthMismatch }
            try await onQueue { try Self.write(piece, to: $0) }
        }
        guard stream.length ?? count == count else { throw HTTPError.lengthMismatch }
        // After an error it stays open, since closing would look like the end of the content. The caller cancels the
        // task.
        try await onQueue { $0.close() }
    }

    private func onQueue(_ body: @escaping @Sendable (OutputStream) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
            queue.async { [self] in waiter.resume(with: Result { try body(output) }) }
        }
    }

    private static func write(_ piece: [UInt8], to output: OutputStream) throws {
        var rest = piece[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { output.write($0, maxLength: buffer.count) } ?? 0
            }
            // The other end was closed: the task has ended with a separate error.
            guard count > 0 else { throw HTTPError.cancelled }
            rest = rest.dropFirst(count)
        }
    }
}
#endif
