// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// An error of a call, reported by the server or detected by the client.
///
/// ```swift
/// do { _ = try await users.login(request) } catch RPCError.unauthenticated { print("Wrong password.") }
/// ```
///
/// A server method throws one to respond with it. Any other error becomes `internal`, and its text stays on the server.
public struct RPCError: CodedError {
    /// The code that both protocols share, such as `notFound`.
    public let status: RPCCode
    /// The server's message, or the client's for an error that it detected.
    public let message: String
    /// The error details, for programs.
    public var details: [ProtoAny]
    /// The fields and trailers received or sent with the error.
    public var metadata: HTTPFields
    /// The underlying error.
    ///
    /// For a failure that the client detected, it is usually an `HTTPError`. On a server, it is the unexpected error of
    /// a method, which is not sent.
    public let cause: (any Error)?

    /// Creates an error as a service throws it; clients receive all but the cause.
    public init(
        _ status: RPCCode, _ message: String = "", details: [ProtoAny] = [], metadata: HTTPFields = [:],
        cause: (any Error)? = nil
    ) {
        self.status = status
        self.message = message
        self.details = details
        self.metadata = metadata
        self.cause = cause
    }

    /// The name of the status code, such as `not_found`.
    public var code: String { status.name }

    /// Always nil: the remedy depends on the method.
    public var hint: String? { nil }

    /// The name of the code, then the message.
    public var description: String { message.isEmpty ? code : "\(code): \(message)" }

    /// Matches an error with the same code; declared here, so that a `catch` needs no other import.
    public static func ~= (pattern: RPCError, error: any Error) -> Bool {
        (error as? RPCError)?.status == pattern.status
    }

    /// Whether the same call may succeed later; it may already have had its effect.
    public var isRetryable: Bool { status == .unavailable }

    /// Returns the first detail of a type, or nil if none can be decoded.
    public func detail<Detail: Message>(_ type: Detail.Type) -> Detail? {
        for detail in details {
            do {
                if let value = try detail.unpack(type) { return value }
            } catch {
                continue
            }
        }
        return nil
    }
}

extension RPCError {
    /// The caller canceled the call.
    public static let canceled = RPCError(.canceled, "The call was canceled.")
    /// An error without a more specific code.
    public static let unknown = RPCError(.unknown)
    /// The request is invalid.
    public static let invalidArgument = RPCError(.invalidArgument)
    /// The deadline has passed.
    public static let deadlineExceeded = RPCError(.deadlineExceeded, "The deadline passed without a response.")
    /// The requested entity does not exist.
    public static let notFound = RPCError(.notFound)
    /// The entity to create already exists.
    public static let alreadyExists = RPCError(.alreadyExists)
    /// The caller lacks the permission.
    public static let permissionDenied = RPCError(.permissionDenied)
    /// A quota or limit is exhausted.
    public static let resourceExhausted = RPCError(.resourceExhausted)
    /// The system is not in the state that the call requires.
    public static let failedPrecondition = RPCError(.failedPrecondition)
    /// The call conflicted with another one.
    public static let aborted = RPCError(.aborted)
    /// The operation exceeded the valid range.
    public static let outOfRange = RPCError(.outOfRange)
    /// The server does not implement the method.
    public static let unimplemented = RPCError(.unimplemented)
    /// An internal invariant is broken.
    public static let `internal` = RPCError(.internal)
    /// The service is currently unavailable.
    public static let unavailable = RPCError(.unavailable)
    /// Data is lost or corrupted beyond recovery.
    public static let dataLoss = RPCError(.dataLoss)
    /// The caller has no valid credential.
    public static let unauthenticated = RPCError(.unauthenticated)
}
