// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(watchOS)
import AuthenticationServices
import LatchCore
public import LatchOAuth
import LatchFoundation

/// The passkeys of this device: from the iCloud Keychain, and from the password app that the user has chosen.
///
/// The app needs the associated domain `webcredentials:` of its server, and the server must list the app. tvOS asks the
/// user's phone.
@MainActor
public final class PlatformPasskeys: PasskeyProvider {
    /// The window above which the system's dialogs are shown.
    private weak var window: PresentationAnchor?

    /// Creates a provider that receives its window through ``adopt(window:)``.
    public init() {}

    /// Creates a provider.
    ///
    /// - Parameter window: The window above which the system's dialogs are shown.
    public init(from window: PresentationAnchor) { self.window = window }

    /// Takes the window above which the system's dialogs are shown; nil if that window is gone.
    public func adopt(window: PresentationAnchor?) { self.window = window }

    /// Whether conditional requests show passkeys at a text field: true on iOS and visionOS.
    public nonisolated var isConditionalMediationAvailable: Bool { AuthorizationDialog.hasConditionalMediation }

    /// Creates a passkey with the system's dialog.
    public func create(_ options: PasskeyCreationOptions) async throws -> PasskeyRegistration {
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: options.relyingPartyID)
        let request = provider.createCredentialRegistrationRequest(
            challenge: Data(options.challenge), name: options.user.name, userID: Data(options.user.handle))
        request.displayName = options.user.displayName
        request.userVerificationPreference = .init(rawValue: options.userVerification)
        request.exclude(options.excludedCredentialIDs)
        return try await response(to: request, .modal) { PasskeyRegistration($0) }
    }

    /// Signs the server's challenge with a passkey that the user chooses in the system's dialog, or at a text field.
    ///
    /// - Throws: `AccountError.passkeysUnavailable`, also for a conditional request where
    ///   ``isConditionalMediationAvailable`` is false.
    public func get(_ options: PasskeyRequestOptions, mediation: PasskeyMediation) async throws -> PasskeyAssertion {
        guard mediation != .conditional || isConditionalMediationAvailable else {
            throw AccountError.passkeysUnavailable("this system suggests no passkeys at a text field")
        }
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: options.relyingPartyID)
        let request = provider.createCredentialAssertionRequest(challenge: Data(options.challenge))
        request.allowedCredentials = options.allowedCredentialIDs.map {
            ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0))
        }
        request.userVerificationPreference = .init(rawValue: options.userVerification)
        return try await response(to: request, mediation) { PasskeyAssertion($0) }
    }

    private func response<Response: Sendable>(
        to request: ASAuthorizationRequest, _ mediation: PasskeyMediation,
        read: @escaping @MainActor (any ASAuthorizationCredential) -> Response?
    ) async throws -> Response {
        try Task.checkCancellation()
        guard let window else { throw AccountError.passkeysUnavailable("no window shows the system's dialog") }
        let result = SharedResult<Response>()
        let dialog = AuthorizationDialog(request, anchor: window) { end in
            switch end {
            case .success(let credential):
                let unknown = AccountError(passkeyErrorCode: nil, mediation: mediation)
                result.finish(read(credential).map { .success($0) } ?? .failure(unknown))
            case .failure(let error):
                // Codes of other error domains are not known here.
                let code = (error as? ASAuthorizationError)?.code.rawValue ?? 0
                result.finish(.failure(AccountError(passkeyErrorCode: code, mediation: mediation)))
            }
        }
        dialog.show(mediation)
        return try await LatchOAuth.response(in: result) { dialog.cancel() }
    }
}

extension PasskeyRegistration {
    /// Copies a credential of the system; nil if it is of another type.
    fileprivate init?(_ credential: any ASAuthorizationCredential) {
        guard let passkey = credential as? ASAuthorizationPlatformPublicKeyCredentialRegistration,
            let attestation = passkey.rawAttestationObject
        else { return nil }
        self.init(
            credentialID: Array(passkey.credentialID), clientDataJSON: Array(passkey.rawClientDataJSON),
            attestationObject: Array(attestation), transports: ["internal", "hybrid"])
    }
}

extension PasskeyAssertion {
    /// Copies a credential of the system; nil if it is of another type.
    fileprivate init?(_ credential: any ASAuthorizationCredential) {
        guard let passkey = credential as? ASAuthorizationPlatformPublicKeyCredentialAssertion,
            let data = passkey.rawAuthenticatorData, let signature = passkey.signature, let user = passkey.userID
        else { return nil }
        self.init(
            credentialID: Array(passkey.credentialID), clientDataJSON: Array(passkey.rawClientDataJSON),
            authenticatorData: Array(data), signature: Array(signature), userHandle: Array(user))
    }
}
#endif
