// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

extension HTTPBodyStream {
    /// How much of a file is in memory at a time.
    private static let pieceBytes = 256 << 10

    /// The content of a file, read while it is sent.
    ///
    /// ```swift
    /// request.body = HTTPBody(try .file(at: "backup.tar"))
    /// ```
    ///
    /// Its length is what the file has now. Each reading opens the file anew and checks that it still has that length,
    /// so it can be sent again; of reads, opens and disks that are slow no task's thread knows.
    ///
    /// - Throws: `HTTPError.fileUnavailable` for what is no file that can be read. Reading throws the same, and
    ///   `HTTPError.fileChanged` where the file has become longer or shorter.
    public static func file(at path: String) throws(HTTPError) -> HTTPBodyStream {
        let length = try opened(path).size
        return HTTPBodyStream(length: length) {
            let reader = try opened(path)
            guard reader.size == length else { throw HTTPError.fileChanged }
            let count = Mutex(0)
            return {
                let bytes = try await piece(of: reader)
                let total = count.withLock { count in
                    count += bytes.count
                    return count
                }
                guard bytes.isEmpty ? total == length : total <= length else { throw HTTPError.fileChanged }
                return bytes.isEmpty ? nil : bytes
            }
        }
    }

    /// Reads the stream into a file, which appears with all of the content or not at all.
    ///
    /// The content is written beside `path`, made durable, and renamed; what stood there before is replaced at the end.
    /// Whatever ends the reading early (an error, a cancelled task, a full disk) leaves the old file, or none.
    ///
    /// - Parameters:
    ///   - path: Where the file is to stand; its folder exists.
    ///   - limit: How many bytes are taken at most.
    ///   - progress: Told after each piece how many bytes are written, and how many there will be, if that is known.
    /// - Returns: How many bytes the file has.
    /// - Throws: `HTTPError.tooLarge`, `HTTPError.lengthMismatch` where the stream is not as long as it says,
    ///   `HTTPError.fileUnavailable`, and what the stream throws.
    @discardableResult
    public func write(
        to path: String, upTo limit: Int = .max,
        progress: (@Sendable (_ written: Int, _ expected: Int?) -> Void)? = nil
    ) async throws -> Int {
        if let length, length > limit { throw HTTPError.tooLarge }
        do {
            let writer = try FileWriter(replacing: path)
            var count = 0
            for try await piece in self {
                count += piece.count
                guard count <= limit else { throw HTTPError.tooLarge }
                try await writer.write(piece)
                progress?(count, length)
            }
            guard length == nil || length == count else { throw HTTPError.lengthMismatch }
            // What was cancelled is not wanted any more, even if it has come to its end by chance.
            guard !Task.isCancelled else { throw HTTPError.cancelled }
            try await writer.commit()
            return count
        } catch let failure as FileFailure {
            throw HTTPError.fileUnavailable("The file could not be written: \(failure).")
        }
    }

    private static func opened(_ path: String) throws(HTTPError) -> FileReader {
        do throws(FileFailure) { return try FileReader(path) } catch {
            throw .fileUnavailable("The file could not be read: \(error).")
        }
    }

    private static func piece(of reader: FileReader) async throws(HTTPError) -> [UInt8] {
        do throws(FileFailure) { return try await reader.next(upTo: pieceBytes) } catch {
            throw .fileUnavailable("The file could not be read: \(error).")
        }
    }
}
