// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Authentication Services: the browser of the system, and Sign in with Apple.
// Source: https://developer.apple.com/documentation/authenticationservices.
public import AppKit
public import AppleFoundation
public import UIKit

private func stub() -> Never { fatalError() }

#if os(macOS)
public typealias ASPresentationAnchor = NSWindow
#elseif !os(watchOS)
public typealias ASPresentationAnchor = UIWindow
#else
@available(watchOS, unavailable)
@MainActor open class _PresentationWindow: NSObject { public override init() {} }
@available(watchOS, unavailable)
public typealias ASPresentationAnchor = _PresentationWindow
#endif

// The browser
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    open class Callback: NSObject {
        open class func customScheme(_ customScheme: String) -> Self { stub() }
        open class func https(host: String, path: String) -> Self { stub() }
        open func matchesURL(_ url: URL) -> Bool { stub() }
    }
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}
    @available(*, deprecated)
    public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
    @available(tvOS, unavailable) @available(watchOS, unavailable)
    open var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)? { get { stub() } set {} }
    @available(tvOS, unavailable)
    open var prefersEphemeralWebBrowserSession: Bool { get { stub() } set {} }
    open var canStart: Bool { stub() }
    @discardableResult open func start() -> Bool { stub() }
    @available(tvOS, unavailable) open func cancel() {}
}
@available(tvOS, unavailable) @available(watchOS, unavailable)
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}
public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable { case canceledLogin = 1, presentationContextNotProvided = 2, presentationContextInvalid = 3 }
    public var code: Code { stub() }
}

// Sign in with Apple
public protocol ASAuthorizationProvider: NSObjectProtocol {}
public protocol ASAuthorizationCredential: NSObjectProtocol {}
open class ASAuthorization: NSObject {
    public struct Scope: Hashable, Sendable {
        public static var fullName: Scope { stub() }
        public static var email: Scope { stub() }
    }
    open var provider: any ASAuthorizationProvider { stub() }
    open var credential: any ASAuthorizationCredential { stub() }
}
open class ASAuthorizationRequest: NSObject {}
open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    open var requestedScopes: [ASAuthorization.Scope]?
    open var state: String?
    open var nonce: String?
}
open class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {
    open var user: String?
}
open class ASAuthorizationAppleIDProvider: NSObject, ASAuthorizationProvider {
    public enum CredentialState: Int, Sendable { case revoked = 0, authorized = 1, notFound = 2, transferred = 3 }
    public class var credentialRevokedNotification: NSNotification.Name { stub() }
    public override init() {}
    open func createRequest() -> ASAuthorizationAppleIDRequest { stub() }
    open func getCredentialState(forUserID userID: String, completion: @escaping @Sendable (CredentialState, (any Error)?) -> Void) {}
}
public enum ASUserDetectionStatus: Int, Sendable { case unsupported = 0, unknown = 1, likelyReal = 2 }
open class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    open var user: String { stub() }
    open var state: String? { stub() }
    open var authorizedScopes: [ASAuthorization.Scope] { stub() }
    open var authorizationCode: Data? { stub() }
    open var identityToken: Data? { stub() }
    open var email: String? { stub() }
    open var fullName: PersonNameComponents? { stub() }
    open var realUserStatus: ASUserDetectionStatus { stub() }
}
public struct ASAuthorizationError: Error {
    public enum Code: Int, Sendable { case unknown = 1000, canceled = 1001, invalidResponse = 1002, notHandled = 1003, failed = 1004, notInteractive = 1005, matchedExcludedCredential = 1006 }
    public var code: Code { stub() }
}
open class ASAuthorizationController: NSObject {
    public init(authorizationRequests: [ASAuthorizationRequest]) {}
    weak open var delegate: (any ASAuthorizationControllerDelegate)?
    @available(watchOS, unavailable)
    open var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)? { get { stub() } set {} }
    open func performRequests() {}
    @available(iOS 16.0, macOS 13.0, visionOS 1.0, *) @available(tvOS, unavailable) @available(watchOS, unavailable)
    public struct RequestOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var preferImmediatelyAvailableCredentials: RequestOptions { stub() }
    }
    @available(iOS 16.0, macOS 13.0, visionOS 1.0, *) @available(tvOS, unavailable) @available(watchOS, unavailable)
    open func performRequests(options: ASAuthorizationController.RequestOptions = []) {}
    @available(iOS 16.0, visionOS 1.0, *) @available(macOS, unavailable) @available(macCatalyst, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
    open func performAutoFillAssistedRequests() {}
    @available(iOS 16.0, macOS 13.0, tvOS 18.0, visionOS 1.0, *) @available(watchOS, unavailable)
    open func cancel() {}
}
@MainActor public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    func authorizationController(controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}
extension ASAuthorizationControllerDelegate {
    public func authorizationController(controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization) {}
    public func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {}
}
@available(watchOS, unavailable)
@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}
