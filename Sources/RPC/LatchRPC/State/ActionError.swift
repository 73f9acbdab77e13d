// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProtobuf

/// The failure of an action, which a client translates into its own error type.
public struct ActionError: CodedError {
    /// The stable code of the error.
    public let code: String
    /// A description of the failure.
    public let message: String
    /// A suggestion for the user.
    public let hint: String?
    /// Whether the same action may succeed later.
    public let isRetryable: Bool
    /// The time limit in seconds of a `timeout` that the client declared; nil otherwise.
    public let seconds: Double?
    /// The underlying error, usually an `RPCError`.
    public let cause: (any Error)?

    /// Creates an error; `seconds` belongs to a declared `timeout`.
    public init(
        code: String, message: String, hint: String? = nil, isRetryable: Bool = false, seconds: Double? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.isRetryable = isRetryable
        self.seconds = seconds
        self.cause = cause
    }
}

extension ActionError {
    /// The request violates a rule; no request was sent.
    package static let invalidAction = ActionError.invalidAction([])

    /// The network is unreachable and no cached response is available.
    package static let unreachable = ActionError.unreachable("The action")

    /// The action timed out; it is unknown whether the server has executed it.
    package static let timeout = ActionError(code: "timeout", message: "The action took too long.", isRetryable: true)

    /// The server or the connection to it refused the call.
    package static let callFailed = ActionError(code: "callFailed", message: "The call failed.")

    /// An action in a sequence failed, and the earlier changes were undone.
    package static let incompleteSequence = ActionError(
        code: "incompleteSequence", message: "The actions were not all done.")

    /// The client was shut down.
    package static let closed = ActionError(
        code: "closed", message: "The client was shut down.", hint: "Create a new client.")

    /// The items have no field of this name.
    package static let unknownSortField = ActionError(code: "unknownSortField", message: "There is no such field.")

    static func invalidAction(_ reasons: [String]) -> ActionError {
        ActionError(
            code: "invalidAction",
            message: "Action validation failed" + (reasons.isEmpty ? "" : ": ") + reasons.joined(separator: "; "),
            hint: "Correct the request; `isValid` indicates whether it can be sent.")
    }

    static func unreachable(_ action: String, cause: (any Error)? = nil) -> ActionError {
        ActionError(
            code: "unreachable", message: "\(action) needs the network, which is unreachable.",
            hint: "Try again when there is a connection.", isRetryable: true, cause: cause)
    }

    static func timeout(_ action: String, after duration: Duration) -> ActionError {
        let seconds = duration.inSeconds
        return ActionError(
            code: "timeout", message: "\(action) took longer than \(seconds) s.",
            hint: "Try again, or allow more time.", isRetryable: true, seconds: seconds)
    }

    static func incompleteSequence(done: Int, of count: Int, cause: any Error) -> ActionError {
        ActionError(
            code: "incompleteSequence",
            message: "Atomic action sequence failed: processed \(done)/\(count) actions", cause: cause)
    }

    static func unknownSortField(_ name: String, of collection: String, _ known: [String]) -> ActionError {
        ActionError(
            code: "unknownSortField", message: "'\(collection)' cannot be sorted by '\(name)'.",
            hint: known.isEmpty ? nil : "Name one of \(known.joined(separator: ", ")).")
    }

    /// Creates the failure of an action from the error of a call.
    init(_ error: any Error, action: String) {
        switch error {
        case let error as ActionError: self = error
        case RPCError.unavailable: self = .unreachable(action, cause: error)
        case RPCError.deadlineExceeded, HTTPError.timeout:
            self.init(code: Self.timeout.code, message: "\(action) took too long.", isRetryable: true, cause: error)
        case let error as HTTPError where error.isConnectivity: self = .unreachable(action, cause: error)
        case let error as RPCError:
            self.init(
                code: Self.callFailed.code, message: error.message.isEmpty ? error.code : error.message,
                isRetryable: error.isRetryable, cause: error)
        case let error as any CodedError:
            self.init(code: Self.callFailed.code, message: error.message, hint: error.hint, cause: error)
        // Descriptions of other errors may contain secrets, so only the type is shown.
        default:
            self.init(
                code: Self.callFailed.code, message: "\(action) failed: \(type(of: error)).", cause: error)
        }
    }

    /// Whether the server may have executed the action: no response arrived, or the response leaves it open.
    var mayHaveRun: Bool {
        switch cause {
        case let error as HTTPError: return !error.isBeforeSending
        case let error as RPCError:
            if let below = error.cause as? HTTPError { return !below.isBeforeSending }
            // A call that was aborted or exceeded a limit was not executed. If the server was unavailable, the call may
            // have been executed (https://connectrpc.com/docs/protocol#error-codes), unless the server states when to
            // retry.
            return switch error.status {
            case .aborted, .resourceExhausted: false
            default: !error.hasRetryDelay
            }
        default: return code == Self.timeout.code
        }
    }

    /// Returns the delay that the server requested before another attempt; nil if it requested none.
    func retryDelay(now: Date) -> Duration? { (cause as? RPCError)?.retryDelay(now: now) }

    /// Whether a cached response may be used instead.
    var isUnreachable: Bool { code == Self.unreachable.code }
}

extension HTTPError {
    /// Whether certainly no request was sent.
    fileprivate var isBeforeSending: Bool {
        let early: [HTTPError] = [.tls, .pinMismatch, .insecureURL, .invalidURL, .invalidTLSPolicy]
        return isUnsent || early.contains { $0.code == code }
    }
}

extension RPCError {
    /// Whether the server refused the call and stated when to retry.
    ///
    /// It can use a detail `google.rpc.RetryInfo`, or the field `Retry-After` (RFC 9110 §10.2.3) or
    /// `grpc-retry-pushback-ms` (gRFC A6).
    fileprivate var hasRetryDelay: Bool {
        details.contains { $0.typeURL.utf8.ends(with: "/google.rpc.RetryInfo".utf8) }
            || ["retry-after", "grpc-retry-pushback-ms"].contains { name in metadata.contains { $0.name == name } }
    }

    /// Returns the longest of the requested delays, at most a year.
    fileprivate func retryDelay(now: Date) -> Duration? {
        let field = HTTPResponse(status: .serviceUnavailable, fields: metadata).retryDelay(now: now)
        // gRFC A6: a value that is negative or not a number forbids another attempt.
        let pushback = metadata["grpc-retry-pushback-ms"].map { text in
            UInt32(text).map { Duration.milliseconds(Int64($0)) } ?? RetryAfter.longest
        }
        let wishes = [field, pushback, detail(RetryInfo.self)?.retryDelay?.duration].compactMap(\.self)
        return wishes.max().map { min(max($0, .zero), RetryAfter.longest) }
    }
}
