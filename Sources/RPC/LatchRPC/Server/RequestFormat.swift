// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The protocol and codec of a request, which its response also uses.
enum RequestFormat: Sendable {
    /// A unary Connect call by GET.
    case connectGet
    /// A unary Connect call by POST.
    case connectUnary(RPCCodec)
    /// A call with envelopes.
    case enveloped(RPCProtocol, RPCCodec)

    /// Whether it is a format of Connect.
    var isConnect: Bool {
        switch self {
        case .connectGet, .connectUnary, .enveloped(.connect, _): true
        case .enveloped: false
        }
    }

    /// Creates the format of a request; nil if it is not a call.
    init?(_ request: HTTPRequest) {
        guard request.method == .post else {
            guard request.method == .get else { return nil }
            self = .connectGet
            return
        }
        guard let type = request.fields.mediaType, let form = Self.forms[type] else { return nil }
        self = form
    }

    private static let forms: [String: RequestFormat] = {
        var forms: [String: RequestFormat] = [:]
        for codec in RPCCodec.allCases {
            forms["application/\(codec.rawValue)"] = .connectUnary(codec)
            for style in RPCProtocol.allCases { forms[style.mediaType(codec)] = .enveloped(style, codec) }
        }
        for style in [.grpc, .grpcWeb, .grpcWebText] as [RPCProtocol] {
            let family = Substring(style.mediaType(.binary).utf8.prefix { $0 != UInt8(ascii: "+") })
            forms[String(family)] = .enveloped(style, .binary)
        }
        return forms
    }()

    /// The value of the `Accept-Post` field.
    static let mediaTypes = forms.keys.sorted().joined(separator: ", ")

    /// Returns the response to a call that fails before any data was sent.
    func failure(_ error: RPCError, metadata: HTTPFields = [:], trailers: HTTPFields = [:]) -> HTTPResponse {
        let metadata = metadata.applicationMetadata
        let trailers = trailers.joined(with: error.metadata).applicationMetadata
        switch self {
        case .connectGet, .connectUnary:
            return HTTPResponse(
                status: error.status.httpStatus,
                fields: metadata.joined(with: trailers.prefixedAsConnectTrailers).joined(with: [
                    .contentType: "application/json"
                ]),
                body: HTTPBody(ConnectError.json(error).serialized()))
        case .enveloped(.grpc, let codec):
            // gRPC over HTTP/2, "Trailers-Only": the head carries the status.
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
    /// Returns the last envelope of a call, for protocols that end with one.
    func end(_ error: RPCError?, trailers: HTTPFields) -> [UInt8] {
        guard self != .connect else {
            return Envelope(ConnectEndOfStream(error: error, metadata: trailers).bytes, flags: .endOfStream).bytes
        }
        let fields = trailers.joined(with: GRPCStatus.fields(for: error))
        let bytes = Envelope(GRPCWebTrailers.bytes(fields), flags: .trailers).bytes
        return self == .grpcWebText ? GRPCWebText.encode(bytes) : bytes
    }
}

extension HTTPFields {
    /// The fields as trailers of a unary Connect response, which are prefixed response fields (Connect protocol,
    /// "Unary-Response").
    var prefixedAsConnectTrailers: HTTPFields {
        var fields = HTTPFields()
        for line in self {
            fields.append(line.value, for: HTTPFieldName(ConnectUnaryCall.trailerPrefix + line.name.canonicalName))
        }
        return fields
    }
}
