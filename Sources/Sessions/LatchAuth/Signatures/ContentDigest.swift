// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchCrypto
package import LatchHTTP

/// The digests of content, as in `Content-Digest` (RFC 9530).
///
/// ```swift
/// request.fields[.contentDigest] = try await ContentDigest(hashing: request.body).fieldValue   // sha-256=:…:
/// ```
package struct ContentDigest: Sendable, Hashable {
    /// A secure digest algorithm (RFC 9530 §7.2); insecure ones are not supported.
    package enum Algorithm: String, Sendable, Hashable, CaseIterable, Codable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"
    }

    package let digests: [Algorithm: [UInt8]]

    /// Computes the digests of content, for which a stream is read.
    ///
    /// - Throws: `AuthError.unsignableContent` if the content can be read only once, and the error of the stream.
    package init(hashing body: HTTPBody, by algorithms: Set<Algorithm> = [.sha256]) async throws {
        var digests: [Algorithm: [UInt8]] = [:]
        for algorithm in algorithms { digests[algorithm] = try await Self.digest(of: body, by: algorithm) }
        self.init(digests)
    }

    /// Creates known digests.
    init(_ digests: [Algorithm: [UInt8]]) { self.digests = digests }

    /// The value of the field, in the order of the algorithms' names.
    package var fieldValue: String {
        digests.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue)=:\(Base64Alphabet.standard.encodePadded($0.value)):" }.joined(separator: ", ")
    }

    static func digest(of body: HTTPBody, by algorithm: Algorithm) async throws -> [UInt8] {
        switch algorithm {
        case .sha256: try await ContentHash.digest(of: body, by: SHA256.self)
        case .sha512: try await ContentHash.digest(of: body, by: SHA512.self)
        }
    }
}

extension HTTPFieldName {
    /// The field with the digest of the content as sent (RFC 9530 §2).
    package static let contentDigest: HTTPFieldName = "Content-Digest"
}
