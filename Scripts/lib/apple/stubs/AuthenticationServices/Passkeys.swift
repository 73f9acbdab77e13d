// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Passkeys and stored passwords. Source: https://developer.apple.com/documentation/authenticationservices/public-private-key-authentication.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

@available(watchOS, unavailable)
open class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject, ASAuthorizationProvider {
    public init(relyingPartyIdentifier: String) {}
    open var relyingPartyIdentifier: String { stub() }
    open func createCredentialRegistrationRequest(challenge: Data, name: String, userID: Data) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest { stub() }
    open func createCredentialAssertionRequest(challenge: Data) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest { stub() }
}
@available(watchOS, unavailable)
open class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    open var challenge: Data = Data()
    open var name: String = ""
    open var userID: Data = Data()
    open var displayName: String?
    @available(iOS 17.4, macOS 13.5, *) @available(tvOS, unavailable) @available(visionOS, unavailable)
    open var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]? { get { stub() } set {} }
    open var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference { get { stub() } set {} }
}
@available(watchOS, unavailable)
open class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    open var challenge: Data = Data()
    open var relyingPartyIdentifier: String = ""
    open var allowedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] = []
    open var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference { get { stub() } set {} }
}
@available(watchOS, unavailable)
public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public static let preferred: Self = stub(), required: Self = stub(), discouraged: Self = stub()
}
@available(watchOS, unavailable)
open class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
    public init(credentialID: Data) {}
    open var credentialID: Data { stub() }
}
@available(watchOS, unavailable)
open class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject, ASAuthorizationCredential {
    open var credentialID: Data { stub() }
    open var rawClientDataJSON: Data { stub() }
    open var rawAttestationObject: Data? { stub() }
}
@available(watchOS, unavailable)
open class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject, ASAuthorizationCredential {
    open var credentialID: Data { stub() }
    open var rawClientDataJSON: Data { stub() }
    open var rawAuthenticatorData: Data! { stub() }
    open var signature: Data! { stub() }
    open var userID: Data! { stub() }
}
open class ASAuthorizationPasswordProvider: NSObject, ASAuthorizationProvider {
    public override init() {}
    open func createRequest() -> ASAuthorizationPasswordRequest { stub() }
}
open class ASAuthorizationPasswordRequest: ASAuthorizationRequest {}
open class ASPasswordCredential: NSObject, ASAuthorizationCredential {
    public init(user: String, password: String) {}
    open var user: String { stub() }
    open var password: String { stub() }
}
