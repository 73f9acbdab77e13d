// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchCrypto
package import LatchHTTP
import LatchJOSE
import LatchServer
import PortableFoundation

/// Values that a browser keeps for a server, encrypted and authenticated, each in a cookie of its own (RFC 6265bis).
///
/// Any node of the server can read them, none keeps them in memory, and no other browser has them.
package struct EncryptedCookies: Sendable {
    /// The values that a browser keeps at once; older ones end, so that the Cookie field stays short.
    private static let maximumCount = 4
    /// The greatest size of a cookie that is decrypted; browsers keep no larger ones.
    private static let maximumSize = 8192

    private let key: SymmetricKey
    private let isSecure: Bool
    private let prefix: String
    private let lifetime: Duration

    /// Creates the cookies of a server.
    ///
    /// - Parameters:
    ///   - name: The beginning of the cookies' names.
    ///   - key: The key, of 16, 24 or 32 bytes, the same on all nodes.
    ///   - isSecure: Whether browsers reach the server by https. A cookie then has the prefix `__Host-`, so that no other
    ///     host of the site can set it (RFC 6265bis §4.1.3.2).
    ///   - lifetime: The time after which a browser forgets a value.
    package init(_ name: String, key: SymmetricKey, isSecure: Bool, lifetime: Duration) {
        self.key = key
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
    /// - Throws: The error of the encoding or of the encryption.
    package func set(_ value: some Encodable, id: String, isPosted: Bool = false) throws -> String {
        let name = name(id)
        let content = Array(try JSONEncoder().encode(value))
        let box = try AES.GCM.seal(content, using: key, authenticating: Array(name.utf8))
        let bytes = Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        return field(name, Base64URL.encode(bytes), maximumAge: Int(lifetime.components.seconds), isPosted)
    }

    /// Returns the value of an identifier, if this browser keeps it.
    package func value<Value: Decodable>(_ type: Value.Type, id: String, in request: HTTPRequest) -> Value? {
        let name = name(id)
        // A second one may be an attacker's, set by another host of the site.
        guard !request.isAmbiguous(cookie: name), let text = request.cookies[name],
            text.utf8.count <= Self.maximumSize
        else { return nil }
        do {
            let box = try AES.GCM.SealedBox(combined: Base64URL.decode(text))
            let content = try AES.GCM.open(box, using: key, authenticating: Array(name.utf8))
            return try JSONDecoder().decode(type, from: Data(content))
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
        let names = request.cookies.keys.filter { $0.utf8.starts(with: prefix.utf8) }.sorted()
        guard names.count >= Self.maximumCount else { return [] }
        return names.map { field($0, "", maximumAge: 0, false) }
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

extension HTTPResponse {
    /// Returns a redirect to a page, which neither caches keep nor other sites learn of.
    package static func redirect(to url: String, setting cookies: [String] = []) -> HTTPResponse {
        var response = HTTPResponse(
            status: 302, fields: [.location: url, .cacheControl: "no-store", "Referrer-Policy": "no-referrer"])
        for cookie in cookies { response.fields.append(cookie, for: .setCookie) }
        return response
    }
}
