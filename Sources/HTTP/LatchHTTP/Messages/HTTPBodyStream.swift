// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import Synchronization

/// Content that is read chunk by chunk, by one reader at a time.
///
/// ```swift
/// for try await chunk in response.body.chunks { hash.update(chunk) }
/// ```
///
/// Reading is demand-driven: only the source's buffer is read ahead, so a slow reader slows the sender. Releasing the
/// iterator closes the source.
public final class HTTPBodyStream: AsyncSequence, Sendable {
    /// A function that returns the next chunk, which is never empty, or nil at the end.
    package typealias Source = @Sendable () async throws -> [UInt8]?

    /// The source of a stream that can be read once.
    private struct SingleSource: Sendable { let next: Source }

    /// The total number of bytes; nil if it is only known at the end.
    public let length: Int?
    /// Whether it can be read more than once, each time from the beginning.
    package let isReplayable: Bool

    /// The source of `trailers`.
    private let readTrailers: @Sendable () -> HTTPFields
    /// The function that opens the content again; nil for a stream that can be read once.
    private let open: (@Sendable () async throws -> Source)?
    /// The source of a stream that can be read once; its reader takes it and releases it at the end.
    private let once: Mutex<SingleSource?>

    /// Creates a stream that `open` starts from the beginning each time it is read.
    ///
    /// - Parameters:
    ///   - length: The sum of the chunks' sizes in bytes, or nil if it is not known; a sender rejects a source that
    ///     delivers more or less.
    ///   - open: A function that opens the content at its beginning and returns its source.
    public init(
        length: Int? = nil, opening open: @escaping @Sendable () async throws -> @Sendable () async throws -> [UInt8]?
    ) {
        self.length = length
        self.open = open
        readTrailers = { [:] }
        once = Mutex(nil)
        isReplayable = true
    }

    /// Creates a stream that can be read once.
    ///
    /// - Parameters:
    ///   - length: The sum of the chunks' sizes in bytes, or nil if it is not known; a sender rejects a source that
    ///     delivers more or less.
    ///   - source: A function that returns the next chunk, or nil at the end.
    ///   - trailers: A function that is called after the last chunk for the trailer fields (RFC 9110 §6.5); by default
    ///     there are none.
    public init(
        length: Int? = nil, once source: @escaping @Sendable () async throws -> [UInt8]?,
        trailers: @escaping @Sendable () -> HTTPFields = { [:] }
    ) {
        self.length = length
        open = nil
        readTrailers = trailers
        once = Mutex(SingleSource(next: source))
        isReplayable = false
    }

    /// Creates a stream of content in memory, in one chunk.
    ///
    /// Each RPC call reads two such streams. A closure that captures only the array allocates nothing.
    package convenience init(_ bytes: [UInt8]) {
        self.init(length: bytes.count) {
            let rest = Mutex(bytes.isEmpty ? nil : bytes)
            return { rest.withLock { $0.take() } }
        }
    }

    /// Creates a stream of content in memory, in chunks of at most `pieceBytes`.
    package convenience init(_ bytes: [UInt8], pieceBytes: Int) {
        self.init(length: bytes.count) {
            let position = Mutex(0)
            return {
                position.withLock { position in
                    let start = position
                    guard start < bytes.count else { return nil }
                    position = bytes.count - start <= pieceBytes ? bytes.count : start + pieceBytes
                    return position - start == bytes.count ? bytes : Array(bytes[start..<position])
                }
            }
        }
    }

    /// The trailer fields (RFC 9110 §6.5), which are empty until the stream was read to its end.
    package var trailers: HTTPFields { readTrailers() }

    /// Creates an iterator that opens the source at the first chunk.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Returns the source for one reader.
    ///
    /// - Throws: `HTTPError.streamSpent` if the stream was read before and cannot be read again.
    fileprivate func begin() async throws -> Source {
        if let open { return try await open() }
        guard let source = once.withLock({ $0.take() }) else { throw HTTPError.streamSpent }
        return source.next
    }

    /// An iterator that reads a stream once, from its beginning.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private enum Phase: Sendable {
            case notStarted(HTTPBodyStream)
            case reading(Source)
            case finished
        }

        private var phase: Phase

        init(stream: HTTPBodyStream) { phase = .notStarted(stream) }

        /// Returns the next chunk, or nil once it has ended.
        public mutating func next() async throws -> [UInt8]? {
            let source: Source
            switch phase {
            case .notStarted(let stream): source = try await stream.begin()
            case .reading(let current): source = current
            case .finished: return nil
            }
            // After an error the iterator stays at its end.
            phase = .finished
            while let chunk = try await source() {
                guard !chunk.isEmpty else { continue }
                phase = .reading(source)
                return chunk
            }
            return nil
        }
    }
}

