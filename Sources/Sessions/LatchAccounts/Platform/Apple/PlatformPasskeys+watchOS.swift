// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
public import LatchOAuth

/// A passkey provider for watchOS, which offers apps no passkeys.
@MainActor
public final class PlatformPasskeys: PasskeyProvider {
    /// Creates a provider.
    public init() {}

    /// Ignores the window.
    public func adopt(window: PresentationAnchor?) {}

    /// False on watchOS.
    public nonisolated var isAvailable: Bool { false }

    /// Throws `AccountError.passkeysUnavailable`.
    public func create(_ options: PasskeyCreationOptions) async throws -> PasskeyRegistration {
        throw AccountError.passkeysUnavailable
    }

    /// Throws `AccountError.passkeysUnavailable`.
    public func get(_ options: PasskeyRequestOptions, mediation: PasskeyMediation) async throws -> PasskeyAssertion {
        throw AccountError.passkeysUnavailable
    }
}
#endif
