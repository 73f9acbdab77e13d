// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// An interceptor that compresses the content of responses with gzip (RFC 9110 §8.4.1.3) for clients that accept it.
///
/// ```swift
/// var router = Router(interceptors: [CompressionInterceptor()])
/// router.get("/notes") { _ in HTTPResponse(status: .ok, body: HTTPBody("…")) }
/// ```
///
/// Text, JSON, XML, scripts, fonts and similar types are compressed. Images, archives and event streams are not. A
/// stream is compressed piece by piece. A response with `Content-Encoding`, `Content-Range`, a digest or
/// `Cache-Control: no-transform` is not changed. An entity tag becomes a weak one, since the bytes differ (RFC 9110
/// §8.8.1).
///
/// - Warning: An attacker who can add text to a response and sees its encrypted length can guess secrets in it
///   (BREACH). Leave out routes whose responses contain a secret together with text of the request.
public struct CompressionInterceptor: Interceptor, Filter {
    /// The minimum length in bytes; shorter content fits into one packet even without compression.
    private let minimumBytes: Int

    /// Creates an interceptor.
    ///
    /// - Parameter minimumBytes: The minimum length in bytes. A stream without a length is always compressed.
    public init(minimumBytes: Int = 1024) { self.minimumBytes = minimumBytes }

    /// Compresses the response of the inner handler.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await response(to: request, next: next)
    }

    /// The facts of a request that its response depends on.
    @usableFromInline
    package struct Note: Sendable {
        /// Whether the client accepts gzip.
        let acceptsGzip: Bool
        /// The memory of the request, which includes the state of a compressor; nil in process.
        let memory: MemoryReservation?
    }

    @usableFromInline
    package func filter(_ request: inout HTTPRequest) -> Filtering<Note> {
        .proceed(
            Note(
                acceptsGzip: Self.acceptsGzip(request.fields.values(of: .acceptEncoding)),
                memory: request.context.memory))
    }

    @usableFromInline
    package func complete(_ outcome: inout Outcome, _ note: consuming Note) {
        guard outcome.error == nil else { return }
        switch outcome.response.status.rawValue {
        // RFC 9110 §15.3.7, §15.4.5: the fields are those of the whole response, which may be compressed.
        case 206: outcome.response.fields.addVary("Accept-Encoding")
        case 304:
            outcome.response.fields.addVary("Accept-Encoding")
            if note.acceptsGzip { outcome.response.weakenEntityTag() }
        default:
            guard isCompressible(outcome.response) else { return }
            // RFC 9110 §12.5.5: also without compression, since a cache must know which fields the response depends on.
            outcome.response.fields.addVary("Accept-Encoding")
            if note.acceptsGzip { outcome.response.compress(charging: note.memory) }
        }
    }

    /// Whether a client accepts gzip (RFC 9110 §12.5.3); without the field it does not.
    private static func acceptsGzip(_ values: [String]) -> Bool {
        guard !values.isEmpty else { return false }
        let preferences = Preferences(values.joined(separator: ","))
        let weight = preferences.weight(of: "gzip") ?? preferences.weight(of: "x-gzip") ?? preferences.weight(of: "*")
        return weight ?? 0 > 0
    }

    private func isCompressible(_ response: HTTPResponse) -> Bool {
        let (status, fields) = (response.status.rawValue, response.fields)
        guard status >= 200, status != 204, status != 206, status != 304, fields[.contentEncoding] == nil,
            fields["Content-Range"] == nil, fields[.contentType].map(Self.isCompressible) == true
        else { return false }
        // RFC 9530 §2, §3: digests are those of the sent bytes.
        guard !["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"].contains(where: { fields[$0] != nil }) else {
            return false
        }
        // RFC 9111 §5.2.2.6.
        guard response.cacheControl.isTransformable else { return false }
        // The content of a response to HEAD is already dropped, but its length remains.
        let length = response.body.length ?? fields[.contentLength].flatMap { Int($0) }
        return length.map { $0 >= minimumBytes } ?? true
    }

    /// Whether content of a media type becomes smaller (RFC 6838 §4.2.8: a suffix shows the structure).
    private static func isCompressible(_ mediaType: String) -> Bool {
        let type = Substring(trimmed(mediaType.utf8.prefix { $0 != 0x3B })).lowercasedASCII()
        // Each event must arrive immediately.
        guard type != "text/event-stream" else { return false }
        if type.utf8.starts(with: "text/".utf8) || compressible.contains(type) { return true }
        return ["+json", "+xml", "+text"].contains { type.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }

    private static let compressible: Set = [
        "application/json", "application/javascript", "application/xml", "application/wasm", "application/x-ndjson",
        "application/x-www-form-urlencoded", "application/jwt", "application/graphql", "application/manifest+json",
        "application/vnd.ms-fontobject", "font/ttf", "font/otf", "font/collection", "image/bmp", "image/x-icon",
        "image/vnd.microsoft.icon",
    ]
}

