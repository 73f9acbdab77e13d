// SPDX-License-Identifier: Apache-2.0

/// The way in which a call is written on HTTP.
public enum RPCProtocol: Sendable, Hashable, CaseIterable {
    /// Connect (connectrpc.com/docs/protocol): works over HTTP/1.1 and HTTP/2, unary calls are plain requests.
    case connect
    /// gRPC-Web in binary frames: works over HTTP/1.1 and HTTP/2.
    case grpcWeb
    /// gRPC-Web with everything in base64, for ways that do not carry bytes; what is sent goes out whole only at its end.
    case grpcWebText
    /// gRPC: needs HTTP/2, and trailers.
    case grpc
}

/// The way in which messages are written.
public enum RPCCodec: String, Sendable, Hashable, CaseIterable {
    /// The protobuf binary form.
    case binary = "proto"
    /// The protobuf JSON mapping.
    case json
}

extension RPCCodec {
    /// The type of a unary call's content in Connect.
    var mediaType: String {
        switch self {
        case .binary: "application/proto"
        case .json: "application/json"
        }
    }
}
