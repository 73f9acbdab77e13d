// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchHTTP

/// A token that responses can replace, and that has an expiry date.
protocol RotatingToken: TokenModel {
    /// The expiry date; nil if it is unknown.
    var expiry: Date? { get }

    /// Returns the token that a response sets; nil if it sets none.
    func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: Self) -> Self?
}

/// The credential of a token storage's session: a token or its absence.
///
/// The absence is a credential like any other. So concurrent requests share a first login in the same way as a refresh,
/// and a logout discards either.
public struct TokenCredential<Token: TokenModel>: SessionCredential {
    /// The token; nil when signed out.
    public let token: Token?
    /// The encoded token; nil when signed out.
    let record: Data?

    /// The absence of a token.
    static var signedOut: TokenCredential { TokenCredential(token: nil, record: nil) }

    /// The expiry date, which is unknown for most tokens.
    public var expiry: Date? { (token as? any RotatingToken)?.expiry }

    /// Applies the token to a request.
    public func authorize(_ request: inout HTTPRequest) throws {
        guard let token else { return }
        let original = try URLRequest(request)
        var authorized = original
        token.authorize(&authorized)
        try request.apply(authorized, changedFrom: original)
    }

    /// Returns the credential with the token that a response sets; nil if it sets none.
    public func rotated(
        by response: HTTPResponse, to request: HTTPRequest, sentWith sent: TokenCredential
    ) -> TokenCredential? {
        guard let token = token as? any RotatingToken else { return nil }
        return Self.rotate(token, by: response, to: request, sentWith: sent)
    }

    private static func rotate<Rotating: RotatingToken>(
        _ token: Rotating, by response: HTTPResponse, to request: HTTPRequest, sentWith sent: TokenCredential
    ) -> TokenCredential? {
        guard let sent = sent.token as? Rotating,
            let rotated = token.rotated(by: response, to: request, sentWith: sent) as? Token
        else { return nil }
        // A token that cannot be stored does not replace the current one.
        return try? TokenCredential(rotated)
    }

    /// Compares the encoded tokens, so their type does not have to be `Equatable`.
    public static func == (left: TokenCredential, right: TokenCredential) -> Bool { left.record == right.record }
}

extension TokenCredential: Redacting {}

extension TokenCredential {
    /// Creates the credential of a new token.
    ///
    /// - Throws: `TokenStorageError.failedToEncode`.
    init(_ token: Token) throws(TokenStorageError) {
        do { self.init(token: token, record: try token.encode()) } catch { throw .failedToEncode(error) }
    }
}
