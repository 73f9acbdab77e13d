// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// Answers a call whose messages go in envelopes.
struct EnvelopedServing: Sendable {
    let method: RPCMethodHandler
    let style: RPCProtocol
    let codec: RPCCodec
    let terms: ServingTerms

    /// The answer, also where the call fails.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let form = CallForm.enveloped(style, codec)
        let deadline: CallDeadline?
        do throws(RPCError) { deadline = try self.deadline(of: request) } catch { return form.failure(error) }
        let context = CallContext(
            path: method.path, metadata: request.fields, deadline: deadline?.deadline, http: request.context)
        do {
            let messages = ReceivedMessages(coding: terms.coding(codec), next: try messages(of: request))
            if method.kind.answersOne {
                let message = try await within(deadline) {
                    let source = try await method.serve(messages, context)
                    return try await source() ?? []
                }
                return try whole(message, context, request)
            }
            let source = try await within(deadline) { try await method.serve(messages, context) }
            // Trailers are looked at when they are sent: a stream may leave them any time until its end.
            try context.answerMetadata.checkSendable()
            return response(source, deadline, context, request)
        } catch {
            return form.failure(
                RPCError(answering: error), metadata: context.answerMetadata, trailers: context.answerTrailers)
        }
    }

    private func deadline(of request: HTTPRequest) throws(RPCError) -> CallDeadline? {
        let isConnect = style == .connect
        if isConnect, let version = request.fields[ConnectUnary.version], version != "1" {
            throw RPCError(.invalidArgument, "Only version 1 of Connect is spoken here.")
        }
        guard let text = request.fields[isConnect ? ConnectUnary.timeout : "grpc-timeout"] else { return nil }
        let timeout = isConnect ? WireTimeout.duration(milliseconds: text) : WireTimeout.duration(grpc: text)
        guard let timeout else { throw RPCError(.invalidArgument, "The timeout is not spelled as it has to be.") }
        return CallDeadline(in: timeout, clock: terms.clock)
    }

    /// The messages of a request, as they arrive.
    private func messages(of request: HTTPRequest) throws -> MessageSource {
        let compression = try terms.compression(named: request.fields[style.encodingField])
        let limit = terms.limits.messageBytes
        let chunks = style == .grpcWebText ? WebText.decoding(request.body.chunks) : request.body.chunks
        let held = Mutex(EnvelopeReader(chunks, limit: limit))
        return {
            var reader = held.withLock { $0 }
            guard let envelope = try await reader.next() else { return nil }
            held.withLock { [reader] in $0 = reader }
            guard envelope.flags.subtracting(.compressed).isEmpty else {
                throw RPCError(.invalidArgument, "A piece of the request is no message.")
            }
            return try envelope.message(by: compression, limit: limit)
        }
    }

    /// The answer of one message, which goes out in one piece with its end.
    private func whole(_ message: [UInt8], _ context: CallContext, _ request: HTTPRequest) throws -> HTTPResponse {
        let (metadata, trailers) = (context.answerMetadata, context.answerTrailers)
        try metadata.checkSendable()
        try trailers.checkSendable()
        let (fields, compression) = head(metadata, request)
        let bytes = try Envelope(message, by: compression).bytes
        let said = trailers.besideAnswer
        guard style != .grpc else {
            let end = said.joined(with: GRPCStatus.fields(for: nil))
            return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(bytes, trailers: end))
        }
        let written = style == .grpcWebText ? WebText.encode(bytes) : bytes
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(written + style.end(nil, trailers: said)))
    }

    /// The fields before the messages, and how those are made smaller.
    private func head(_ metadata: HTTPFields, _ request: HTTPRequest) -> (HTTPFields, RPCCompression?) {
        var fields = metadata.besideAnswer
        fields[.contentType] = style.mediaType(codec)
        let compression = terms.compression(acceptedBy: request.fields[style.acceptEncodingField])
        if let compression { fields[style.encodingField] = compression.name }
        return (fields, compression)
    }

    /// The answer whose content is written while it is sent.
    private func response(
        _ source: @escaping MessageSource, _ deadline: CallDeadline?, _ context: CallContext, _ request: HTTPRequest
    ) -> HTTPResponse {
        let (fields, compression) = head(context.answerMetadata, request)
        let ending = EnvelopedEnding(style: style, context: context)
        let content = HTTPBodyStream(
            once: {
                guard !ending.isOver else { return nil }
                do {
                    guard let message = try await within(deadline, source) else {
                        try context.answerTrailers.checkSendable()
                        return ending.end(nil)
                    }
                    let bytes = try Envelope(message, by: compression).bytes
                    return style == .grpcWebText ? WebText.encode(bytes) : bytes
                } catch {
                    return ending.end(RPCError(answering: error))
                }
            }, trailers: { ending.trailers })
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(content))
    }
}

/// How an answer ends: once, with the trailers that the method has left.
private final class EnvelopedEnding: Sendable {
    private let style: RPCProtocol
    private let context: CallContext
    private let outcome = Mutex<HTTPFields?>(nil)

    init(style: RPCProtocol, context: CallContext) {
        self.style = style
        self.context = context
    }

    /// Whether the last piece was made.
    var isOver: Bool { outcome.withLock { $0 != nil } }

    /// The trailers of gRPC, once the end is there.
    var trailers: HTTPFields { outcome.withLock { $0 ?? [:] } }

    /// The last piece; nil where the end is said in trailers.
    func end(_ error: RPCError?) -> [UInt8]? {
        let said = context.answerTrailers.joined(with: error?.metadata ?? [:]).besideAnswer
        let status = style == .grpc ? said.joined(with: GRPCStatus.fields(for: error)) : [:]
        outcome.withLock { $0 = status }
        return style == .grpc ? nil : style.end(error, trailers: said)
    }
}