extension HTTPBodyStream: Hashable {
    /// Compares streams by identity.
    public static func == (first: HTTPBodyStream, second: HTTPBodyStream) -> Bool { first === second }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension HTTPBodyStream {
    /// The number of bytes of a file that are in memory at a time.
    private static let pieceBytes = 256 << 10

    /// Creates a stream of a file's content, which is read while it is sent.
    ///
    /// ```swift
    /// request.body = HTTPBody(try .file(at: "backup.tar"))
    /// ```
    ///
    /// The length is determined now. Each iteration opens the file again and checks that it still has that length, so
    /// the content can be sent more than once. Reading does not block the threads of tasks.
    ///
    /// - Throws: `HTTPError.fileUnavailable` if the file cannot be read. Iteration throws the same, and
    ///   `HTTPError.fileChanged` if the file's length has changed.
    public static func file(at path: String) throws(HTTPError) -> HTTPBodyStream {
        let length = try opened(path).size
        // Files of /proc have content and no size.
        if length == 0, try !hasNoByte(path) {
            throw .fileUnavailable("\(path) does not say its size; read it into memory first.")
        }
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

    /// Writes the stream to a file, which appears with all of the content or not at all.
    ///
    /// The content is written to a temporary file next to `path`, made durable, and renamed. The renaming replaces an
    /// existing file. An error, a cancellation or a full disk leaves the existing file unchanged.
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must exist.
    ///   - limit: The maximum number of bytes.
    ///   - progress: Called after each chunk with the number of bytes written and the total, if it is known.
    /// - Returns: The number of bytes of the file.
    /// - Throws: `HTTPError.tooLarge`, `HTTPError.lengthMismatch` if the stream does not have its announced length,
    ///   `HTTPError.fileUnavailable`, and the errors of the stream.
    @discardableResult
    public func write(
        to path: String, upTo limit: Int = .max,
        progress: (@Sendable (_ written: Int, _ expected: Int?) -> Void)? = nil
    ) async throws -> Int {
        let writer: FileWriter
        do throws(FileError) { writer = try FileWriter(replacing: path) } catch { throw Self.unwritable(error) }
        return try await write(with: writer, upTo: limit, progress: progress)
    }

    /// Writes the stream as ``write(to:upTo:progress:)`` does, with a writer that was created before the request.
    @discardableResult
    package func write(
        with writer: FileWriter, upTo limit: Int = .max,
        progress: (@Sendable (_ written: Int, _ expected: Int?) -> Void)? = nil
    ) async throws -> Int {
        if let length, length > limit { throw HTTPError.tooLarge }
        do {
            var count = 0
            for try await piece in self {
                count += piece.count
                guard count <= limit else { throw HTTPError.tooLarge }
                try await writer.write(piece)
                progress?(count, length)
            }
            guard length == nil || length == count else { throw HTTPError.lengthMismatch }
            // A canceled download is not wanted, even if it happens to be complete.
            guard !Task.isCancelled else { throw HTTPError.cancelled }
            try await writer.commit()
            return count
        } catch let failure as FileError {
            throw Self.unwritable(failure)
        }
    }

    private static func hasNoByte(_ path: String) throws(HTTPError) -> Bool {
        do throws(FileError) { return try AtomicFile(path).read(atMost: 1)?.isEmpty ?? true } catch {
            throw unreadable(error)
        }
    }

    private static func unreadable(_ error: FileError) -> HTTPError {
        .fileUnavailable("The file could not be read: \(error).")
    }

    private static func unwritable(_ error: FileError) -> HTTPError {
        .fileUnavailable("The file could not be written: \(error).")
    }

    private static func opened(_ path: String) throws(HTTPError) -> FileReader {
        do throws(FileError) { return try FileReader(path) } catch {
            throw unreadable(error)
        }
    }

    private static func piece(of reader: FileReader) async throws(HTTPError) -> [UInt8] {
        do throws(FileError) { return try await reader.next(upTo: pieceBytes) } catch {
            throw unreadable(error)
        }
    }
}
