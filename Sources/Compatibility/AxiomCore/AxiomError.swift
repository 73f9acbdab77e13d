// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchRPC

/// An error of a client's action; the client throws it and keeps it as its state's `error`.
public enum AxiomError: Error, Hashable, Sendable {
    /// The client did not perform the action.
    case clientError(AxiomClientError)
    /// The service was unreachable or did not respond in time.
    case networkError(String)
    /// The state does not support the query.
    case stateError(String)
    /// The service refused the call; `code` is its name, such as `unauthenticated`.
    case actionError(code: String, message: String)
    /// A value violates a rule.
    case validationError(String)
    /// A lower layer failed.
    case frameworkError(String)
}

/// The recovery from a failure that a client can attempt.
public enum AxiomRecoveryStrategy: String, Sendable, Hashable, CaseIterable {
    /// Repeat the action.
    case retry
    /// Return to an earlier state and repeat the action.
    case reset
    /// Create a new client.
    case restart
    /// Ask the user to correct the input, sign in or grant access.
    case userInput
    /// Ignore the failure, because it is harmless.
    case ignore
}

extension AxiomError: ActionFailure {
    /// Creates the client's error for a failure of an action.
    public init(_ error: ActionError) {
        switch error.code {
        case ActionError.invalidAction.code: self = .clientError(.invalidAction(error.message))
        case ActionError.closed.code: self = .clientError(.initializationError(error.message))
        case ActionError.timeout.code:
            self = error.seconds.map { .clientError(.timeout($0)) } ?? .networkError(error.message)
        case ActionError.unreachable.code: self = .networkError(error.message)
        case ActionError.incompleteSequence.code: self = .clientError(.actionProcessingFailed(error.message))
        case ActionError.unknownSortField.code: self = .stateError(error.message)
        default: self.init(failedCall: error)
        }
    }

    private init(failedCall error: ActionError) {
        guard let call = error.cause as? RPCError else {
            self = .frameworkError(error.message)
            return
        }
        switch call.status {
        case .unavailable, .deadlineExceeded: self = .networkError(error.message)
        case .invalidArgument, .outOfRange: self = .validationError(error.message)
        default: self = .actionError(code: call.code, message: error.message)
        }
    }

    /// Whether the same action may succeed later.
    public var isRetryable: Bool { recoveryStrategy == .retry }

    /// Whether a recovery is possible.
    public var isRecoverable: Bool {
        switch self {
        case .clientError(let error): error.isRecoverable
        case .networkError, .actionError, .validationError, .stateError: true
        case .frameworkError: false
        }
    }

    /// The recommended recovery.
    public var recoveryStrategy: AxiomRecoveryStrategy {
        switch self {
        case .clientError(let error): error.recoveryStrategy
        case .networkError: .retry
        case .stateError: .reset
        // The call conflicted with another one or reached a limit, so a later call may succeed.
        case .actionError("aborted", _), .actionError("resource_exhausted", _): .retry
        case .actionError, .validationError: .userInput
        case .frameworkError: .restart
        }
    }
}

extension AxiomError: LocalizedError, CustomStringConvertible {
    /// A description of what happened.
    public var errorDescription: String? { description }

    /// The recommended recovery.
    public var recoverySuggestion: String? {
        switch recoveryStrategy {
        case .retry: "Try again."
        case .reset: "Go back to an earlier state."
        case .restart: "Start again."
        case .userInput: "Check what was entered."
        case .ignore: nil
        }
    }

    /// The same text as `errorDescription`; Foundation derives it automatically only on Apple platforms.
    public var localizedDescription: String { description }

    /// A description of what happened, without secrets.
    public var description: String {
        switch self {
        case .clientError(let error): error.description
        case .networkError(let message), .stateError(let message), .validationError(let message),
            .frameworkError(let message), .actionError(_, let message):
            message
        }
    }
}
