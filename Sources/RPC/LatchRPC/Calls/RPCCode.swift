// SPDX-License-Identifier: Apache-2.0

/// What went wrong with a call, in the sixteen words that gRPC, gRPC-Web and Connect share.
///
/// The raw value is the number of gRPC's `grpc-status`; zero, success, is no error and has no case here.
public enum RPCCode: Int, Sendable, Hashable, CaseIterable {
    /// The caller gave up.
    case canceled = 1
    /// Something that fits no other word.
    case unknown
    /// The request is wrong, whatever the state of the system.
    case invalidArgument
    /// The time allowed has passed; whether the call had its effect cannot be known.
    case deadlineExceeded
    /// What was asked for does not exist.
    case notFound
    /// What was to be made exists.
    case alreadyExists
    /// The caller is known and may not do that.
    case permissionDenied
    /// A quota or a limit is reached.
    case resourceExhausted
    /// The system is not in the state that the call needs.
    case failedPrecondition
    /// The call lost against another one; try the whole transaction again.
    case aborted
    /// Past the end of what there is.
    case outOfRange
    /// The server does not know the method, or does not do it.
    case unimplemented
    /// Something that should never break is broken.
    case `internal`
    /// The service cannot be reached now; trying again may help.
    case unavailable
    /// Data is lost or damaged for good.
    case dataLoss
    /// The caller is not known, or no longer.
    case unauthenticated

    /// The word as Connect writes it and as `CodedError.code` shows it, such as `invalid_argument`.
    public var name: String { Self.names[rawValue] }

    /// The code of a word of Connect; nil where it is none.
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
