// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// In which way a request is written, and so its answer.
enum CallForm: Sendable {
    /// A unary call of Connect by GET.
    case connectGet
    /// A unary call of Connect by POST.
    case connectUnary(RPCCodec)
    /// Anything in envelopes.
    case enveloped(RPCProtocol, RPCCodec)

    /// The form of a request; nil where it is none of a call.
    init?(_ request: HTTPRequest) {
        guard request.method == .post else {
            guard request.method == .get else { return nil }
            self = .connectGet
            return
        }
        guard let type = request.fields.mediaType, let form = Self.forms[type] else { return nil }
        self = form
    }

    private static let forms: [String: CallForm] = {
        var forms: [String: CallForm] = [:]
        for codec in RPCCodec.allCases {
            forms["application/\(codec.rawValue)"] = .connectUnary(codec)
            for style in RPCProtocol.allCases { forms[style.mediaType(codec)] = .enveloped(style, codec) }
        }
        for style in [.grpc, .grpcWeb, .grpcWebText] as [RPCProtocol] {
            let family = style.mediaType(.binary).prefix { $0 != "+" }
            forms[String(family)] = .enveloped(style, .binary)
        }
        return forms
    }()

    /// What `Accept-Post` says.
    static let mediaTypes = forms.keys.sorted().joined(separator: ", ")

    /// The answer to a call that fails before anything was sent.
    func failure(_ error: RPCError, metadata: HTTPFields = [:], trailers: HTTPFields = [:]) -> HTTPResponse {
        let metadata = metadata.besideAnswer
        let trailers = trailers.joined(with: error.metadata).besideAnswer
        switch self {
        case .connectGet, .connectUnary:
            return HTTPResponse(
                status: error.status.httpStatus,
                fields: metadata.joined(with: trailers.prefixedAsTrailers).joined(with: [
                    .contentType: "application/json"
                ]),
                body: HTTPBody(ConnectError.json(error).serialized()))
        case .enveloped(.grpc, let codec):
            // gRPC over HTTP/2, "Trailers-Only": all in the head.
            let head: HTTPFields = [.contentType: RPCProtocol.grpc.mediaType(codec)]
            return HTTPResponse(
                status: .ok,
                fields: head.joined(with: metadata).joined(with: trailers).joined(with: GRPCStatus.fields(for: error)))
        case .enveloped(let style, let codec):
            return HTTPResponse(
                status: .ok, fields: metadata.joined(with: [.contentType: style.mediaType(codec)]),
                body: HTTPBody(style.end(error, trailers: trailers)))
        }
    }
}

extension RPCProtocol {
    /// The last piece of content for an outcome, in the two protocols that end so.
    func end(_ error: RPCError?, trailers: HTTPFields) -> [UInt8] {
        guard self != .connect else {
            return Envelope(ConnectEnd(error: error, metadata: trailers).bytes, flags: .endOfStream).bytes
        }
        let fields = trailers.joined(with: GRPCStatus.fields(for: error))
        let bytes = Envelope(WebTrailers.bytes(fields), flags: .trailers).bytes
        return self == .grpcWebText ? WebText.encode(bytes) : bytes
    }
}

extension HTTPFields {
    /// Connect protocol, "Unary-Response": trailers stand among the fields, with a prefix.
    var prefixedAsTrailers: HTTPFields {
        var fields = HTTPFields()
        for line in self {
            fields.append(line.value, for: HTTPFieldName(ConnectUnary.trailerPrefix + line.name.canonicalName))
        }
        return fields
    }
}
