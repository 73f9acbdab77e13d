// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Why a client did not do an action.
public enum AxiomClientError: Error, Hashable, Sendable {
    /// The request breaks rules: "Action validation failed: …".
    case invalidAction(String)
    /// An action of several failed, and those before it were taken back.
    case actionProcessingFailed(String)
    /// The state could not be changed.
    case stateUpdateFailed(String)
    /// The stream of states broke.
    case streamError(String)
    /// The client is not ready: it was shut down, or never set up.
    case initializationError(String)
    /// Two actions got into each other's way.
    case concurrencyError(String)
    /// The client was set up in a way that cannot work.
    case configurationError(String)
    /// The action took longer than these seconds.
    case timeout(Double)
}

extension AxiomClientError: LocalizedError, CustomStringConvertible {
    /// What happened.
    public var errorDescription: String? { description }

    /// The same as `errorDescription`.
    public var localizedDescription: String { description }

    /// What happened, without anything secret.
    public var description: String {
        switch self {
        case .invalidAction(let message), .actionProcessingFailed(let message), .stateUpdateFailed(let message),
            .streamError(let message), .initializationError(let message), .concurrencyError(let message),
            .configurationError(let message):
            message
        case .timeout(let seconds): "The action took longer than \(seconds) s."
        }
    }

    /// Whether anything can be done about it.
    public var isRecoverable: Bool {
        switch self {
        case .initializationError, .configurationError: false
        default: true
        }
    }

    /// What can be done about it.
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
