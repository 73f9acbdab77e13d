// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchCrypto
internal import LatchFoundation
public import LatchHTTP

/// A signature of each request with a shared secret, in three fields: key, time and MAC.
///
/// The MAC is HMAC with SHA-256, in hexadecimal, over four lines:
///
/// ```
/// POST
/// /v1/notes?page=2
/// 1800000000
/// e3b0c442…            SHA-256 of the content, in hexadecimal; an empty line if there is none
/// ```
///
/// The time comes from `clock`, in seconds since 1970, and is new for every sent message. ``Form`` adapts the signed
/// parts and the names of the fields to a server.
public struct HMACSignature: SessionCredential, Codable {
    /// The options in which servers differ.
    public struct Form: Sendable, Hashable, Codable {
        /// The name of the field with the key ID.
        public var keyField = "X-API-Key"
        /// The name of the field with the time.
        public var timestampField = "X-Timestamp"
        /// The name of the field with the MAC.
        public var signatureField = "X-Signature"
        /// Whether the second line has the query; without it, an attacker may change the query unnoticed.
        public var signsQuery = true
        /// Whether the fourth line is the digest of empty content, instead of an empty line, if the message has no
        /// content.
        public var hashesEmptyContent = false

        /// Creates the default form.
        public init() {}
    }

    /// The ID of the key, which the server uses to find the secret.
    package let apiKey: String
    /// The form that the server expects.
    package let form: Form
    /// The clock that dates signatures; it is not stored.
    package var clock: WallClock = .system

    private let secret: StoredSecret

    /// Creates a credential with a string as its secret, as consoles show it.
    ///
    /// The server decides on the length of the secret. An empty secret, for example from an unset variable, signs
    /// nothing.
    public init(apiKey: String, secret: String, form: Form = Form(), clock: WallClock = .system) {
        self.apiKey = apiKey
        self.secret = StoredSecret(Array(secret.utf8))
        self.form = form
        self.clock = clock
    }

    private enum CodingKeys: String, CodingKey { case apiKey, form, secret }

    /// Sets the three fields for the request in its current form, and replaces those of an earlier attempt.
    ///
    /// - Throws: `AuthError.unsignableContent` if the content can be read only once, `.invalidCredential` if the secret
    ///   is empty, and the error of a stream.
    public func authorize(_ request: inout HTTPRequest) async throws {
        guard secret.key.bitCount > 0 else { throw AuthError.invalidCredential("its secret is empty") }
        let timestamp = String(Int64(HTTPDate(clock.now).date.timeIntervalSince1970))
        let target = form.signsQuery ? request.path : request.pathWithoutQuery
        let digest =
            request.body.isEmpty && !form.hashesEmptyContent
            ? "" : ContentHash.hex(try await ContentHash.digest(of: request.body, by: SHA256.self))
        let message = "\(request.method)\n\(target)\n\(timestamp)\n\(digest)"
        let fields: [(HTTPFieldName, String)] = [
            (HTTPFieldName(form.keyField), apiKey), (HTTPFieldName(form.timestampField), timestamp),
            (HTTPFieldName(form.signatureField), ContentHash.hex(secret.authenticationCode(for: message))),
        ]
        for (name, value) in fields { request.fields[name] = value }
        request.markCredentials(fields.map(\.0))
    }

    /// Compares the secrets in constant time, and ignores the clock.
    public static func == (left: HMACSignature, right: HMACSignature) -> Bool {
        left.apiKey == right.apiKey && left.form == right.form && left.secret == right.secret
    }
}

extension HMACSignature: Redacting {
    /// The name of the field with the MAC.
    public var description: String { "HMACSignature(\(form.signatureField), redacted)" }
}
