// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// An interceptor that sets the HTTP status 401 on responses with the RPC status `unauthenticated`.
///
/// All calls except unary Connect calls result in 200, so a session would not notice that its token was rejected. The
/// interceptor reads a status before the first message. It can be in the head (gRPC over HTTP/2, "Trailers-Only"), in
/// the trailers, or in the envelope that ends the content. The content stays unchanged, so the call fails with it if no
/// interceptor repeats the request.
///
/// For a streamed response, it awaits the first bytes only if the request carried a credential and can be sent again.
/// Other streams pass as soon as their head has arrived. After a message, no request can be repeated.
struct UnauthenticatedInterceptor: Interceptor {
    let style: RPCProtocol
    let configuration: RPCChannelConfiguration

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var response = try await next.respond(to: request)
        if response.status != .ok {
            // A gateway may report it with any status.
            if style != .connect, Self.isUnauthenticated(response.fields) { response.status = .unauthorized }
            return response
        }
        guard style.isProtocol(of: response) else { return response }
        if try await isUnauthenticated(&response, of: request) { response.status = .unauthorized }
        return response
    }

    private func isUnauthenticated(_ response: inout HTTPResponse, of request: HTTPRequest) async throws -> Bool {
        if style != .connect, GRPCStatus.isPresent(in: response.fields) {
            return Self.isUnauthenticated(response.fields)
        }
        let start: [UInt8]
        if let stream = response.body.stream {
            guard !request.modifiers.isEmpty, request.body.isReplayable, style != .grpcWebText else { return false }
            let content = PeekedContent(stream)
            start = try await content.start(limit: configuration.limits.messageBytes) { style.isEnd($0) }
            response.body = HTTPBody(content.whole)
        } else {
            let bytes = response.body.bytes
            start = style == .grpcWebText ? GRPCWebText.decode(bytes[...]) ?? [] : bytes
        }
        guard !start.isEmpty else { return style == .grpc && Self.isUnauthenticated(response.body.trailers) }
        return isUnauthenticated(start, compression: response.fields[style.encodingField])
    }

    /// Whether the content begins with an end of stream that reports `unauthenticated`.
    private func isUnauthenticated(_ content: [UInt8], compression name: String?) -> Bool {
        guard style.isEnd(content[0]), let length = Envelope.length(content),
            content.count - Envelope.prefixBytes >= length
        else { return false }
        let flags = Envelope.Flags(rawValue: content[0])
        let piece = Array(content[Envelope.prefixBytes..<(Envelope.prefixBytes + length)])
        do {
            let end = try Envelope(piece, flags: flags).message(
                by: try configuration.compression(named: name), limit: configuration.limits.messageBytes)
            guard style == .connect else { return Self.isUnauthenticated(GRPCWebTrailers.fields(end)) }
            return try ConnectEndOfStream(end, after: [:]).error?.status == .unauthenticated
        } catch {
            // The reader of the content will report the error.
            return false
        }
    }

    private static func isUnauthenticated(_ fields: HTTPFields) -> Bool {
        fields[GRPCStatus.status] == String(RPCCode.unauthenticated.rawValue)
    }
}

extension RPCProtocol {
    /// Whether an envelope with these flags ends the content.
    fileprivate func isEnd(_ flags: UInt8) -> Bool {
        switch self {
        case .connect: Envelope.Flags(rawValue: flags).contains(.endOfStream)
        case .grpcWeb, .grpcWebText: Envelope.Flags(rawValue: flags).contains(.trailers)
        case .grpc: false
        }
    }

    /// Whether a response uses this protocol; a response without a proper head has no content type.
    func isProtocol(of response: HTTPResponse) -> Bool {
        guard let type = response.fields.mediaType else {
            return self != .connect && GRPCStatus.isPresent(in: response.fields)
        }
        return isFamily(type)
    }

    /// Whether a media type belongs to this protocol, with any codec.
    func isFamily(_ type: String) -> Bool {
        let family = Substring(mediaType(.binary).utf8.prefix { $0 != UInt8(ascii: "+") })
        return type == family || type.utf8.starts(with: (family + "+").utf8)
    }
}

/// A body whose beginning was read in advance but that can still be read completely.
final class PeekedContent: Sendable {
    private let stream: HTTPBodyStream
    private let rest: Mutex<HTTPBodyStream.Iterator>
    private let seen = Mutex<[UInt8]>([])

    /// Creates the content of a stream that has no reader yet.
    init(_ stream: HTTPBodyStream) {
        self.stream = stream
        rest = Mutex(stream.makeAsyncIterator())
    }

    /// Returns the beginning of the content; empty if it has no content.
    ///
    /// This is the whole first envelope if `isWhole` accepts its flags, otherwise the first chunk.
    func start(limit: Int, _ isWhole: (UInt8) -> Bool) async throws -> [UInt8] {
        var start: [UInt8] = []
        while start.count < Self.wanted(of: start, limit, isWhole), let piece = try await next() { start += piece }
        seen.withLock { [start] in $0 = start }
        return start
    }

    /// The content from its first byte.
    var whole: HTTPBodyStream {
        HTTPBodyStream(
            length: stream.length,
            once: {
                let seen = self.seen.withLock { seen in
                    defer { seen = [] }
                    return seen
                }
                return seen.isEmpty ? try await self.next() : seen
            }, trailers: { self.stream.trailers })
    }

    /// Returns the number of bytes that the decision about the first envelope needs.
    private static func wanted(of start: [UInt8], _ limit: Int, _ isWhole: (UInt8) -> Bool) -> Int {
        guard let flags = start.first, isWhole(flags) else { return 1 }
        guard let length = Envelope.length(start) else { return Envelope.prefixBytes }
        return length <= min(limit, .max - Envelope.prefixBytes) ? Envelope.prefixBytes + length : 1
    }

    private func next() async throws -> [UInt8]? {
        var own = rest.withLock { $0 }
        let piece = try await own.next()
        rest.withLock { [own] in $0 = own }
        return piece
    }
}
