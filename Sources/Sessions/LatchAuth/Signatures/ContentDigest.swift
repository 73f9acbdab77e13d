// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchCrypto
package import LatchHTTP

/// The digests of content, as in `Content-Digest` (RFC 9530).
///
/// ```swift
/// request.fields[.contentDigest] = try await ContentDigest(hashing: request.body).fieldValue   // sha-256=:…:
/// try await ContentDigest(parsing: response.fields[.contentDigest] ?? "").verify(response.body)
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
        self.digests = digests
    }

    /// Parses the value of a field.
    ///
    /// Unknown algorithms are ignored (RFC 9530 §2).
    ///
    /// - Throws: `AuthError.malformedSignature` if the value is not a dictionary of byte sequences, or has no known
    ///   algorithm.
    package init(parsing field: String) throws(AuthError) {
        var digests: [Algorithm: [UInt8]] = [:]
        do {
            for (key, member) in try StructuredDictionary(parsing: field) {
                guard let algorithm = Algorithm(rawValue: key) else { continue }
                guard let bytes = member.item?.value.bytesValue else {
                    throw AuthError.malformedSignature("a digest is not a byte sequence")
                }
                digests[algorithm] = bytes
            }
        } catch let error as AuthError {
            throw error
        } catch {
            throw .malformedSignature("a digest field is not a dictionary")
        }
        guard !digests.isEmpty else { throw .malformedSignature("it has no digest of a known algorithm") }
        self.digests = digests
    }

    /// The value of the field, in the order of the algorithms' names.
    package var fieldValue: String {
        digests.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue)=:\(Base64Alphabet.standard.encodePadded($0.value)):" }.joined(separator: ", ")
    }

    /// Verifies all digests of content.
    ///
    /// - Throws: `AuthError.digestMismatch`, `AuthError.unsignableContent` if the content can be read only once, and
    ///   the error of a stream.
    package func verify(_ body: HTTPBody) async throws {
        for (algorithm, digest) in digests {
            guard constantTimeEquals(try await Self.digest(of: body, by: algorithm), digest) else {
                throw AuthError.digestMismatch
            }
        }
    }

    private static func digest(of body: HTTPBody, by algorithm: Algorithm) async throws -> [UInt8] {
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
