// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// A unary Connect call (Connect protocol, "Unary-Request").
///
/// The message is the HTTP content, and trailers are fields with a prefix.
struct ConnectUnaryCall: Sendable {
    let call: UntypedCall
    let codec: RPCCodec
    let configuration: RPCChannelConfiguration

    /// The prefix of trailers among the response fields.
    static let trailerPrefix = "trailer-"
    static let version: HTTPFieldName = "Connect-Protocol-Version"
    static let timeout: HTTPFieldName = "Connect-Timeout-Ms"

    /// Creates the request for a message: a GET request if the channel uses them and the call permits it.
    func request(_ message: [UInt8], to channel: RPCChannel) throws -> HTTPRequest {
        let compression = configuration.compression.flatMap { message.count >= $0.minimumMessageBytes ? $0 : nil }
        let content = try compression?.compress(message) ?? message
        var request = channel.request(for: call, body: .empty)
        request.fields[.acceptEncoding] = configuration.acceptedNames ?? "identity"
        if let timeout = call.options.timeout { request.fields[Self.timeout] = TimeoutHeader.milliseconds(timeout) }
        if configuration.usesHTTPGet, call.idempotency == .noSideEffects {
            let query = ConnectQuery(content: content, codec: codec, compression: compression?.name)
            let target = request.path + "?" + query.text
            if target.utf8.count <= configuration.limits.targetBytes {
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

    /// Returns the message of a response, or throws its error.
    func response(from response: HTTPResponse) throws -> UntypedResponse {
        let (metadata, trailers) = Self.split(response.fields)
        let compression = try configuration.compression(named: response.fields[.contentEncoding])
        guard response.body.bytes.count <= configuration.limits.messageBytes else {
            throw RPCError(.resourceExhausted, "The response exceeds the message size limit.")
        }
        let bytes =
            try compression?.decompress(response.body.bytes, configuration.limits.messageBytes) ?? response.body.bytes
        guard response.status == .ok else {
            throw ConnectError.error(bytes, of: response, metadata: metadata.joined(with: trailers))
        }
        let type = response.fields.mediaType ?? ""
        guard type == codec.mediaType else {
            // A codec that was not requested is a server error; any other content comes from an intermediary.
            let isMessage = type == "application/json" || type == "application/proto"
            throw RPCError(isMessage ? .internal : .unknown, "The response has an unexpected content type.")
        }
        return UntypedResponse(message: bytes, metadata: metadata, trailers: trailers)
    }

    /// Splits the response fields into metadata and trailers.
    static func split(_ fields: HTTPFields) -> (metadata: HTTPFields, trailers: HTTPFields) {
        guard fields.contains(where: { $0.name.canonicalName.utf8.starts(with: trailerPrefix.utf8) }) else {
            return (fields, [:])
        }
        var metadata = HTTPFields()
        var trailers = HTTPFields()
        for line in fields {
            if line.name.canonicalName.utf8.starts(with: trailerPrefix.utf8) {
                let name = Substring(line.name.canonicalName.utf8.dropFirst(trailerPrefix.utf8.count))
                trailers.append(line.value, for: HTTPFieldName(String(name)))
            } else {
                metadata.append(line.value, for: line.name)
            }
        }
        return (metadata, trailers)
    }
}
