// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchHTTP

/// Why an action was not done, before a client puts it into its own words.
public struct ActionError: CodedError {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// Whether the same action may succeed a moment later.
    public let isRetryable: Bool
    /// The seconds after which a `timeout` was declared; nil for other errors, and where the server declared it.
    public let seconds: Double?
    /// What went wrong below, where something did: usually an `RPCError`.
    public let cause: (any Error)?

    /// An error with its context.
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
    /// The request breaks a rule; nothing was sent.
    public static let invalidAction = ActionError.invalidAction([])

    /// The network is out of reach, and no answer of before could stand in.
    public static let unreachable = ActionError.unreachable("The action")

    /// The time allowed has passed; whether the server has acted cannot be known.
    public static let timeout = ActionError(code: "timeout", message: "The action took too long.", isRetryable: true)

    /// The server, or the way to it, refused the call.
    public static let callFailed = ActionError(code: "callFailed", message: "The call failed.")

    /// An action of several failed, and what the ones before had changed was taken back.
    public static let incompleteSequence = ActionError(
        code: "incompleteSequence", message: "The actions were not all done.")

    /// The client was shut down.
    public static let closed = ActionError(
        code: "closed", message: "The client was shut down.", hint: "Make a new client.")

    /// Items have no such field to sort by.
    public static let unknownSortField = ActionError(code: "unknownSortField", message: "There is no such field.")

    static func invalidAction(_ reasons: [String]) -> ActionError {
        ActionError(
            code: "invalidAction",
            message: "Action validation failed" + (reasons.isEmpty ? "" : ": ") + reasons.joined(separator: "; "),
            hint: "Correct the request: isValid says whether it can be sent.")
    }

    static func unreachable(_ action: String, cause: (any Error)? = nil) -> ActionError {
        ActionError(
            code: "unreachable", message: "\(action) needs the network, which is out of reach.",
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

    /// What a call threw, as the failure of an action.
    init(_ error: any Error, action: String) {
        switch error {
        case let error as ActionError: self = error
        case let error as RPCError where error.status == .unavailable: self = .unreachable(action, cause: error)
        case let error as RPCError where error.status == .deadlineExceeded:
            self.init(code: Self.timeout.code, message: "\(action) took too long.", isRetryable: true, cause: error)
        case let error as HTTPError where error.code == HTTPError.timeout.code:
            self.init(code: Self.timeout.code, message: "\(action) took too long.", isRetryable: true, cause: error)
        case let error as HTTPError where error.isConnectivity: self = .unreachable(action, cause: error)
        case let error as RPCError:
            self.init(
                code: Self.callFailed.code, message: error.message.isEmpty ? error.code : error.message,
                isRetryable: error.isRetryable, cause: error)
        case let error as any CodedError:
            self.init(code: Self.callFailed.code, message: error.message, hint: error.hint, cause: error)
        // Others may say anything in their descriptions, secrets too: only what they are is told.
        default:
            self.init(
                code: Self.callFailed.code, message: "\(action) failed: \(type(of: error)).", cause: error)
        }
    }

    /// Whether the server may have done what was asked of it: nobody knows, since no answer came or one that says
    /// nothing of it.
    var mayHaveRun: Bool {
        switch cause {
        case let error as HTTPError: return !error.isBeforeSending
        case let error as RPCError:
            if let below = error.cause as? HTTPError { return !below.isBeforeSending }
            // A call that lost against another one or a limit was not done. One that the server was not there for may
            // have been (https://connectrpc.com/docs/protocol#error-codes), unless it says when to come back.
            return switch error.status {
            case .aborted, .resourceExhausted: false
            default: !error.saysWhenToReturn
            }
        default: return code == Self.timeout.code
        }
    }

    /// Whether an answer of before may stand in.
    var isOutOfReach: Bool { code == Self.unreachable.code }
}

extension HTTPError {
    /// Whether it is certain that no request was sent.
    fileprivate var isBeforeSending: Bool {
        let early: [HTTPError] = [.tls, .pinMismatch, .insecureURL, .invalidURL, .invalidTLSPolicy]
        return isUnsent || early.contains { $0.code == code }
    }
}

extension RPCError {
    /// Whether the server has refused the call and said when it may be tried again: a detail `google.rpc.RetryInfo`, or
    /// the field `Retry-After` (RFC 9110 §10.2.3) or `grpc-retry-pushback-ms` (gRFC A6).
    fileprivate var saysWhenToReturn: Bool {
        details.contains { $0.typeURL.hasSuffix("/google.rpc.RetryInfo") }
            || ["retry-after", "grpc-retry-pushback-ms"].contains { name in metadata.contains { $0.name == name } }
    }
}
