// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The reason why a client did not perform an action.
public enum AxiomClientError: Error, Hashable, Sendable {
    /// The request violates rules: "Action validation failed: …".
    case invalidAction(String)
    /// An action of a sequence failed, and the changes before it were undone.
    case actionProcessingFailed(String)
    /// The state could not be updated.
    case stateUpdateFailed(String)
    /// The stream of states failed.
    case streamError(String)
    /// The client is not ready: it was shut down or never initialized.
    case initializationError(String)
    /// Two actions conflicted.
    case concurrencyError(String)
    /// The configuration of the client is invalid.
    case configurationError(String)
    /// The action exceeded this time limit in seconds.
    case timeout(Double)
}

extension AxiomClientError: LocalizedError, CustomStringConvertible {
    /// A description of what happened.
    public var errorDescription: String? { description }

    /// The same text as `errorDescription`.
    public var localizedDescription: String { description }

    /// A description of what happened, without secrets.
    public var description: String {
        switch self {
        case .invalidAction(let message), .actionProcessingFailed(let message), .stateUpdateFailed(let message),
            .streamError(let message), .initializationError(let message), .concurrencyError(let message),
            .configurationError(let message):
            message
        case .timeout(let seconds): "The action took longer than \(seconds) s."
        }
    }

    /// Whether a recovery is possible.
    public var isRecoverable: Bool {
        switch self {
        case .initializationError, .configurationError: false
        default: true
        }
    }

    /// The recommended recovery.
    public var recoveryStrategy: AxiomRecoveryStrategy {
        switch self {
        case .invalidAction: .userInput
        case .timeout, .streamError, .concurrencyError: .retry
        case .stateUpdateFailed: .reset
        case .actionProcessingFailed: .userInput
        case .initializationError, .configurationError: .restart
        }
    }
}
