// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchRPC

/// Why an action of a client failed: what is thrown, and what the state keeps as its `error`.
public enum AxiomError: Error, Hashable, Sendable {
    /// The client did not do it.
    case clientError(AxiomClientError)
    /// The service could not be reached, or did not answer in time.
    case networkError(String)
    /// The state cannot be asked that.
    case stateError(String)
    /// The service refused it; `code` is a word such as `unauthenticated`.
    case actionError(code: String, message: String)
    /// A value breaks a rule.
    case validationError(String)
    /// Something below the client broke.
    case frameworkError(String)
}

/// What a client can do about a failure.
public enum AxiomRecoveryStrategy: String, Sendable, Hashable, CaseIterable {
    /// The same once more.
    case retry
    /// The same with an earlier state.
    case reset
    /// A new client.
    case restart
    /// Something that a person must do: correct, sign in, allow.
    case userInput
    /// Nothing: it does no harm.
    case ignore
}

extension AxiomError: ActionFailure {
    /// The words of the client for an error of the core.
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

    /// Whether the same action may succeed a moment later.
    public var isRetryable: Bool { recoveryStrategy == .retry }

    /// Whether anything can be done about it.
    public var isRecoverable: Bool {
        switch self {
        case .clientError(let error): error.isRecoverable
        case .networkError, .actionError, .validationError, .stateError: true
        case .frameworkError: false
        }
    }

    /// What can be done about it.
    public var recoveryStrategy: AxiomRecoveryStrategy {
        switch self {
        case .clientError(let error): error.recoveryStrategy
        case .networkError: .retry
        case .stateError: .reset
        // The call lost against another one, or against a limit: the next may not.
        case .actionError("aborted", _), .actionError("resource_exhausted", _): .retry
        case .actionError, .validationError: .userInput
        case .frameworkError: .restart
        }
    }
}

extension AxiomError: LocalizedError, CustomStringConvertible {
    /// What happened.
    public var errorDescription: String? { description }

    /// What can be done about it.
    public var recoverySuggestion: String? {
        switch recoveryStrategy {
        case .retry: "Try again."
        case .reset: "Go back to an earlier state."
        case .restart: "Start again."
        case .userInput: "Check what was entered."
        case .ignore: nil
        }
    }

    /// The same as `errorDescription`; Foundation's own finds it by itself on Apple's systems alone.
    public var localizedDescription: String { description }

    /// What happened, without anything secret.
    public var description: String {
        switch self {
        case .clientError(let error): error.description
        case .networkError(let message), .stateError(let message), .validationError(let message),
            .frameworkError(let message), .actionError(_, let message):
            message
        }
    }
}
