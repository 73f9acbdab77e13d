// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP

/// A token that servers exchange on the way, and that knows its end.
protocol RotatingToken: TokenModel {
    /// When it stops being accepted; nil where that is not known.
    var expiry: Date? { get }

    /// What an answer made of it; nil where nothing changed.
    func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: Self) -> Self?
}

/// A token as a session keeps it, and also that there is none.
///
/// That nobody is there is a credential like any other: it is obtained, refused and replaced by the same rules, so a
/// first login is shared and outlived by a logout exactly as a refresh is.
struct TokenCredential<Token: TokenModel>: SessionCredential {
    /// The token; nil where nobody is there.
    let token: Token?
    /// What the storage keeps; nil where nobody is there.
    let record: Data?

    /// Nobody.
    static var nobody: TokenCredential { TokenCredential(token: nil, record: nil) }

    /// Most do not say; the server's refusal does.
    var expiry: Date? { (token as? any RotatingToken)?.expiry }

    /// Applies the token to a message as it will be sent.
    func authorize(_ request: inout HTTPRequest) throws {
        guard let token else { return }
        let original = try URLRequest(request)
        var authorized = original
        token.authorize(&authorized)
        try request.takeOver(authorized, madeFrom: original)
    }

    /// What an answer made of the token, where its kind is exchanged on the way.
    func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: TokenCredential) -> TokenCredential?
    {
        guard let token = token as? any RotatingToken else { return nil }
        return Self.rotate(token, by: response, to: request, sentWith: sent)
    }

    private static func rotate<Rotating: RotatingToken>(
        _ token: Rotating, by response: HTTPResponse, to request: HTTPRequest, sentWith sent: TokenCredential
    ) -> TokenCredential? {
        guard let sent = sent.token as? Rotating,
            let rotated = token.rotated(by: response, to: request, sentWith: sent) as? Token
        else { return nil }
        // What cannot be written down is no better than what there is.
        return try? TokenCredential(rotated)
    }

    /// Two tokens are the same when they were written down, or read, as the same bytes: their type need not compare.
    static func == (left: TokenCredential, right: TokenCredential) -> Bool { left.record == right.record }
}

extension TokenCredential {
    /// A token that was obtained and is to be stored.
    ///
    /// - Throws: `TokenStorageError.failedToEncode`.
    init(_ token: Token) throws(TokenStorageError) {
        do { self.init(token: token, record: try token.encode()) } catch { throw .failedToEncode(error) }
    }
}
