// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// The response to a call whose messages are enveloped.
struct EnvelopedResponse: Sendable {
    let metadata: HTTPFields
    private let fields: StreamFields
    private let style: RPCProtocol
    private let limit: Int
    private let compression: RPCCompression?
    private let body: HTTPBody
    private var reader: EnvelopeReader
    /// Whether the response may have only a head (gRPC's "Trailers-Only"); the status in the head counts only if no
    /// message follows.
    private var mayBeHeadOnly: Bool
    /// Whether to read to the end of the content after the end of the stream.
    ///
    /// A server that is still receiving messages may leave the content open.
    private let awaitsEnd: Bool

    /// Creates a response from its HTTP head.
    ///
    /// - Throws: `RPCError` if the head reports a failure.
    init(_ response: HTTPResponse, to call: EnvelopedCall, _ fields: StreamFields) throws {
        let (style, configuration) = (call.style, call.configuration)
        metadata = response.fields
        self.fields = fields
        fields.metadata = metadata
        awaitsEnd = call.call.kind.hasSingleRequest
        mayBeHeadOnly = style != .connect && GRPCStatus.isPresent(in: response.fields)
        // The status code in the message counts, because the interceptor turns a 200 with `unauthenticated` into a 401.
        let mediaType = response.fields.mediaType ?? ""
        let isUnauthenticated = response.status == .unauthorized && style.isProtocol(of: response)
        guard response.status == .ok || isUnauthenticated else {
            // A gateway reports its own failure this way.
            // As in grpc-go and connect-go, the HTTP status counts if the response has no gRPC status.
            if mayBeHeadOnly, let error = GRPCStatus.error(in: metadata, metadata: metadata) { throw error }
            // Only unary Connect calls have an error body; the body of an intermediary is not shown.
            throw RPCError(
                RPCCode(response.status), "The server responded with status \(response.status).", metadata: metadata)
        }
        // A response without a proper head has no content type but may contain the status.
        if !mayBeHeadOnly || !mediaType.isEmpty { try Self.check(mediaType, style, call.codec) }
        self.style = style
        limit = configuration.limits.messageBytes
        compression = try configuration.compression(named: response.fields[style.encodingField])
        body = response.body
        let chunks = style == .grpcWebText ? GRPCWebText.decoding(body.chunks) : body.chunks
        reader = EnvelopeReader(chunks, limit: limit)
    }

    /// Checks the content type of the response.
    private static func check(_ type: String, _ style: RPCProtocol, _ codec: RPCCodec) throws {
        let wanted = style.mediaType(codec)
        let family = Substring(wanted.utf8.prefix { $0 != UInt8(ascii: "+") })
        // gRPC: a media type without a suffix means the binary codec.
        guard type != wanted, !(type == family && codec == .binary && style != .connect) else { return }
        throw RPCError(
            style.isFamily(type) ? .internal : .unknown, "The response has an unexpected content type.")
    }

    /// Returns the next message, or nil after the successful end of the call.
    ///
    /// - Throws: The error with which the call ended; no message follows it.
    mutating func next() async throws -> [UInt8]? {
        // A server that is still receiving messages may have sent the status in the head and left the content open.
        let isOver = mayBeHeadOnly && !awaitsEnd
        guard !isOver, let envelope = try await reader.next() else {
            try finish()
            return nil
        }
        let hasStatusInHead = mayBeHeadOnly
        mayBeHeadOnly = false
        if style == .connect, envelope.flags.contains(.endOfStream) {
            let end = try ConnectEndOfStream(try envelope.message(by: compression, limit: limit), after: metadata)
            try await expectEnd()
            fields.trailers = end.metadata
            if let error = end.error { throw error }
            return nil
        }
        if style == .grpcWeb || style == .grpcWebText, envelope.flags.contains(.trailers) {
            let trailers = GRPCWebTrailers.fields(try envelope.message(by: compression, limit: limit))
            try await expectEnd()
            // Proxies that translate gRPC put the status of a failure into the head, and end with empty trailers.
            if hasStatusInHead, !GRPCStatus.isPresent(in: trailers) {
                try close(metadata)
            } else {
                try close(trailers, after: metadata)
            }
            return nil
        }
        guard envelope.flags.subtracting(.compressed).isEmpty else {
            throw RPCError(.internal, "The response contains an envelope that is neither a message nor the end.")
        }
        return try envelope.message(by: compression, limit: limit)
    }

    /// Returns the message of a response that must have exactly one.
    ///
    /// - Throws: `RPCError.unimplemented` if the response has no message or several (gRPC status codes, "cardinality
    ///   violation").
    mutating func single() async throws -> UntypedResponse {
        guard let message = try await next() else {
            throw RPCError(.unimplemented, "The response has no message.", metadata: metadata)
        }
        guard try await next() == nil else {
            throw RPCError(.unimplemented, "The response has more than one message.", metadata: metadata)
        }
        return UntypedResponse(message: message, metadata: metadata, trailers: fields.trailers)
    }

    /// Ends the call after the content: gRPC reports the status in the trailers, the other protocols in the content.
    private func finish() throws {
        let trailers = body.trailers
        guard style == .grpc, GRPCStatus.isPresent(in: trailers) else {
            if mayBeHeadOnly { return try close(metadata) }
            throw RPCError(.internal, "The response ends without a status.", metadata: metadata)
        }
        try close(trailers, after: metadata)
    }

    /// Ends the call with the status in the trailers.
    private func close(_ trailers: HTTPFields, after metadata: HTTPFields = [:]) throws {
        fields.trailers = trailers
        let all = metadata.joined(with: trailers)
        if let error = GRPCStatus.error(in: trailers, metadata: all) { throw error }
    }

    /// Checks that nothing follows the end of the stream; reading to the end also lets the connection be reused.
    private mutating func expectEnd() async throws {
        guard awaitsEnd else { return }
        guard try await reader.next() == nil else {
            throw RPCError(.internal, "The response continues after its end.", metadata: metadata)
        }
    }
}