extension HTTPFields {
    /// Adds the name of a field of the request to those that the response depends on (RFC 9110 §12.5.5).
    mutating func addVary(_ name: String) {
        let names = values(of: "Vary").flatMap { $0.utf8.split(separator: 0x2C).map { Substring(trimmed($0)) } }
        guard !names.contains(where: { $0 == "*" || $0.lowercasedASCII() == name.lowercasedASCII() }) else { return }
        self["Vary"] = (names.map { String($0) } + [name]).joined(separator: ", ")
    }
}

extension HTTPResponse {
    /// The length in bytes up to which content is compressed in one step; more would delay the thread's other
    /// connections.
    private static let largestPiece = 64 << 10

    /// Compresses the content; without memory for that, the response is not changed.
    fileprivate mutating func compress(charging memory: MemoryReservation?) {
        let isStreamed = !body.isInMemory || body.bytes.count > Self.largestPiece
        guard !isStreamed || memory?.reserve(GzipCompressor.memoryBytes) ?? true else { return }
        do throws(Gzip.Failure) {
            if !isStreamed {
                // The content of a response to HEAD was dropped, so its compressed length is not known.
                body =
                    body.isEmpty
                    ? HTTPBody(HTTPBodyStream(once: { nil }))
                    : HTTPBody(try Gzip.compress(body.bytes), trailers: body.trailers)
            } else {
                body = try Self.compressing(body)
            }
        } catch { return }
        fields[.contentEncoding] = "gzip"
        fields[.contentLength] = nil
        // Ranges would count the bytes of a coding that differs each time.
        fields["Accept-Ranges"] = nil
        weakenEntityTag()
    }

    /// Marks the entity tag as weak: the content is equivalent, but not byte for byte (RFC 9110 §8.8.1).
    fileprivate mutating func weakenEntityTag() {
        if let tag = fields["ETag"], tag.utf8.first == UInt8(ascii: "\"") { fields["ETag"] = "W/" + tag }
    }

    private static func compressing(_ body: HTTPBody) throws(Gzip.Failure) -> HTTPBody {
        // A source without a known length may wait for later events.
        let next: GzipCompressor.Next = body.length == nil ? .pause : .piece
        let compressor = try GzipCompressor()
        let pieces = body.isInMemory ? HTTPBodyStream(body.bytes, pieceBytes: largestPiece) : body.chunks
        let reader = Mutex<HTTPBodyStream.Iterator?>(pieces.makeAsyncIterator())
        return HTTPBody(
            HTTPBodyStream(
                once: {
                    guard var iterator = reader.withLock({ $0.take() }) else { return nil }
                    while let piece = try await iterator.next() {
                        let bytes = compressor.compress(piece, before: next)
                        guard !bytes.isEmpty else { continue }
                        let current = iterator
                        reader.withLock { $0 = current }
                        return bytes
                    }
                    return compressor.compress([], before: .end)
                }, trailers: { body.trailers }))
    }
}
