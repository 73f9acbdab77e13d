// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
import LatchCore
import LatchFoundation
public import LatchTesting
import Synchronization

/// The passkeys of a device in software, for tests of an app.
///
/// ```swift
/// let passkeys = VirtualPasskeys()
/// try await auth.addPasskey(from: passkeys)
/// try await auth.signOut()
/// try await auth.signIn(withPasskeyFrom: passkeys)
/// ```
///
/// It acts like a phone whose user agrees to everything. A test can make the user decline, or choose a suggestion.
public final class VirtualPasskeys: PasskeyProvider {
    private struct State {
        var isDeclining = false
        /// The next suggestion, or the current one; the user's choice finishes its value.
        var suggestion = SharedResult<SharedResult<Void>>()
        var isSuggesting = false
    }

    /// The authenticator, which holds the keys.
    public let authenticator: VirtualAuthenticator
    /// Whether the keyboard suggests passkeys.
    public let isConditionalMediationAvailable: Bool
    private let state = Mutex(State())

    /// Creates the passkeys of a device.
    ///
    /// - Parameters:
    ///   - authenticator: The authenticator, which holds the keys.
    ///   - suggestsPasskeys: Whether the keyboard suggests passkeys; ``chooseSuggestion()`` chooses one.
    public init(_ authenticator: VirtualAuthenticator = VirtualAuthenticator(), suggestsPasskeys: Bool = false) {
        self.authenticator = authenticator
        isConditionalMediationAvailable = suggestsPasskeys
    }

    /// Whether the user closes each dialog.
    public var isDeclining: Bool {
        get { state.withLock { $0.isDeclining } }
        set { state.withLock { $0.isDeclining = newValue } }
    }

    /// Waits until the keyboard suggests a passkey, and chooses it.
    ///
    /// A suggestion is not chosen if its form has closed.
    ///
    /// - Throws: `CancellationError` when the calling task is canceled.
    public func chooseSuggestion() async throws {
        let suggestion = state.withLock { $0.suggestion }
        try await suggestion.value().finish(.success(()))
    }

    /// Creates a passkey, unless the user declines.
    public func create(_ options: PasskeyCreationOptions) async throws -> PasskeyRegistration {
        if isDeclining { throw AccountError.passkeyCancelled }
        let json = try response(at: options.relyingPartyID) {
            try authenticator.create(Data(JSONValue.object(options.json).serialized()), origin: $0)
        }
        return try PasskeyRegistration(json: json)
    }

    /// Signs a challenge with the newest passkey, unless the user declines.
    public func get(_ options: PasskeyRequestOptions, mediation: PasskeyMediation) async throws -> PasskeyAssertion {
        if mediation == .conditional {
            try await suggest()
        } else if isDeclining {
            throw AccountError.passkeyCancelled
        }
        let json = try response(at: options.relyingPartyID) {
            try authenticator.get(Data(JSONValue.object(options.json).serialized()), origin: $0)
        }
        return try PasskeyAssertion(json: json)
    }

    /// Shows a suggestion in place of an earlier one, until it is chosen or the task is canceled.
    private func suggest() async throws {
        let suggestion = state.withLock { state in
            if state.isSuggesting { state.suggestion = SharedResult() }
            state.isSuggesting = true
            return state.suggestion
        }
        let choice = SharedResult<Void>()
        suggestion.finish(.success(choice))
        defer { withdraw(suggestion) }
        // Immediately, since the next form may appear before this task continues.
        try await withTaskCancellationHandler {
            try await choice.value()
        } onCancel: {
            withdraw(suggestion)
        }
    }

    private func withdraw(_ suggestion: SharedResult<SharedResult<Void>>) {
        state.withLock { state in
            guard state.suggestion === suggestion else { return }
            state.suggestion = SharedResult()
            state.isSuggesting = false
        }
    }

    /// Runs a ceremony for an app of a domain, and returns the authenticator's JSON.
    private func response(at domain: String, _ ceremony: (String) throws -> Data) throws -> JSONObject {
        do {
            // The origin that Apple's systems state for an app.
            let data = try ceremony("https://\(domain)")
            guard let json = try JSONValue(parsing: data).objectValue else { throw AccountError.passkeysUnavailable }
            return json
        } catch VirtualAuthenticatorError.alreadyRegistered {
            throw AccountError.passkeyExists
        } catch VirtualAuthenticatorError.notAllowed {
            throw AccountError.noPasskey
        }
    }
}
