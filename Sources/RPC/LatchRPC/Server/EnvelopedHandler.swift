// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// The handler of calls whose messages are enveloped.
struct EnvelopedHandler: Sendable {
    let method: RPCMethodHandler
    let style: RPCProtocol
    let codec: RPCCodec
    let configuration: RPCServiceConfiguration

    func respond(
        to request: HTTPRequest, _ deadline: RPCDeadline?, _ context: CallContext
    ) async throws -> HTTPResponse {
        let messages = RequestMessages(
            coding: configuration.coding(codec), context: context,
            content: try messages(of: request, upTo: context.limits.messageBytes), violations: method.violations)
        switch method.implementation {
        case .single(let implementation):
            let message = try await within(deadline) { try await implementation(messages, context) }
            return try singleResponse(message, context, request)
        case .streamed(let implementation):
            let source = try await within(deadline) { try await implementation(messages, context) }
            // Trailers are checked when they are sent, because a method can set them until the end of its stream.
            try context.responseMetadata.checkSendable()
            return streamedResponse(source, deadline, context, request)
        }
    }

    /// Returns the messages of a request as they arrive.
    private func messages(of request: HTTPRequest, upTo limit: Int) throws -> EncodedMessages {
        let compression = try configuration.compression(named: request.fields[style.encodingField])
        let chunks = style == .grpcWebText ? GRPCWebText.decoding(request.body.chunks) : request.body.chunks
        // Complete content has already been charged.
        let memory = request.body.stream == nil ? nil : request.context.memory
        let held = Mutex(EnvelopeReader(chunks, limit: limit, memory: memory))
        return .streamed {
            var reader = held.withLock { $0 }
            guard let envelope = try await reader.next() else { return nil }
            held.withLock { [reader] in $0 = reader }
            guard envelope.flags.subtracting(.compressed).isEmpty else {
                throw RPCError(.invalidArgument, "The request contains an envelope that is not a message.")
            }
            return try EncodedMessage(envelope, by: compression)
        }
    }

    /// Returns the response with a single message, in one piece with its end.
    private func singleResponse(_ message: [UInt8], _ context: CallContext, _ request: HTTPRequest) throws
        -> HTTPResponse
    {
        try context.checkSendable()
        let (fields, compression) = head(context.responseMetadata, request)
        let bytes = try Envelope(message, by: compression).bytes
        let trailers = context.responseTrailers.applicationMetadata
        guard style != .grpc else {
            let end = trailers.joined(with: GRPCStatus.fields(for: nil))
            return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(bytes, trailers: end))
        }
        let written = style == .grpcWebText ? GRPCWebText.encode(bytes) : bytes
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(written + style.end(nil, trailers: trailers)))
    }

    /// Returns the response head and the compression of the messages.
    private func head(_ metadata: HTTPFields, _ request: HTTPRequest) -> (HTTPFields, RPCCompression?) {
        var fields = metadata.applicationMetadata
        fields[.contentType] = style.mediaType(codec)
        let compression = configuration.compression(acceptedBy: request.fields[style.acceptEncodingField])
        if let compression { fields[style.encodingField] = compression.name }
        return (fields, compression)
    }

    /// Returns the response whose content is produced while it is sent.
    private func streamedResponse(
        _ source: @escaping MessageSource, _ deadline: RPCDeadline?, _ context: CallContext, _ request: HTTPRequest
    ) -> HTTPResponse {
        let (fields, compression) = head(context.responseMetadata, request)
        let ending = StreamEnd(style: style, context: context)
        let content = HTTPBodyStream(
            once: {
                guard !ending.isOver else { return nil }
                do {
                    guard let message = try await within(deadline, source) else {
                        try context.responseTrailers.checkSendable()
                        return ending.end(nil)
                    }
                    let bytes = try Envelope(message, by: compression).bytes
                    return style == .grpcWebText ? GRPCWebText.encode(bytes) : bytes
                } catch {
                    return ending.end(configuration.failure(error, context))
                }
            }, trailers: { ending.trailers })
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(content))
    }
}

/// The end of a streamed response, with the trailers that the method has set.
private final class StreamEnd: Sendable {
    private let style: RPCProtocol
    private let context: CallContext
    private let outcome = Mutex<HTTPFields?>(nil)

    init(style: RPCProtocol, context: CallContext) {
        self.style = style
        self.context = context
    }

    /// Whether the end of the stream was produced.
    var isOver: Bool { outcome.withLock { $0 != nil } }

    /// The gRPC trailers; empty until the end of the stream.
    var trailers: HTTPFields { outcome.withLock { $0 ?? [:] } }

    /// Returns the last envelope; nil if the trailers carry the status.
    func end(_ error: RPCError?) -> [UInt8]? {
        let trailers = context.responseTrailers.joined(with: error?.metadata ?? [:]).applicationMetadata
        let status = style == .grpc ? trailers.joined(with: GRPCStatus.fields(for: error)) : [:]
        outcome.withLock { $0 = status }
        return style == .grpc ? nil : style.end(error, trailers: trailers)
    }
}
