// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchCrypto
internal import LatchFoundation
public import LatchHTTP

/// A credential for AWS Signature Version 4, which signs each request with a key for one day, region and service.
///
/// ```swift
/// let aws = SigV4Signature(
///     accessKeyID: "AKIA…", secretAccessKey: "…", sessionToken: token, region: "eu-central-1", service: "s3")
/// let client = Client(baseURL: url, interceptors: [CredentialInterceptor(aws, for: .subdomains(of: "amazonaws.com"))])
/// ```
///
/// The rules are those of "Create a signed AWS API request" in the AWS documentation.
public struct SigV4Signature: SessionCredential, Codable {
    /// Whether the signature covers the content.
    public enum Content: String, Sendable, Hashable, Codable {
        /// The signature covers the digest; a stream is read for this, and again when it is sent.
        case signed
        /// The signature omits the content, which S3 accepts over https (`UNSIGNED-PAYLOAD`).
        case unsigned
    }

    package let accessKeyID: String
    /// The token of a temporary credential; nil for a permanent one.
    package let sessionToken: String?
    /// The region, such as `eu-central-1`.
    package let region: String
    /// The service as its signatures name it, such as `s3` or `execute-api`.
    package let service: String
    /// Whether the signature covers the content.
    package let content: Content
    /// The clock that dates signatures; it is not stored.
    package var clock: WallClock = .system

    private let secret: StoredSecret

    /// Creates a credential.
    public init(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, region: String, service: String,
        content: Content = .signed, clock: WallClock = .system
    ) {
        self.accessKeyID = accessKeyID
        self.sessionToken = sessionToken
        self.region = region
        self.service = service
        self.content = content
        self.clock = clock
        // The key derivation begins with this text. Storing it saves a copy for each request.
        secret = StoredSecret(Array("AWS4\(secretAccessKey)".utf8))
    }

    private enum CodingKeys: String, CodingKey {
        case accessKeyID, sessionToken, region, service, content, secret
    }

    /// Whether the service is S3, which uses paths unchanged and requires the digest in a separate field.
    private var isS3: Bool { service == "s3" || service.utf8.starts(with: "s3-".utf8) }

    /// Signs the request in its current form, and replaces an earlier attempt's signature.
    ///
    /// All fields are signed except those that proxies change. This function never leaves content unsigned without
    /// `Content.unsigned`, even if the content can be read only once.
    ///
    /// - Throws: `AuthError.unsignableContent` if the content can be read only once, and the error of a stream.
    public func authorize(_ request: inout HTTPRequest) async throws {
        let date = HTTPDate(clock.now).basicText
        let digest = try await digest(of: request.body)
        request.fields["X-Amz-Date"] = date
        if let sessionToken { request.fields["X-Amz-Security-Token"] = sessionToken }
        if isS3 || content == .unsigned { request.fields["X-Amz-Content-Sha256"] = digest }
        let canonical = SigV4CanonicalRequest(
            request, names: SigV4CanonicalRequest.signedNames(of: request), payload: digest, keepsPath: isS3)
        request.fields[.authorization] =
            "\(Self.algorithm) Credential=\(accessKeyID)/\(scope(of: date)), "
            + "SignedHeaders=\(canonical.signedNames), Signature=\(signature(of: canonical, date: date))"
        request.markCredentials(sessionToken == nil ? [] : ["X-Amz-Security-Token"])
    }

    /// Compares the secrets in constant time, and ignores the clock.
    public static func == (left: SigV4Signature, right: SigV4Signature) -> Bool {
        left.accessKeyID == right.accessKeyID && left.region == right.region && left.service == right.service
            && left.content == right.content && left.secret == right.secret
            && constantTimeEquals((left.sessionToken ?? "").utf8, (right.sessionToken ?? "").utf8)
            && (left.sessionToken == nil) == (right.sessionToken == nil)
    }
}

extension SigV4Signature {
    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let unsignedPayload = "UNSIGNED-PAYLOAD"

    private func digest(of body: HTTPBody) async throws -> String {
        guard content == .signed else { return Self.unsignedPayload }
        return ContentHash.hex(try await ContentHash.digest(of: body, by: SHA256.self))
    }

    /// Returns the credential scope: the day, the region and the service of the derived key.
    private func scope(of date: String) -> String { "\(date.prefix(8))/\(region)/\(service)/aws4_request" }

    /// Returns the string to sign: the time, the scope and the digest of the canonical request.
    package func stringToSign(_ canonical: SigV4CanonicalRequest, date: String) -> String {
        let digest = ContentHash.hex(SHA256.hash(data: Array(canonical.text.utf8)))
        return "\(Self.algorithm)\n\(date)\n\(scope(of: date))\n\(digest)"
    }

    private func signature(of canonical: SigV4CanonicalRequest, date: String) -> String {
        var key = secret
        for part in [String(date.prefix(8)), region, service, "aws4_request"] {
            key = StoredSecret(key.authenticationCode(for: part))
        }
        return ContentHash.hex(key.authenticationCode(for: stringToSign(canonical, date: date)))
    }
}

extension SigV4Signature: Redacting {
    /// The region and the service, without the secrets.
    public var description: String { "SigV4Signature(\(region), \(service), redacted)" }
}
