// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation

/// A publisher of request objects, for a server that fetches authorization requests from this program (OpenID Connect
/// Core §6.2, RFC 9101 §5.2).
///
/// ```swift no-check
/// configuration.requestPublisher = RequestPublisher { object, expiry in
///     let name = try await objects.keep(object, until: expiry)         // a random name
///     return base.appending(path: name)                                // application/oauth-authz-req+jwt
/// }
/// ```
///
/// The server may fetch an object several times. A request that is pushed (RFC 9126) is not published.
public struct RequestPublisher: Sendable {
    /// A closure that publishes an object until its expiry, and returns the object's URL.
    public typealias Publication = @Sendable (_ object: String, _ expiry: Date) async throws -> URL

    /// The maximum size of a URL, in ASCII characters (Core §6.2).
    private static let greatestSize = 512

    /// Whether the object of a client without a signing key is not signed.
    let allowsUnsigned: Bool
    private let publish: Publication

    /// Creates a publisher.
    ///
    /// - Parameters:
    ///   - allowingUnsigned: Whether the object of a registration without a key is not signed. The server must have
    ///     registered the algorithm `none` for it, and the URL must have https.
    ///   - publish: Publishes an object. Its URL has at most 512 ASCII characters.
    public init(allowingUnsigned: Bool = false, publish: @escaping Publication) {
        (allowsUnsigned, self.publish) = (allowingUnsigned, publish)
    }

    /// Publishes an object, and returns its URL.
    ///
    /// - Throws: `OAuthError.unsuitableRequestURI`, and the errors of the closure.
    func url(of object: String, until expiry: Date, isSigned: Bool) async throws -> String {
        let url = try await publish(object, expiry)
        let text = url.absoluteString
        guard text.utf8.count <= Self.greatestSize, text.utf8.allSatisfy({ $0 < 0x80 }),
            // Core §6.2: without https, only the signature protects the object.
            url.scheme?.lowercasedASCII() == "https" || isSigned
        else { throw OAuthError.unsuitableRequestURI }
        return text
    }
}
