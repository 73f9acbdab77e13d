// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// A call whose messages are enveloped: every gRPC and gRPC-Web call, and Connect streams.
struct EnvelopedCall: Sendable {
    let call: UntypedCall
    let style: RPCProtocol
    let codec: RPCCodec
    let configuration: RPCChannelConfiguration

    func request(_ content: RequestContent, to channel: RPCChannel) throws -> HTTPRequest {
        var request = channel.request(for: call, body: try body(content))
        request.fields[.contentType] = style.mediaType(codec)
        // Messages are compressed one by one, so compressing the whole content again is useless.
        request.fields[.acceptEncoding] = "identity"
        switch style {
        case .connect: request.fields[ConnectUnaryCall.version] = "1"
        case .grpcWeb, .grpcWebText:
            request.fields["X-Grpc-Web"] = "1"
            // Envoy responds in base64 only to clients that accept it.
            request.fields[.accept] = style.mediaType(codec)
        // gRPC over HTTP/2, "Requests": without this field a server may omit trailers, and gRPC servers refuse the
        // call.
        case .grpc: request.fields["te"] = "trailers"
        }
        if let compression = configuration.compression { request.fields[style.encodingField] = compression.name }
        if let accepted = configuration.acceptedNames { request.fields[style.acceptEncodingField] = accepted }
        if let timeout = call.options.timeout {
            if style == .connect {
                request.fields[ConnectUnaryCall.timeout] = TimeoutHeader.milliseconds(timeout)
            } else {
                request.fields["grpc-timeout"] = TimeoutHeader.grpc(timeout)
            }
        }
        return request
    }

    private func body(_ content: RequestContent) throws -> HTTPBody {
        switch content {
        case .one(let message): return HTTPBody(try write(message))
        case .few(let messages):
            let bytes = try messages.flatMap { try Envelope($0, by: configuration.compression).bytes }
            return HTTPBody(style == .grpcWebText ? GRPCWebText.encode(bytes) : bytes)
        case .many(let isReplayable, let open):
            let opening: @Sendable () async throws -> HTTPBodyStream.Source = {
                let next = try await open()
                guard style == .grpcWebText else { return { try await next().map { try write($0) } } }
                return GRPCWebText.encoding {
                    try await next().map { try Envelope($0, by: configuration.compression).bytes }
                }
            }
            guard !isReplayable else { return HTTPBody(HTTPBodyStream(opening: opening)) }
            let reader = LazySource(opening)
            return HTTPBody(HTTPBodyStream(once: { try await reader.next() }))
        }
    }

    private func write(_ message: [UInt8]) throws -> [UInt8] {
        let bytes = try Envelope(message, by: configuration.compression).bytes
        return style == .grpcWebText ? GRPCWebText.encode(bytes) : bytes
    }
}

extension RPCProtocol {
    /// Returns the media type of enveloped content; a literal, so that no call builds a string.
    func mediaType(_ codec: RPCCodec) -> String {
        switch (self, codec) {
        case (.connect, .binary): "application/connect+proto"
        case (.connect, .json): "application/connect+json"
        case (.grpcWeb, .binary): "application/grpc-web+proto"
        case (.grpcWeb, .json): "application/grpc-web+json"
        case (.grpcWebText, .binary): "application/grpc-web-text+proto"
        case (.grpcWebText, .json): "application/grpc-web-text+json"
        case (.grpc, .binary): "application/grpc+proto"
        case (.grpc, .json): "application/grpc+json"
        }
    }

    /// The field that names the compression of messages.
    var encodingField: HTTPFieldName { self == .connect ? "Connect-Content-Encoding" : "grpc-encoding" }

    /// The field that lists the accepted compressions.
    var acceptEncodingField: HTTPFieldName {
        self == .connect ? "Connect-Accept-Encoding" : "grpc-accept-encoding"
    }
}

/// A body source that is opened at the first read, for a single reader.
final class LazySource: Sendable {
    private let open: @Sendable () async throws -> HTTPBodyStream.Source
    private let opened = Mutex<Opened?>(nil)

    /// The source, wrapped in a separate type.
    ///
    /// A closure as the value of a `Mutex` would be wrapped twice more by each `withLock`, so each chunk would take
    /// longer than the last.
    private struct Opened: Sendable {
        let source: HTTPBodyStream.Source
    }

    init(_ open: @escaping @Sendable () async throws -> HTTPBodyStream.Source) { self.open = open }

    /// Returns the next chunk, or nil at the end.
    func next() async throws -> [UInt8]? {
        if let opened = opened.withLock({ $0 }) { return try await opened.source() }
        let source = try await open()
        opened.withLock { $0 = Opened(source: source) }
        return try await source()
    }
}
