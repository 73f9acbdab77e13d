// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchHTTP
import LatchJOSE
import LatchServer

/// Encrypted and authenticated values that a browser keeps for a server, each in its own cookie (RFC 6265bis).
///
/// Any node of the server can read them, no node keeps them in memory, and no other browser has them.
package struct EncryptedCookies: Sendable {
    /// The maximum number of values that a browser keeps at the same time.
    ///
    /// With the maximum of their bytes, it keeps the Cookie field within a server's limit, even if an attacker starts
    /// the attempts.
    private static let maximumCount = 4
    private static let maximumTotal = 6_000
    /// The maximum size of a value, in bytes.
    private static let maximumSize = 2_500

    private let key: SymmetricKey
    private let isSecure: Bool
    private let prefix: String
    private let lifetime: Duration
    private let clock: WallClock

    /// A value in its encrypted form, with its end: a browser cannot be trusted to delete it in time.
    fileprivate struct Sealed<Value> {
        let expires: Date
        let value: Value
    }

    /// Creates the cookies of a server.
    ///
    /// - Parameters:
    ///   - name: The beginning of the cookies' names.
    ///   - key: The key, of at least 16 bytes and the same on all nodes; the caller has checked it.
    ///   - isSecure: Whether browsers reach the server by https. A cookie then has the prefix `__Host-`, so that no
    ///     other host of the site can set it (RFC 6265bis §4.1.3.2).
    ///   - lifetime: The time for which a value is accepted.
    ///   - clock: The clock that measures the lifetime.
    package init(_ name: String, key: SymmetricKey, isSecure: Bool, lifetime: Duration, clock: WallClock = .system) {
        // The program may use the same key to encrypt other data.
        let code = HMAC<SHA256>.authenticationCode(for: Array("encrypted cookies \(name)".utf8), using: key)
        self.key = SymmetricKey(data: Array(code))
        self.clock = clock
        self.isSecure = isSecure
        self.lifetime = lifetime
        prefix = (isSecure ? "__Host-" : "") + name + "-"
    }

    /// Returns the name of a value's cookie: a digest, so that it does not reveal the identifier.
    private func name(_ id: String) -> String {
        prefix + Base64URL.encode(Array(SHA256.hash(data: Array(id.utf8))).prefix(12))
    }

    /// Returns the Set-Cookie field of a value.
    ///
    /// - Parameters:
    ///   - id: The identifier with which the browser returns, such as the state of an authorization request.
    ///   - isPosted: Whether the browser returns by a POST of another site, which carries only SameSite=None cookies.
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

    /// Returns the value for an identifier, if this browser has it.
    package func value<Value: Decodable>(_ type: Value.Type, id: String, in request: HTTPRequest) -> Value? {
        let name = name(id)
        // A second cookie may be an attacker's, set by another host of the site.
        guard !request.isAmbiguous(cookie: name), let text = request.cookies[name],
            text.utf8.count <= 2 * Self.maximumSize
        else { return nil }
        do {
            let sealed = try opened(type, text, named: name)
            return clock.now < sealed.expires ? sealed.value : nil
        } catch {
            // A cookie that was changed, or that another version of the server has set, counts as missing.
            return nil
        }
    }

    /// Returns the Set-Cookie field that removes the cookie of a value.
    package func cleared(_ id: String, isPosted: Bool = false) -> String {
        field(name(id), "", maximumAge: 0, isPosted)
    }

    /// Returns the Set-Cookie fields that make room for another value; nil if none is left.
    ///
    /// Only a user's action removes values, the oldest first. A page of another site can navigate without a click
    /// (Fetch Metadata §2.2 and §2.4). It removes no value and gets only half of the room. So it cannot end an attempt
    /// in progress, nor keep the user from beginning one.
    package func makingRoom(in request: HTTPRequest) -> [String]? {
        var kept = request.cookies.filter { $0.key.utf8.starts(with: prefix.utf8) }
            .map {
                (name: $0.key, size: $0.key.utf8.count + $0.value.utf8.count, end: end(of: $0.value, named: $0.key))
            }
            .sorted { ($0.end, $0.name) < ($1.end, $1.name) }
        var size = kept.reduce(0) { $0 + $1.size }
        guard !request.isForced else {
            return kept.count < Self.maximumCount / 2 && size <= Self.maximumTotal / 2 ? [] : nil
        }
        var ended: [String] = []
        while kept.count >= Self.maximumCount || size > Self.maximumTotal, let oldest = kept.first {
            kept.removeFirst()
            size -= oldest.size
            ended.append(field(oldest.name, "", maximumAge: 0, false))
        }
        return ended
    }

    /// Returns the end of a value; for a cookie that this server has not set, a time long past.
    private func end(of text: String, named name: String) -> Date {
        do { return try opened(Unread.self, text, named: name).expires } catch { return .distantPast }
    }

    private struct Unread: Decodable {
        init(from decoder: any Decoder) {}
    }

    private func opened<Value: Decodable>(
        _ type: Value.Type, _ text: String, named name: String
    ) throws -> Sealed<Value> {
        let box = try AES.GCM.SealedBox(combined: Base64URL.decode(text))
        let content = try AES.GCM.open(box, using: key, authenticating: Array(name.utf8))
        return try JSONDecoder().decode(Sealed<Value>.self, from: Data(content))
    }

    /// Returns a Set-Cookie field (RFC 6265bis §4.1).
    ///
    /// SameSite=Lax: a browser sends the cookie with a redirect of another site, which is a navigation, but not with
    /// other requests that another site starts. SameSite=None needs https.
    private func field(_ name: String, _ value: String, maximumAge: Int, _ isPosted: Bool) -> String {
        let (secure, site) = (isSecure ? "; Secure" : "", isPosted && isSecure ? "None" : "Lax")
        return "\(name)=\(value); Path=/; Max-Age=\(maximumAge); HttpOnly; SameSite=\(site)\(secure)"
    }
}

extension EncryptedCookies.Sealed: Encodable where Value: Encodable {}

extension EncryptedCookies.Sealed: Decodable where Value: Decodable {}

extension HTTPRequest {
    /// Whether a page of another site made the browser send the request without a click of its user.
    ///
    /// Browsers before 2023 do not send these fields. An app that opens a page does not count as a site.
    fileprivate var isForced: Bool {
        let site = fields["Sec-Fetch-Site"]
        return (site == "cross-site" || site == "same-site") && fields["Sec-Fetch-User"] != "?1"
    }
}

extension HTTPResponse {
    /// Returns a redirect to a page that is not cached and whose URL is not sent to other sites.
    package static func redirect(to url: String, setting cookies: [String] = []) -> HTTPResponse {
        var response = HTTPResponse(
            status: 302, fields: [.location: url, .cacheControl: "no-store", "Referrer-Policy": "no-referrer"])
        for cookie in cookies { response.fields.append(cookie, for: .setCookie) }
        return response
    }
}
