// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// The status code of a failed call, common to gRPC, gRPC-Web and Connect.
///
/// The raw value is the number in gRPC's `grpc-status`; zero is success and has no case here.
public enum RPCCode: Int, Sendable, Hashable, CaseIterable {
    /// The caller canceled the call.
    case canceled = 1
    /// An error without a more specific code.
    case unknown
    /// The request is invalid in any state of the system.
    case invalidArgument
    /// The deadline has passed; it is unknown whether the call had its effect.
    case deadlineExceeded
    /// The requested entity does not exist.
    case notFound
    /// The entity to create already exists.
    case alreadyExists
    /// The authenticated caller lacks the permission.
    case permissionDenied
    /// A quota or limit is exhausted.
    case resourceExhausted
    /// The system is not in the state that the call requires.
    case failedPrecondition
    /// The call conflicted with another one; the caller may retry the whole transaction.
    case aborted
    /// The operation exceeded the valid range.
    case outOfRange
    /// The server does not implement the method.
    case unimplemented
    /// An internal invariant is broken.
    case `internal`
    /// The service is currently unavailable; a retry may succeed.
    case unavailable
    /// Data is lost or corrupted beyond recovery.
    case dataLoss
    /// The caller has no valid credential.
    case unauthenticated

    /// The name in Connect's spelling, which is also the error's `code`, such as `invalid_argument`.
    public var name: String { Self.names[rawValue] }

    /// Creates the code for a name in Connect's spelling; nil for other names.
    public init?(name: String) {
        guard let index = Self.names.firstIndex(of: name), index > 0 else { return nil }
        self.init(rawValue: index)
    }

    private static let names = [
        "ok", "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists",
        "permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented",
        "internal", "unavailable", "data_loss", "unauthenticated",
    ]
}

extension RPCCode {
    /// The HTTP status of a failed unary Connect call (Connect protocol, "Error Codes").
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

    /// Creates the code for an HTTP status without an RPC code, from a server or an intermediary.
    ///
    /// Connect protocol, "HTTP to Error Code", which equals gRPC's http-grpc-status-mapping.
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
