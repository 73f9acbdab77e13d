// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

extension RPCCode {
    /// The status with which Connect answers a unary call that fails (Connect protocol, "Error Codes").
    var httpStatus: HTTPStatus {
        switch self {
        case .canceled: 499
        case .invalidArgument, .failedPrecondition, .outOfRange: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .alreadyExists, .aborted: 409
        case .resourceExhausted: 429
        case .unimplemented: 501
        case .unavailable: 503
        case .deadlineExceeded: 504
        case .unknown, .internal, .dataLoss: 500
        }
    }

    /// What a status says where the server, or something in front of it, gives no code.
    ///
    /// Connect protocol, "HTTP to Error Code", which is also gRPC's http-grpc-status-mapping.
    init(_ status: HTTPStatus) {
        self =
            switch status.rawValue {
            case 400: .internal
            case 401: .unauthenticated
            case 403: .permissionDenied
            case 404: .unimplemented
            case 429, 502, 503, 504: .unavailable
            default: .unknown
            }
    }
}
