// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import TestVectors

/// The keys and messages of RFC 9421, appendix B.
enum RFC9421 {
    /// The date of the examples.
    static let created: TimeInterval = 1_618_884_473

    /// Appendix B.1.5.
    static let sharedSecret = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ"

    /// The key that the examples call so.
    static func key(_ name: String) throws -> Key? {
        let set = VectorSet.messageSignatures
        switch name {
        case "test-key-rsa-pss": return try rsa(set.text("test-key-rsa-pss.pub"), "PS512", name)
        case "test-key-ecc-p256":
            let raw = Array(
                try P256.Signing.PublicKey(pemRepresentation: set.text("test-key-ecc-p256.pub")).rawRepresentation)
            return try Key(jwk: [
                "kty": "EC", "crv": "P-256", "kid": .string(name), "x": .string(Base64URL.encode(raw.prefix(32))),
                "y": .string(Base64URL.encode(raw.suffix(32))),
            ])
        case "test-key-ed25519":
            let text = try set.text("test-key-ed25519.pub").split(separator: "\n").filter { !$0.hasPrefix("-") }
            let info = Data(base64Encoded: text.joined()) ?? Data()
            return try Key(jwk: [
                "kty": "OKP", "crv": "Ed25519", "kid": .string(name), "x": .string(Base64URL.encode(info.suffix(32))),
            ])
        case "test-shared-secret":
            let secret = Data(base64Encoded: sharedSecret + "==") ?? Data()
            return try Key(secret: SymmetricKey(data: Array(secret)), algorithm: .hs256, id: name)
        default: return nil
        }
    }

    private static func rsa(_ pem: String, _ algorithm: String, _ name: String) throws -> Key {
        let key = try RSA.Signing.PublicKey(pemRepresentation: pem)
        return try Key(jwk: [
            "kty": "RSA", "alg": .string(algorithm), "kid": .string(name),
            "n": .string(Base64URL.encode(key.modulus)), "e": .string(Base64URL.encode(key.exponent)),
        ])
    }

    /// A verifier that takes the examples for what they are: old, and most of them of few components.
    static func verifier(required: [SignatureComponent] = []) -> MessageVerifier {
        var policy = SignaturePolicy(required: required, maximumAge: nil, clock: .standing(at: created))
        policy.checksContent = false
        return MessageVerifier(policy: policy) { try $0.flatMap(key) }
    }

    /// A message of the examples, as text.
    static func message(_ file: String) throws -> (line: [Substring], fields: HTTPFields, body: HTTPBody) {
        let text = try VectorSet.messageSignatures.text(file).replacing("\r\n", with: "\n")
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\n")
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let pair = line.split(separator: ": ", maxSplits: 1)
            fields.append(String(pair[1]), for: HTTPFieldName(String(pair[0])))
        }
        let body = parts.count > 1 ? parts[1].trimming { $0 == "\n" } : ""
        return (lines[0].split(separator: " "), fields, HTTPBody(String(body)))
    }

    /// A request of the examples.
    static func request(_ file: String) throws -> HTTPRequest {
        let (line, fields, body) = try message(file)
        return HTTPRequest(
            method: HTTPMethod(rawValue: String(line[0])), authority: fields[.host] ?? "", path: String(line[1]),
            fields: fields, body: body)
    }

    /// A response of the examples.
    static func response(_ file: String) throws -> HTTPResponse {
        let (line, fields, body) = try message(file)
        return HTTPResponse(status: HTTPStatus(rawValue: Int(line[1]) ?? 0), fields: fields, body: body)
    }
}

extension Substring {
    /// The text without such characters at its end.
    fileprivate func trimming(_ isUnwanted: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, isUnwanted(last) { text.removeLast() }
        return text
    }
}
