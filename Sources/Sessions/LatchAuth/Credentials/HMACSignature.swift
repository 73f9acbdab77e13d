// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchCore
internal import LatchCrypto
public import LatchHTTP

/// A signature of each request with a shared secret, in three fields: key, time and code.
///
/// The code is HMAC with SHA-256, in hexadecimal, over four lines:
///
/// ```
/// POST
/// /v1/notes?page=2
/// 1800000000
/// e3b0c442…            SHA-256 of the content, in hexadecimal; an empty line where there is none
/// ```
///
/// The time is that of `clock`, in seconds since 1970, and new for every message that goes out. What is signed, and under
/// which names it is sent, is up to the server: see ``Form``.
public struct HMACSignature: SessionCredential, Codable {
    /// What a server expects, where it differs from the above.
    public struct Form: Sendable, Hashable, Codable {
        /// The field with the key's name.
        public var keyField = "X-API-Key"
        /// The field with the time.
        public var timestampField = "X-Timestamp"
        /// The field with the code.
        public var signatureField = "X-Signature"
        /// Whether the second line has the query; without it nobody notices when somebody changes the query.
        public var signsQuery = true
        /// Whether the fourth line is the digest of nothing where there is no content, instead of an empty line.
        public var hashesEmptyContent = false

        /// The usual form.
        public init() {}
    }

    /// The name of the key, by which the server finds the secret.
    public let apiKey: String
    /// How the server wants it.
    public let form: Form
    /// The clock that dates signatures; it is not stored.
    public var clock: WallClock = .system

    private let secret: StoredSecret

    /// A credential with a secret of text, as consoles show them.
    public init(apiKey: String, secret: String, form: Form = Form(), clock: WallClock = .system) {
        self.init(apiKey: apiKey, secretBytes: Array(secret.utf8), form: form, clock: clock)
    }

    /// A credential with a secret of bytes.
    public init(apiKey: String, secretBytes: [UInt8], form: Form = Form(), clock: WallClock = .system) {
        self.apiKey = apiKey
        self.secret = StoredSecret(secretBytes)
        self.form = form
        self.clock = clock
    }

    private enum CodingKeys: String, CodingKey { case apiKey, form, secret }

    /// Not known: the secret does not say.
    public var expiry: Date? { nil }

    /// Sets the three fields for the request as it is, in place of those of an earlier attempt.
    ///
    /// - Throws: `AuthError.unsignableContent` where the content can be read only once, and what a stream throws.
    public func authorize(_ request: inout HTTPRequest) async throws {
        let timestamp = String(Int64(HTTPDate(clock.now).date.timeIntervalSince1970))
        let target = form.signsQuery ? request.path : String(request.pathWithoutQuery)
        let digest =
            request.body.isEmpty && !form.hashesEmptyContent
            ? "" : ContentHash.hex(try await ContentHash.digest(of: request.body, by: SHA256.self))
        let message = "\(request.method)\n\(target)\n\(timestamp)\n\(digest)"
        let fields: [(HTTPFieldName, String)] = [
            (HTTPFieldName(form.keyField), apiKey), (HTTPFieldName(form.timestampField), timestamp),
            (HTTPFieldName(form.signatureField), ContentHash.hex(secret.code(for: message))),
        ]
        for (name, value) in fields { request.fields[name] = value }
        request.markCredentials(fields.map(\.0))
    }

    /// Compares the secrets in constant time; the clock does not count.
    public static func == (left: HMACSignature, right: HMACSignature) -> Bool {
        left.apiKey == right.apiKey && left.form == right.form && left.secret == right.secret
    }
}

extension HMACSignature: Redacting {
    /// The fields that it sets.
    public var description: String { "HMACSignature(\(form.signatureField), redacted)" }
}
