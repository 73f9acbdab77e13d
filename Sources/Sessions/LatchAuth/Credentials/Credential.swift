// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation
public import LatchHTTP

/// A credential that can authorize a request.
///
/// A custom scheme needs this one method:
///
/// ```swift
/// struct CountedToken: Credential {
///     let token: String
///
///     func authorize(_ request: inout HTTPRequest) {
///         request.fields["X-Token"] = "\(token);length=\(request.body.length ?? 0)"
///         request.markCredentials(["X-Token"])
///     }
/// }
///
/// let client = Client(
///     baseURL: url, interceptors: [CredentialInterceptor(CountedToken(token: "…"), for: .host("api.example.com"))])
/// ```
public protocol Credential: Sendable {
    /// Adds the credential to `request`, which otherwise has its final form.
    ///
    /// It is called for each message that is sent. A signature therefore covers the sent message, and is new for every
    /// repetition and every redirect within the origin. A second call replaces the fields of the first. Put a secret
    /// into `Authorization`, or into a field that you append to `credentialFields`. These fields are removed when a
    /// redirect leaves the origin, and are never logged.
    func authorize(_ request: inout HTTPRequest) async throws

    /// Reads the response to an authorized message, for example to get a nonce for the next one.
    ///
    /// - Returns: Whether the server refused the message for a reason that the same credential can now avoid. The
    ///   message is then sent once more.
    func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool
}

extension Credential {
    /// Returns false: most credentials do not depend on a server's responses.
    public func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
}

/// A credential that a `Session` can keep and refresh.
public protocol SessionCredential: Credential, Equatable {
    /// The expiry by the issuer's clock; nil if it is not known.
    var expiry: Date? { get }

    /// The date of issue by the issuer's clock; nil if it is not known.
    var issued: Date? { get }

    /// Whether the credential contains what a refresh needs, such as a refresh token; see `RefreshPolicy`.
    var isRefreshable: Bool { get }

    /// Whether a server that refuses `other` also refuses `self`.
    func hasSameAccessToken(as other: Self) -> Bool

    /// Whether a refresh of `self` and of `other` is the same refresh.
    func hasSameRefreshToken(as other: Self) -> Bool

    /// Returns the credential that replaces this one after a response; nil if the server did not rotate it.
    ///
    /// - Parameters:
    ///   - response: The response, which may contain another credential.
    ///   - request: The request that the response answers.
    ///   - sent: The credential in the request, which may be an earlier one.
    func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: Self) -> Self?

    /// Returns this credential with all values of an issuer's response; other values stay.
    ///
    /// A response may lack the refresh token, its key, the user and the ID token (RFC 6749 §6, OpenID Connect Core
    /// §12.2). It has only one of several access tokens. No response therefore removes more than it replaces.
    ///
    /// - Parameters:
    ///   - response: The credential of the response.
    ///   - target: The resource that the response's access token is for; nil for the session's own.
    func updated(by response: Self, for target: TokenTarget?) -> Self

    /// Returns this credential with the refresh token of a response, but with its own access tokens.
    func renewingGrant(from response: Self) -> Self

    /// Returns the credential to send to a resource; nil if the issuer has not issued one for it yet.
    ///
    /// - Parameter target: The resource; nil for resources that need no separate token.
    func credential(for target: TokenTarget?) -> Self?

    /// Whether the user authenticated as a server requires, according to the credential; nil if it does not state this.
    func satisfies(_ requirement: StepUpRequirement, at date: Date) -> Bool?

    /// Whether both belong to the same user; nil if one of them does not name its user.
    func hasSameUser(as other: Self) -> Bool?
}

extension SessionCredential {
    /// Nil by default: most credentials do not expire at a known date.
    public var expiry: Date? { nil }

    /// Nil by default: most credentials do not state when they were issued.
    public var issued: Date? { nil }

    /// True by default: most credentials can be refreshed.
    public var isRefreshable: Bool { true }

    /// Compares the whole credentials.
    public func hasSameAccessToken(as other: Self) -> Bool { self == other }

    /// Compares the whole credentials.
    public func hasSameRefreshToken(as other: Self) -> Bool { self == other }

    /// Returns nil: most credentials do not state how the user authenticated.
    public func satisfies(_ requirement: StepUpRequirement, at date: Date) -> Bool? { nil }

    /// Returns nil: most credentials do not name their user.
    public func hasSameUser(as other: Self) -> Bool? { nil }

    /// Returns the credential of the response: most credentials are replaced as a whole.
    public func updated(by response: Self, for target: TokenTarget?) -> Self { response }

    /// Returns this credential: most credentials have no parts.
    public func renewingGrant(from response: Self) -> Self { self }

    /// Returns this credential: most credentials are the same for every resource.
    public func credential(for target: TokenTarget?) -> Self? { self }

    /// Returns nil: most servers replace a credential only on request.
    public func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: Self) -> Self? { nil }
}

extension HTTPRequest {
    /// Marks fields and query parameters as secrets, which are removed at other origins and left out of logs.
    ///
    /// A credential calls it when it authorizes a request. A second call has no effect.
    ///
    /// - Parameters:
    ///   - fields: The names of fields; those that always contain credentials need no mark.
    ///   - names: The names of query parameters.
    public mutating func markCredentials(_ fields: [HTTPFieldName] = [], query names: [String] = []) {
        for field in fields where !isCredential(field) { credentialFields.append(field) }
        for name in names where !credentialQueryNames.contains(name) { credentialQueryNames.append(name) }
    }
}
