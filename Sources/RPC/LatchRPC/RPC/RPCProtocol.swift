// SPDX-License-Identifier: Apache-2.0

/// A protocol of calls over HTTP.
public enum RPCProtocol: Sendable, Hashable, CaseIterable {
    /// Connect (connectrpc.com/docs/protocol): works over HTTP/1.1 and HTTP/2; unary calls are plain requests.
    case connect
    /// gRPC-Web in binary frames: works over HTTP/1.1 and HTTP/2.
    case grpcWeb
    /// gRPC-Web in base64, for transports that only carry text; intermediaries may buffer the content until its end.
    case grpcWebText
    /// gRPC, which needs HTTP/2 and trailers.
    case grpc
}

/// An encoding of messages.
public enum RPCCodec: String, Sendable, Hashable, CaseIterable {
    /// The protobuf binary encoding.
    case binary = "proto"
    /// ProtoJSON.
    case json
}

extension RPCCodec {
    /// The media type of unary Connect calls.
    var mediaType: String {
        switch self {
        case .binary: "application/proto"
        case .json: "application/json"
        }
    }
}
