// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The handler of unary Connect calls.
struct ConnectUnaryHandler: Sendable {
    let method: RPCMethodHandler
    let form: RequestFormat
    let configuration: RPCServiceConfiguration

    func respond(
        to request: HTTPRequest, _ deadline: RPCDeadline?, _ context: CallContext
    ) async throws -> HTTPResponse {
        let received = try await content(of: request, upTo: context.limits.messageBytes)
        let messages = RequestMessages(
            coding: configuration.coding(received.codec), context: context,
            content: .single(received.message), violations: method.violations)
        guard case .single(let implementation) = method.implementation else { return RPCService.unsupported }
        let message = try await within(deadline) { try await implementation(messages, context) }
        return try success(message, received.codec, context, request)
    }

    private func content(
        of request: HTTPRequest, upTo limit: Int
    ) async throws -> (message: EncodedMessage, codec: RPCCodec) {
        if case .connectUnary(let codec) = form {
            let compression = try configuration.compression(named: request.fields[.contentEncoding])
            let bytes = try await request.body.collected(upTo: limit)
            return (EncodedMessage(content: bytes, compression: compression), codec)
        }
        let query = try ConnectQuery(request)
        let compression = try configuration.compression(named: query.compression)
        return (EncodedMessage(content: query.content, compression: compression), query.codec)
    }

    private func success(
        _ message: [UInt8], _ codec: RPCCodec, _ context: CallContext, _ request: HTTPRequest
    ) throws -> HTTPResponse {
        try context.checkSendable()
        var fields = context.responseMetadata.applicationMetadata
        for line in context.responseTrailers.applicationMetadata.prefixedAsConnectTrailers {
            fields.append(line.value, for: line.name)
        }
        fields[.contentType] = codec.mediaType
        // RFC 9110 §12.5.5: a cache must not serve one encoding to clients that have requested another.
        if case .connectGet = form { fields.append("Accept-Encoding", for: "Vary") }
        let accepted = configuration.compression(acceptedBy: request.fields[.acceptEncoding])
        guard let accepted, message.count >= accepted.minimumMessageBytes else {
            return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(message))
        }
        fields[.contentEncoding] = accepted.name
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(try accepted.compress(message)))
    }
}

extension RPCError {
    /// Creates the error to send to the caller: an `RPCError` unchanged, any other error without its text.
    init(sending error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case is CancellationError: self = .canceled
        case HTTPError.tooLarge: self.init(.resourceExhausted, "The message exceeds the size limit.")
        case HTTPError.timeout: self = .deadlineExceeded
        case HTTPError.cancelled: self = .canceled
        default: self.init(.internal, "The method failed.", cause: error)
        }
    }
}
