// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
package import LatchHTTP
import LatchJOSE
import LatchServer
import PortableFoundation

/// Values that a browser keeps for a server, encrypted and authenticated, each in a cookie of its own (RFC 6265bis).
///
/// Any node of the server can read them, none keeps them in memory, and no other browser has them.
package struct EncryptedCookies: Sendable {
    /// The values that a browser keeps at once, and the bytes of all of them; all earlier ones end, so that the Cookie field never
    /// exceeds what a server takes, whoever makes the browser begin.
    private static let maximumCount = 4
    private static let maximumTotal = 6_000
    /// The greatest size of a value.
    private static let maximumSize = 2_500

    private let key: SymmetricKey
    private let isSecure: Bool
    private let prefix: String
    private let lifetime: Duration
    private let clock: WallClock

    /// A value as it is encrypted: the browser's word for its age is none.
    fileprivate struct Sealed<Value> {
        let expires: Date
        let value: Value
    }

    /// Creates the cookies of a server.
    ///
    /// - Parameters:
    ///   - name: The beginning of the cookies' names.
    ///   - key: The key, of 16, 24 or 32 bytes, the same on all nodes.
    ///   - isSecure: Whether browsers reach the server by https. A cookie then has the prefix `__Host-`, so that no other
    ///     host of the site can set it (RFC 6265bis §4.1.3.2).
    ///   - lifetime: The time for which a value is accepted.
    ///   - clock: The time.
    package init(_ name: String, key: SymmetricKey, isSecure: Bool, lifetime: Duration, clock: WallClock = .system) {
        // The program may encrypt something else with its key.
        let code = HMAC<SHA256>.authenticationCode(for: Array("encrypted cookies \(name)".utf8), using: key)
        self.key = SymmetricKey(data: Array(code))
        self.clock = clock
        self.isSecure = isSecure
        self.lifetime = lifetime
        prefix = (isSecure ? "__Host-" : "") + name + "-"
    }

    /// Returns the name of the cookie of a value: a digest, so that it does not reveal the identifier.
    private func name(_ id: String) -> String {
        prefix + Base64URL.encode(Array(SHA256.hash(data: Array(id.utf8))).prefix(12))
    }

    /// Returns the Set-Cookie field of a value.
    ///
    /// - Parameters:
    ///   - id: The identifier with which the browser returns, such as the state of an authorization request.
    ///   - isPosted: Whether it returns by a POST of another site, with which a browser sends no other cookie.
    /// - Throws: `HTTPError.tooLarge`, and the error of the encoding or of the encryption.
    package func set(_ value: some Encodable, id: String, isPosted: Bool = false) throws -> String {
        let name = name(id)
        let end = clock.now.addingTimeInterval(lifetime.inSeconds)
        let content = Array(try JSONEncoder().encode(Sealed(expires: end, value: value)))
        guard content.count <= Self.maximumSize else { throw HTTPError.tooLarge }
        let box = try AES.GCM.seal(content, using: key, authenticating: Array(name.utf8))
        let bytes = Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        return field(name, Base64URL.encode(bytes), maximumAge: Int(lifetime.components.seconds), isPosted)
    }

    /// Returns the value of an identifier, if this browser keeps it.
    package func value<Value: Decodable>(_ type: Value.Type, id: String, in request: HTTPRequest) -> Value? {
        let name = name(id)
        // A second one may be an attacker's, set by another host of the site.
        guard !request.isAmbiguous(cookie: name), let text = request.cookies[name],
            text.utf8.count <= 2 * Self.maximumSize
        else { return nil }
        do {
            let box = try AES.GCM.SealedBox(combined: Base64URL.decode(text))
            let content = try AES.GCM.open(box, using: key, authenticating: Array(name.utf8))
            let sealed = try JSONDecoder().decode(Sealed<Value>.self, from: Data(content))
            return clock.now < sealed.expires ? sealed.value : nil
        } catch {
            // One that somebody has changed, or that another version of the server has set, is as good as none.
            return nil
        }
    }

    /// Returns the Set-Cookie field that removes the cookie of a value.
    package func cleared(_ id: String, isPosted: Bool = false) -> String {
        field(name(id), "", maximumAge: 0, isPosted)
    }

    /// Returns the Set-Cookie fields that make room for another value.
    package func makingRoom(in request: HTTPRequest) -> [String] {
        let kept = request.cookies.filter { $0.key.utf8.starts(with: prefix.utf8) }
        let size = kept.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard kept.count >= Self.maximumCount || size > Self.maximumTotal else { return [] }
        return kept.keys.sorted().map { field($0, "", maximumAge: 0, false) }
    }

    /// Returns a Set-Cookie field (RFC 6265bis §4.1).
    ///
    /// SameSite=Lax: a browser sends the cookie with the redirect of another site, which is a navigation, and with nothing
    /// else that another site begins. SameSite=None needs https.
    private func field(_ name: String, _ value: String, maximumAge: Int, _ isPosted: Bool) -> String {
        let (secure, site) = (isSecure ? "; Secure" : "", isPosted && isSecure ? "None" : "Lax")
        return "\(name)=\(value); Path=/; Max-Age=\(maximumAge); HttpOnly; SameSite=\(site)\(secure)"
    }
}

extension EncryptedCookies.Sealed: Encodable where Value: Encodable {}

extension EncryptedCookies.Sealed: Decodable where Value: Decodable {}

extension HTTPResponse {
    /// Returns a redirect to a page, which neither caches keep nor other sites learn of.
    package static func redirect(to url: String, setting cookies: [String] = []) -> HTTPResponse {
        var response = HTTPResponse(
            status: 302, fields: [.location: url, .cacheControl: "no-store", "Referrer-Policy": "no-referrer"])
        for cookie in cookies { response.fields.append(cookie, for: .setCookie) }
        return response
    }
}
