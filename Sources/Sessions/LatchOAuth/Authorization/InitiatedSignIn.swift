// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation
import LatchHTTP

/// A sign-in that another site asks a program to begin, at its registered `initiate_login_uri` (OpenID Connect Core §4).
///
/// ```swift no-check
/// let initiated = try InitiatedSignIn(url)
/// let attempt = try await client.attempt(initiated.request(at: client.configuration.issuer))
/// let next = initiated.target(at: homePage) ?? homePage           // after the sign-in
/// ```
///
/// Any site can ask. So it decides nothing: the program signs its user in as usual, at an issuer that it knows.
public struct InitiatedSignIn: Sendable, Hashable {
    /// The issuer identifier, by which a program with several issuers chooses one.
    public let issuer: String
    /// The address or the name that the user will probably sign in with.
    public let loginHint: String?
    private let targetLink: String?

    /// Decodes the query of a URL at which the program was opened.
    ///
    /// - Throws: `OAuthError.invalidSignInInitiation` if it names no issuer, or a parameter occurs twice.
    public init(_ url: URL) throws(OAuthError) {
        try self.init { () throws(OAuthError) in try AuthorizationResponse(url) }
    }

    /// Decodes the content of a POST to the URL.
    ///
    /// - Throws: As ``init(_:)``.
    public init(form: some Collection<UInt8>, sentTo url: URL) throws(OAuthError) {
        try self.init { () throws(OAuthError) in try AuthorizationResponse(form: form, sentTo: url) }
    }

    private init(_ decode: () throws(OAuthError) -> AuthorizationResponse) throws(OAuthError) {
        let parameters: [String: String]
        do { parameters = try decode().parameters } catch { throw .invalidSignInInitiation }
        func value(_ name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard let issuer = value("iss") else { throw .invalidSignInInitiation }
        (self.issuer, loginHint, targetLink) = (issuer, value("login_hint"), value("target_link_uri"))
    }

    /// Returns the request of a sign-in at an issuer.
    ///
    /// - Throws: `OAuthError.issuerMismatch` if the other site named another issuer.
    public func request(at issuer: URL) throws(OAuthError) -> AuthorizationRequest {
        guard self.issuer.utf8.elementsEqual(issuer.absoluteString.utf8) else {
            throw .issuerMismatch(expected: issuer.absoluteString, actual: self.issuer)
        }
        return AuthorizationRequest(loginHint: loginHint)
    }

    /// Returns the page of the program to show after the sign-in; nil if none is named, or one of another origin.
    ///
    /// Without the check the program would lead its users to any site (Core §4).
    ///
    /// - Parameter page: Any page of the program.
    public func target(at page: URL) -> URL? {
        guard let url = targetLink.flatMap({ URL(encodingOnce: $0) }), let origin = HTTPOrigin(url),
            origin == HTTPOrigin(page), url.user() == nil, url.password() == nil
        else { return nil }
        return url
    }
}

extension OAuthError {
    /// A URL that should begin a sign-in does not name an issuer once.
    public static let invalidSignInInitiation = OAuthError(
        code: "invalidSignInInitiation", message: "The request to sign in names no issuer, or a parameter twice.",
        hint: "The other site must send 'iss', and may send 'login_hint' and 'target_link_uri'.")
}
