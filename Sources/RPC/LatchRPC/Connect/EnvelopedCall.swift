// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A call whose messages go in envelopes: every call of gRPC and gRPC-Web, and the streams of Connect.
struct EnvelopedCall: Sendable {
    let call: WireCall
    let style: RPCProtocol
    let codec: RPCCodec
    let terms: RPCTerms

    /// The request with its messages.
    func request(_ content: CallContent, to channel: RPCChannel) throws -> HTTPRequest {
        var request = channel.request(for: call, body: try body(content))
        request.fields[.contentType] = style.mediaType(codec)
        // Messages are compressed one by one; nothing on the way need compress them again.
        request.fields[.acceptEncoding] = "identity"
        switch style {
        case .connect: request.fields[ConnectUnary.version] = "1"
        case .grpcWeb, .grpcWebText:
            request.fields["X-Grpc-Web"] = "1"
            // Envoy answers in base64 only who accepts that.
            request.fields[.accept] = style.mediaType(codec)
        // gRPC over HTTP/2, "Requests": who does not say so may get no trailers, and gRPC servers refuse it.
        case .grpc: request.fields["te"] = "trailers"
        }
        if let compression = terms.compression { request.fields[style.encodingField] = compression.name }
        if let accepted = terms.acceptedNames { request.fields[style.acceptEncodingField] = accepted }
        if let timeout = call.options.timeout {
            if style == .connect {
                request.fields[ConnectUnary.timeout] = WireTimeout.milliseconds(timeout)
            } else {
                request.fields["grpc-timeout"] = WireTimeout.grpc(timeout)
            }
        }
        return request
    }

    private func body(_ content: CallContent) throws -> HTTPBody {
        switch content {
        case .one(let message): return HTTPBody(try write(message))
        case .few(let messages):
            let bytes = try messages.flatMap { try Envelope($0, by: terms.compression).bytes }
            return HTTPBody(style == .grpcWebText ? WebText.encode(bytes) : bytes)
        case .many(let isReplayable, let open):
            let opening: @Sendable () async throws -> HTTPBodyStream.Source = {
                let next = try await open()
                guard style == .grpcWebText else { return { try await next().map { try write($0) } } }
                return WebText.encoding { try await next().map { try Envelope($0, by: terms.compression).bytes } }
            }
            guard !isReplayable else { return HTTPBody(HTTPBodyStream(opening: opening)) }
            let reader = OpenedOnce(opening)
            return HTTPBody(HTTPBodyStream(once: { try await reader.next() }))
        }
    }

    private func write(_ message: [UInt8]) throws -> [UInt8] {
        let bytes = try Envelope(message, by: terms.compression).bytes
        return style == .grpcWebText ? WebText.encode(bytes) : bytes
    }
}

extension RPCProtocol {
    /// The type of a stream's content; written out, so that no call puts it together.
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

    /// Where the compression of messages is said.
    var encodingField: HTTPFieldName { self == .connect ? "Connect-Content-Encoding" : "grpc-encoding" }

    /// Where it is said which compressions are understood.
    var acceptEncodingField: HTTPFieldName {
        self == .connect ? "Connect-Accept-Encoding" : "grpc-accept-encoding"
    }
}
