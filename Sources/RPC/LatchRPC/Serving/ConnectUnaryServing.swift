// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// Answers a unary call of Connect.
struct ConnectUnaryServing: Sendable {
    let method: RPCMethodHandler
    let form: CallForm
    let terms: ServingTerms

    /// The answer, also where the call fails.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let deadline: CallDeadline?
        do throws(RPCError) { deadline = try self.deadline(of: request) } catch { return form.failure(error) }
        let context = CallContext(
            path: method.path, metadata: request.fields, deadline: deadline?.deadline, http: request.context)
        do {
            let received = try await content(of: request)
            let messages = ReceivedMessages(
                coding: terms.coding(received.codec), next: ReceivedMessages.source(of: received.message))
            let message = try await within(deadline) {
                let source = try await method.serve(messages, context)
                return try await source() ?? []
            }
            return try success(message, received.codec, context, request)
        } catch {
            return form.failure(
                RPCError(answering: error), metadata: context.answerMetadata, trailers: context.answerTrailers)
        }
    }

    private func deadline(of request: HTTPRequest) throws(RPCError) -> CallDeadline? {
        if let version = request.fields[ConnectUnary.version], version != "1" {
            throw RPCError(.invalidArgument, "Only version 1 of Connect is spoken here.")
        }
        guard let text = request.fields[ConnectUnary.timeout] else { return nil }
        guard let timeout = WireTimeout.duration(milliseconds: text) else {
            throw RPCError(.invalidArgument, "The timeout is no number of at most ten digits.")
        }
        return CallDeadline(in: timeout, clock: terms.clock)
    }

    private func content(of request: HTTPRequest) async throws -> (message: [UInt8], codec: RPCCodec) {
        let limit = terms.limits.messageBytes
        if case .connectUnary(let codec) = form {
            let compression = try terms.compression(named: request.fields[.contentEncoding])
            let bytes = try await request.body.collected(upTo: limit)
            return (try compression?.decompress(bytes, limit) ?? bytes, codec)
        }
        let query = try ConnectQuery(request)
        let compression = try terms.compression(named: query.compression)
        return (try compression?.decompress(query.content, limit) ?? query.content, query.codec)
    }

    private func success(
        _ message: [UInt8], _ codec: RPCCodec, _ context: CallContext, _ request: HTTPRequest
    ) throws -> HTTPResponse {
        try context.answerMetadata.checkSendable()
        try context.answerTrailers.checkSendable()
        var fields = context.answerMetadata.besideAnswer
        for line in context.answerTrailers.besideAnswer.prefixedAsTrailers { fields.append(line.value, for: line.name) }
        fields[.contentType] = codec.mediaType
        // RFC 9110 §12.5.5: a cache must not give the one form to who asked for the other.
        if case .connectGet = form { fields.append("Accept-Encoding", for: "Vary") }
        let accepted = terms.compression(acceptedBy: request.fields[.acceptEncoding])
        guard let accepted, message.count >= accepted.smallestMessage else {
            return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(message))
        }
        fields[.contentEncoding] = accepted.name
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(try accepted.compress(message)))
    }
}

extension RPCError {
    /// What a caller is told of an error: its own words only where it is one of a call.
    init(answering error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case is CancellationError: self = .canceled
        case HTTPError.tooLarge: self.init(.resourceExhausted, "The message is larger than allowed.")
        case HTTPError.timeout: self = .deadlineExceeded
        case HTTPError.cancelled: self = .canceled
        default: self.init(.internal, "The method failed.", cause: error)
        }
    }
}
