// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// The answer to a call whose messages go in envelopes.
struct EnvelopedAnswer: Sendable {
    let metadata: HTTPFields
    private let fields: StreamFields
    private let style: RPCProtocol
    private let limit: Int
    private let compression: RPCCompression?
    private let body: HTTPBody
    private var reader: EnvelopeReader
    /// Whether the head may be all there is (gRPC's "Trailers-Only"); what it says counts only where nothing follows.
    private var mayBeHeadOnly: Bool
    /// Whether the content ends with what says so; a server that still gets messages may leave it open.
    private let awaitsEnd: Bool

    /// The answer of a response, of which the head is there.
    ///
    /// - Throws: `RPCError` where the head says that it is none.
    init(_ response: HTTPResponse, to call: EnvelopedCall, _ fields: StreamFields) throws {
        let (style, terms) = (call.style, call.terms)
        metadata = response.fields
        self.fields = fields
        fields.metadata = metadata
        awaitsEnd = call.call.kind.sendsOne
        mayBeHeadOnly = style != .connect && GRPCStatus.isIn(response.fields)
        // The code in the answer is what counts, and 401 may be what was made of a 200 that carries one.
        let mediaType = response.fields.mediaType ?? ""
        let isRefusal = response.status == .unauthorized && style.answers(response)
        guard response.status == .ok || isRefusal else {
            // What a server says besides is for Connect's unary calls; the text of something in between is not ours.
            throw RPCError(
                RPCCode(response.status), "The server answered with status \(response.status).", metadata: metadata)
        }
        // What is left of an answer whose head was lost on the way has no type, and says how the call ended.
        if !mayBeHeadOnly || !mediaType.isEmpty { try Self.check(mediaType, style, call.codec) }
        self.style = style
        limit = terms.limits.messageBytes
        compression = try terms.compression(named: response.fields[style.encodingField])
        body = response.body
        let chunks = style == .grpcWebText ? WebText.decoding(body.chunks) : body.chunks
        reader = EnvelopeReader(chunks, limit: limit)
    }

    /// Whether the content is what was asked for.
    private static func check(_ type: String, _ style: RPCProtocol, _ codec: RPCCodec) throws {
        let wanted = style.mediaType(codec)
        let family = wanted.prefix { $0 != "+" }
        // gRPC: without a word after the plus sign it is the binary form.
        guard type != wanted, !(type == family && codec == .binary && style != .connect) else { return }
        throw RPCError(
            style.isFamily(type) ? .internal : .unknown, "The content of the answer is of another type.")
    }

    /// The next message; nil where the call has ended well.
    ///
    /// - Throws: How it ended otherwise; nothing comes after it.
    mutating func next() async throws -> [UInt8]? {
        // A server that still gets messages may have said all in the head, and leave the content open.
        let isOver = mayBeHeadOnly && !awaitsEnd
        guard !isOver, let envelope = try await reader.next() else {
            try finish()
            return nil
        }
        mayBeHeadOnly = false
        if style == .connect, envelope.flags.contains(.endOfStream) {
            try await close(try ConnectEnd(try envelope.message(by: compression, limit: limit), after: metadata))
            return nil
        }
        if style == .grpcWeb || style == .grpcWebText, envelope.flags.contains(.trailers) {
            let trailers = WebTrailers.fields(try envelope.message(by: compression, limit: limit))
            try await expectEnd()
            try close(trailers, after: metadata)
            return nil
        }
        guard envelope.flags.subtracting(.compressed).isEmpty else {
            throw RPCError(.internal, "A piece of the answer is neither message nor end.")
        }
        return try envelope.message(by: compression, limit: limit)
    }

    /// The one message of an answer that has one.
    ///
    /// - Throws: `RPCError.unimplemented` where there are more or none (gRPC's status codes: "cardinality violation").
    mutating func single() async throws -> WireAnswer {
        guard let message = try await next() else {
            throw RPCError(.unimplemented, "The answer has no message.", metadata: metadata)
        }
        guard try await next() == nil else {
            throw RPCError(.unimplemented, "The answer has more than one message.", metadata: metadata)
        }
        return WireAnswer(message: message, metadata: metadata, trailers: fields.trailers)
    }

    /// The content has ended: gRPC says in the trailers how; the others would have said so in the content.
    private func finish() throws {
        let trailers = body.trailers
        guard style == .grpc, GRPCStatus.isIn(trailers) else {
            if mayBeHeadOnly { return try close(metadata) }
            throw RPCError(.internal, "The answer breaks off before its end.", metadata: metadata)
        }
        try close(trailers, after: metadata)
    }

    /// The call ends with what the trailers say; `metadata` stands before them.
    private func close(_ trailers: HTTPFields, after metadata: HTTPFields = [:]) throws {
        fields.trailers = trailers
        let all = metadata.joined(with: trailers)
        if let error = GRPCStatus.error(in: trailers, metadata: all) { throw error }
    }

    private mutating func close(_ end: ConnectEnd) async throws {
        try await expectEnd()
        fields.trailers = end.metadata
        if let error = end.error { throw error }
    }

    /// Nothing follows what ends a stream; reading on also lets the connection be used again.
    private mutating func expectEnd() async throws {
        guard awaitsEnd else { return }
        guard try await reader.next() == nil else {
            throw RPCError(.internal, "Something follows the end of the answer.", metadata: metadata)
        }
    }
}
