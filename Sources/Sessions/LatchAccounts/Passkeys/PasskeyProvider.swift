// SPDX-License-Identifier: Apache-2.0

/// A provider of passkeys on this device: it verifies the user, and creates passkeys or signs with them.
///
/// `PlatformPasskeys` is the provider on Apple's platforms. A test or another platform supplies a different one. It
/// passes the JSON of the options to an authenticator, and returns the authenticator's JSON.
public protocol PasskeyProvider: Sendable {
    /// Whether this device can have passkeys at all.
    var isAvailable: Bool { get }

    /// Whether ``PasskeyMediation/conditional`` requests show passkeys on this device.
    var isConditionalMediationAvailable: Bool { get }

    /// Creates a passkey, and returns it for the server's registration (WebAuthn §5.1.3).
    ///
    /// - Throws: `AccountError.passkeyCancelled`, `passkeyExists` if the device already has a passkey for the account,
    ///   and `passkeysUnavailable`. `CancellationError` as soon as the task is canceled.
    func create(_ options: PasskeyCreationOptions) async throws -> PasskeyRegistration

    /// Signs the server's challenge with a passkey that the user chooses (WebAuthn §5.1.4).
    ///
    /// - Throws: `AccountError.passkeyCancelled`, `noPasskey` and `passkeysUnavailable`; `CancellationError` as soon as
    ///   the task is canceled.
    func get(_ options: PasskeyRequestOptions, mediation: PasskeyMediation) async throws -> PasskeyAssertion
}

extension PasskeyProvider {
    /// True by default.
    public var isAvailable: Bool { true }
    /// False by default.
    public var isConditionalMediationAvailable: Bool { false }
}

/// The presentation of a request for a passkey.
public enum PasskeyMediation: String, Sendable, Hashable, CaseIterable {
    /// The system's dialog, which also offers the passkeys of another device, such as a phone nearby.
    case modal
    /// The system's dialog if this device has a passkey; otherwise nothing is shown.
    case immediate
    /// Suggestions at the text field of the user name.
    ///
    /// The request waits until the user chooses one or its task is canceled.
    case conditional
}
