// SPDX-License-Identifier: Apache-2.0

/// The device's part in passkeys: it creates them and signs with them, after it has verified its user.
///
/// `PlatformPasskeys` is the provider of Apple's platforms; a test or another platform has one of its own, which hands
/// the JSON of the options to an authenticator and returns its JSON.
public protocol PasskeyProvider: Sendable {
    /// Whether this device can have passkeys at all.
    var isAvailable: Bool { get }

    /// Whether ``PasskeyMediation/conditional`` requests show passkeys on this device.
    var isConditionalMediationAvailable: Bool { get }

    /// Creates a passkey, and returns it for the server's registration (WebAuthn §5.1.3).
    ///
    /// - Throws: `AccountError.passkeyCancelled`, `passkeyExists` if the device has one of the account already, and
    ///   `passkeysUnavailable`; `CancellationError` as soon as the task is cancelled.
    func create(_ options: PasskeyCreationOptions) async throws -> PasskeyRegistration

    /// Signs the server's challenge with a passkey that the user chooses (WebAuthn §5.1.4).
    ///
    /// - Throws: `AccountError.passkeyCancelled`, `noPasskey` and `passkeysUnavailable`; `CancellationError` as soon as
    ///   the task is cancelled.
    func get(_ options: PasskeyRequestOptions, mediation: PasskeyMediation) async throws -> PasskeyAssertion
}

extension PasskeyProvider {
    /// True.
    public var isAvailable: Bool { true }
    /// False.
    public var isConditionalMediationAvailable: Bool { false }
}

/// The presentation of a request for a passkey.
public enum PasskeyMediation: String, Sendable, Hashable, CaseIterable {
    /// The system's dialog, which also offers the passkeys of another device, such as a phone nearby.
    case modal
    /// The system's dialog if this device has a passkey, and nothing to see otherwise.
    case immediate
    /// Suggestions at the text field of the user name: the request waits until the user chooses one, or its task is
    /// cancelled.
    case conditional
}
