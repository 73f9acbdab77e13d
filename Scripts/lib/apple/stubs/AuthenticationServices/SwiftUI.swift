// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// What Apple's SDKs show only to a file that imports SwiftUI, too; a view does.
// Source: https://developer.apple.com/documentation/authenticationservices/signinwithapplebutton.
public import AppleFoundation
public import SwiftUI

private func stub<T>() -> T { fatalError() }

public struct SignInWithAppleButton: View {
    public struct Label: Sendable { public static let signIn: Label = stub(), `continue`: Label = stub(), signUp: Label = stub() }
    public struct Style: Sendable { public static let black: Style = stub(), white: Style = stub(), whiteOutline: Style = stub() }
    public init(_ label: SignInWithAppleButton.Label = .signIn, onRequest: @escaping (ASAuthorizationAppleIDRequest) -> Void, onCompletion: @escaping (Result<ASAuthorization, any Error>) -> Void) {}
    public var body: Never { return stub() }
}
extension View {
    public func signInWithAppleButtonStyle(_ style: SignInWithAppleButton.Style) -> some View { EmptyView() }
}
public struct AuthorizationController: Sendable {
    public func performRequest(_ request: ASAuthorizationRequest) async throws -> ASAuthorizationResult { stub() }
}
public enum ASAuthorizationResult {
    case password(ASPasswordCredential)
    case appleID(ASAuthorizationAppleIDCredential)
    @available(watchOS, unavailable) case passkeyAssertion(ASAuthorizationPlatformPublicKeyCredentialAssertion)
    @available(tvOS, unavailable) @available(watchOS, unavailable) case passkeyRegistration(ASAuthorizationPlatformPublicKeyCredentialRegistration)
}
extension EnvironmentValues {
    public var authorizationController: AuthorizationController { stub() }
}
