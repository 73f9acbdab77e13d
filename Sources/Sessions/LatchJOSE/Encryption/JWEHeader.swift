// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// The JOSE header of a JWE (RFC 7516 §4).
public struct JWEHeader: Sendable, Hashable {
    /// All header parameters.
    public let members: JSONObject
    /// The key management algorithm (`alg`), which the decrypter must accept.
    public let algorithm: KeyManagementAlgorithm
    /// The content encryption algorithm (`enc`), which the decrypter must accept.
    public let contentEncryption: ContentEncryptionAlgorithm
    /// The ID of the key (`kid`).
    public let keyID: String?
    /// The media type of the whole JWE (`typ`); nil if it is missing.
    public let type: String?
    /// The type of the plaintext (`cty`), such as `JWT` in a nested token.
    public let contentType: String?

    /// Creates a header from its parameters.
    init(_ members: JSONObject) throws(JOSEError) {
        guard let name = members["alg"]?.stringValue, let content = members["enc"]?.stringValue else {
            throw .malformedEncryption("its header names no algorithm")
        }
        self.members = members
        algorithm = KeyManagementAlgorithm(rawValue: name)
        contentEncryption = ContentEncryptionAlgorithm(rawValue: content)
        keyID = try members.tokenPart("kid")
        type = try members.tokenPart("typ")
        contentType = try members.tokenPart("cty")
    }

    /// Whether the plaintext is a JWT (RFC 7519 §5.2).
    package var isNestedToken: Bool { contentType.map { JOSEHeader.areSameType($0, "JWT") } ?? false }

    /// Rejects unknown parameters that would change the meaning of the token.
    func refuseExtensions(understood: Set<String>) throws(JOSEError) {
        try CriticalParameters.checkEncryption(members, understood: understood)
        // RFC 8725 §3.6: the length of compressed plaintext reveals it, and a short text may expand without limit.
        guard members["zip"] == nil else { throw .compressed }
    }
}
