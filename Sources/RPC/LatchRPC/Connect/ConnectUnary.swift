// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// A unary call of Connect: the message is the content, and trailers are fields with a prefix (Connect protocol,
/// "Unary-Request").
struct ConnectUnary: Sendable {
    let call: WireCall
    let codec: RPCCodec
    let terms: RPCTerms

    /// What a trailer's name begins with among the fields.
    static let trailerPrefix = "trailer-"
    static let version: HTTPFieldName = "Connect-Protocol-Version"
    static let timeout: HTTPFieldName = "Connect-Timeout-Ms"

    /// The request with a message, by GET where that was asked for and is possible.
    func request(_ message: [UInt8], to channel: RPCChannel) throws -> HTTPRequest {
        let compression = terms.compression.flatMap { message.count >= $0.smallestMessage ? $0 : nil }
        let content = try compression?.compress(message) ?? message
        var request = channel.request(for: call, body: .empty)
        request.fields[.acceptEncoding] = terms.acceptedNames ?? "identity"
        if let timeout = call.options.timeout { request.fields[Self.timeout] = WireTimeout.milliseconds(timeout) }
        if terms.getsSafeMethods, call.idempotency == .noSideEffects {
            let query = ConnectQuery(content: content, codec: codec, compression: compression?.name)
            let target = request.path + "?" + query.text
            if target.utf8.count <= terms.limits.targetBytes {
                request.method = .get
                request.path = target
                return request
            }
        }
        request.fields[Self.version] = "1"
        request.fields[.contentType] = codec.mediaType
        if let compression { request.fields[.contentEncoding] = compression.name }
        request.body = HTTPBody(content)
        return request
    }

    /// The message of an answer, or its error.
    func answer(_ response: HTTPResponse, sentWith request: HTTPRequest) throws -> WireAnswer {
        let (metadata, trailers) = Self.split(response.fields)
        let compression = try terms.compression(named: response.fields[.contentEncoding])
        guard response.body.bytes.count <= terms.limits.messageBytes else {
            throw RPCError(.resourceExhausted, "The answer is larger than allowed.")
        }
        let bytes = try compression?.decompress(response.body.bytes, terms.limits.messageBytes) ?? response.body.bytes
        guard response.status == .ok else {
            throw ConnectError.error(bytes, of: response, metadata: metadata.joined(with: trailers))
        }
        let type = response.fields.mediaType ?? ""
        guard type == codec.mediaType else {
            // Another form of a message is a server's mistake; another kind of content comes from somewhere else.
            let isMessage = type == "application/json" || type == "application/proto"
            throw RPCError(isMessage ? .internal : .unknown, "The content of the answer is of another type.")
        }
        return WireAnswer(message: bytes, metadata: metadata, trailers: trailers)
    }

    /// The fields before and after the answer, which come together.
    static func split(_ fields: HTTPFields) -> (metadata: HTTPFields, trailers: HTTPFields) {
        guard fields.contains(where: { $0.name.canonicalName.hasPrefix(trailerPrefix) }) else { return (fields, [:]) }
        var metadata = HTTPFields()
        var trailers = HTTPFields()
        for line in fields {
            if line.name.canonicalName.hasPrefix(trailerPrefix) {
                let name = line.name.canonicalName.dropFirst(trailerPrefix.count)
                trailers.append(line.value, for: HTTPFieldName(String(name)))
            } else {
                metadata.append(line.value, for: line.name)
            }
        }
        return (metadata, trailers)
    }
}
