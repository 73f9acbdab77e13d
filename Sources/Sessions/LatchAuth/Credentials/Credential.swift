// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchHTTP

/// Can authorise a request.
///
/// A custom scheme needs this one method:
///
/// ```swift
/// struct CountedToken: Credential {
///     let token: String
///
///     func authorize(_ request: inout HTTPRequest) {
///         request.fields["X-Token"] = "\(token);length=\(request.body.length ?? 0)"
///         request.credentialFields.append("X-Token")
///     }
/// }
///
/// let client = Client(
///     baseURL: url, interceptors: [CredentialInterceptor(CountedToken(token: "…"), for: .host("api.example.com"))])
/// ```
public protocol Credential: Sendable {
    /// Adds what proves the caller to `request`, which is otherwise as it will be sent.
    ///
    /// It is called for each message that goes out, so a signature covers what is sent and is made anew for every repeat
    /// and every redirect within the origin; a second call replaces what the first one set. A field of its own that
    /// holds a secret is added to `credentialFields`.
    func authorize(_ request: inout HTTPRequest) async throws

    /// Looks at the answer to a message that it has authorised, such as for a nonce that the next one has to hold.
    ///
    /// - Returns: Whether the server refused the message for something that this same credential would do better now; it
    ///   is then sent once more.
    func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool
}

extension Credential {
    /// Most credentials prove the same whatever a server says.
    public func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
}

/// A credential that a `Session` can keep and renew.
public protocol SessionCredential: Credential, Equatable {
    /// When it stops being accepted, by the issuer's clock; nil when that is not known beforehand.
    var expiry: Date? { get }

    /// When the issuer handed it out, by the issuer's clock; nil when that is not known.
    var issued: Date? { get }

    /// Whether it holds what renews it, such as a refresh token; see `RenewalPolicy`.
    var isRenewable: Bool { get }

    /// Whether a server that refuses `other` refuses `self` as well: they prove the same.
    func authorizesLike(_ other: Self) -> Bool

    /// Whether a renewal of `self` and of `other` is the same renewal: they hold the same renewable part.
    func renewsLike(_ other: Self) -> Bool

    /// What an answer made of this credential, where the server exchanges it on the way; nil where it did not.
    ///
    /// - Parameters:
    ///   - request: The message that was answered.
    ///   - sent: The credential that it carried, which may be an earlier one.
    func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: Self) -> Self?

    /// What a session keeps when a renewal has exchanged `predecessor` for this credential: what outlives the exchange
    /// and is not part of the issuer's answer, such as a key, is taken over.
    func succeeding(_ predecessor: Self) -> Self

    /// Whether it says of itself that the person authenticated as a server asks for; nil where it does not say.
    func satisfies(_ requirement: StepUpRequirement, at date: Date) -> Bool?

    /// Whether both are one person's; nil where one of them does not say.
    func isOfSamePerson(as other: Self) -> Bool?
}

extension SessionCredential {
    /// Not known.
    public var issued: Date? { nil }

    /// Most credentials do.
    public var isRenewable: Bool { true }

    /// Two credentials prove the same when they are equal.
    public func authorizesLike(_ other: Self) -> Bool { self == other }

    /// Two credentials renew alike when they are equal.
    public func renewsLike(_ other: Self) -> Bool { self == other }

    /// Most credentials do not say how they came about.
    public func satisfies(_ requirement: StepUpRequirement, at date: Date) -> Bool? { nil }

    /// Most credentials do not say whose they are.
    public func isOfSamePerson(as other: Self) -> Bool? { nil }

    /// Most credentials are replaced as a whole.
    public func succeeding(_ predecessor: Self) -> Self { self }

    /// Most servers exchange a credential only when they are asked to.
    public func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: Self) -> Self? { nil }
}
