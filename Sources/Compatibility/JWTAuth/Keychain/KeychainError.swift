// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth

/// Why a secret could not be kept or read; never "there is none".
public enum KeychainError: LocalizedError, Equatable {
    /// It could not be kept; what was kept before is still there.
    case savingFailed(message: String)
    /// It could not be read. It may well be there.
    case loadingFailed(message: String)

    /// What happened, for a person.
    public var errorDescription: String? {
        switch self {
        case .savingFailed(let message): "Saving to keychain failed. Reason: \(message)"
        case .loadingFailed(let message): "Loading from keychain failed. Reason: \(message)"
        }
    }

    /// The reason as the core names it, such as `AuthError.storeLocked`; nil where it came from elsewhere.
    public var reason: AuthError? {
        let message =
            switch self {
            case .savingFailed(let message), .loadingFailed(let message): message
            }
        return Self.reasons.first { message.hasPrefix($0.message) }
    }

    private static let reasons: [AuthError] = [
        .storeLocked, .storeDenied, .storeCorrupt, .storeFull, .storeUnavailable,
    ]

    /// Whether an error of the core is one of a store.
    static func isStoreError(_ error: AuthError) -> Bool { reasons.contains(error) }

    static func saving(_ error: any Error) -> any Error { naming(error) { .savingFailed(message: $0) } }

    static func loading(_ error: any Error) -> any Error { naming(error) { .loadingFailed(message: $0) } }

    /// An error of a store in the words of this package; what is none of a store stays what it is.
    private static func naming(_ error: any Error, as make: (String) -> KeychainError) -> any Error {
        guard let error = error as? AuthError, isStoreError(error) else { return error }
        if let cause = error.cause as? KeychainError { return cause }
        return make(error.message)
    }
}
